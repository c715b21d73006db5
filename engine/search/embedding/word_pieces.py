"""The numbers of a text's word pieces, kept word by word: looking words up takes a third of cutting them anew.

The tokenizer writes a mark for each blank and then joins letters by fixed rules. No piece has such a mark behind a
letter, so what stands from one run of marks to the next is cut by itself, and comes to the same wherever it stands.
"""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

BLANK = "\u2581"
"""The sign that the tokenizer writes for a blank, and before the first character of a text."""
MOST_WORDS = 32_768
"""Words that are kept, some eight megabytes; one more, and it begins anew."""
LONGEST_WORD = 40
"""Characters of a word that is kept: longer ones hardly come twice."""
_WORD = re.compile(f"{BLANK}+[^{BLANK}]*")
_SPECIAL = re.compile(r"<unk>|</?s>")


class WordPieces:
    """Gives the same numbers as the tokenizer does. Any thread may ask."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, tuple[int, ...]] = {}
        self._blank = (tokenizer.token_to_id(BLANK),)

    def ids(self, text: str) -> list[int]:
        """The pieces of a text that can be encoded as UTF-8."""
        if not text or _SPECIAL.search(text):
            return list(self._cut([text])[0])
        words = _WORD.findall(BLANK + text.replace(" ", BLANK))
        found = list(map(self._known.get, words))
        if None in found:
            new = self._learned({word for word, ids in zip(words, found, strict=True) if ids is None})
            found = [new[word] if ids is None else ids for word, ids in zip(words, found, strict=True)]
        return list(chain.from_iterable(filter(None, found)))

    def _learned(self, words: set[str]) -> dict[str, tuple[int, ...]]:
        """The pieces of words that were not kept."""
        made = dict(zip(words, self._cut([word[1:].replace(BLANK, " ") for word in words]), strict=True))
        if BLANK in made:  # of nothing the tokenizer makes nothing, not even the mark before it
            made[BLANK] = self._blank
        if len(self._known) + len(made) > MOST_WORDS:
            self._known.clear()
        self._known.update((word, ids) for word, ids in made.items() if len(word) <= LONGEST_WORD)
        return made

    def _cut(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        return [tuple(one.ids) for one in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
