"""Makes vectors offline: the mean of the vectors of a text's word pieces, from two files of the package `wordllama`.
The package's own loader downloads, and its `embed` pads every text to the longest, which can ask for 30 GiB."""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.search.embedding.embedder import Embedder, NoEmbedder
from engine.text.arrays import Floats, unit

Halves = NDArray[np.float16]

BLANK = "\u2581"  # the sign that the tokenizer writes for a blank, and before the first character of a text
MOST_WORDS = 32_768  # words that are kept, some eight megabytes; one more, and it begins anew
LONGEST_WORD = 40  # characters of a word that is kept: longer ones hardly come twice
_WORD = re.compile(f"{BLANK}+[^{BLANK}]*")
_SPECIAL = re.compile(r"<unk>|</?s>")


class WordPieces:
    """Returns the same numbers as the tokenizer, kept by word: a lookup takes a third of the time. No piece has a blank
    behind a letter, so that each word is cut the same wherever it is. Thread-safe."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, tuple[int, ...]] = {}
        self._blank = (tokenizer.token_to_id(BLANK),)

    def ids(self, text: str) -> list[int]:
        """The ids of a text's pieces. The text can be encoded as UTF-8."""
        if not text or _SPECIAL.search(text):
            return list(self._cut([text])[0])
        words = _WORD.findall(BLANK + text.replace(" ", BLANK))
        found = list(map(self._known.get, words))
        if None in found:
            new = self._learned({word for word, ids in zip(words, found, strict=True) if ids is None})
            found = [new[word] if ids is None else ids for word, ids in zip(words, found, strict=True)]
        return list(chain.from_iterable(filter(None, found)))

    def _learned(self, words: set[str]) -> dict[str, tuple[int, ...]]:
        made = dict(zip(words, self._cut([word[1:].replace(BLANK, " ") for word in words]), strict=True))
        if BLANK in made:  # of nothing the tokenizer makes nothing, not even the mark before it
            made[BLANK] = self._blank
        if len(self._known) + len(made) > MOST_WORDS:
            self._known.clear()
        self._known.update((word, ids) for word, ids in made.items() if len(word) <= LONGEST_WORD)
        return made

    def _cut(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        return [
            tuple(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        ]


WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
LONGEST = 4_000  # characters of a text that are embedded; chunks are shorter, single lines without an end may not be
BATCH = 512  # texts whose words are summed at once
FEW = 64  # up to so many texts are cut word by word from memory; more of them are cut by all processors at once
FIX = "install memdeck with all that it requires"


def static_embedder(*, centred: bool = False) -> "StaticEmbedder | NoEmbedder":
    """Returns the offline embedder, or the reason why there is none. Reads 18 MB. `centred`: see `StaticEmbedder`."""
    try:
        spec = find_spec("wordllama")
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        return NoEmbedder("the offline word vectors (wordllama) are not installed", FIX)
    folder = Path(spec.origin).parent
    try:
        return StaticEmbedder(folder, centred=centred)
    except Exception as error:  # noqa: BLE001 — tokenizers and safetensors raise bare `Exception` for damaged files
        return NoEmbedder(f"the offline word vectors cannot be read: {error}", "reinstall wordllama")


class WordVectors:
    """The tokenizer and the vector of each word piece, 18 MB, read from the two files of a folder."""

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self.tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.words = WordPieces(self.tokenizer)
        self.pieces: Halves = load_file(folder / WEIGHTS)["embedding.weight"]

    @cached_property
    def common(self) -> Floats:
        """The mean of all word pieces: what they have in common."""
        mean: Floats = self.pieces.mean(axis=0, dtype=np.float32)
        return mean


@lru_cache(maxsize=1)
def _word_vectors(folder: Path) -> WordVectors:
    """Search and topics share the vectors within a process: loading takes 60 ms, and words are cached once."""
    return WordVectors(folder)


class StaticEmbedder:
    """The mean of word-piece vectors. `centred`: less what all have in common, which tells short texts apart."""

    id = "wordllama-l2-256"
    dimensions = 256
    quick = True
    weight = 1.75

    def __init__(self, folder: Path, *, centred: bool = False) -> None:
        self.later: Embedder | None = None
        self.vectors = _word_vectors(folder)
        self._wide: Floats | None = None
        self._common = self.vectors.common if centred else None
        if centred:
            self.id += "-centred"

    def embed(self, texts: Sequence[str]) -> Floats:
        # Numbers of two bytes take half the memory, but have to be widened text by text: while many texts come, as in
        # indexing, all of them are kept wide, until the first question.
        if len(texts) <= FEW:
            self._wide = None
        elif self._wide is None:
            self._wide = self.vectors.pieces.astype(np.float32)
        pieces = self.vectors.pieces if self._wide is None else self._wide
        parts = [self._embed(texts[at : at + BATCH], pieces) for at in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), np.float32)

    def _embed(self, texts: Sequence[str], pieces: Floats | Halves) -> Floats:
        clean = [text[:LONGEST].encode("utf-8", "replace").decode() for text in texts]
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, ids in zip(rows, self._ids(clean), strict=True):
            if ids:
                row[:] = pieces.take(ids, axis=0).mean(axis=0, dtype=np.float32)
                row -= 0 if self._common is None else self._common
        return unit(rows)

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        if len(texts) <= FEW:
            return [self.vectors.words.ids(text) for text in texts]
        return [encoding.ids for encoding in self.vectors.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
