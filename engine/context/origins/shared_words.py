"""Ranks the lines of a compiled prompt by the rare words that an answer shares with them (autopoiesis §6)."""

import math
from collections import Counter
from collections.abc import Iterator

import msgspec

from engine.context.compile.prompt import CompiledPrompt, ItemState, PromptItem, PromptSlot
from engine.text.document import split_lines
from engine.text.language import ASKED
from engine.text.words import cut

RARE = 4
"""A word, or several together, are rare if at most this many lines of the prompt, or 2 % of them, have them."""
RARE_SHARE = 0.02  # the share of the prompt's lines that takes the place of `RARE` from 250 lines on
TOGETHER = 3  # words that may be rare together where none of them is rare alone
ASKED_WEIGHT = 0.35  # share of its weight that a word of the message keeps: the answer repeats it whatever it rests on
FEWEST = 2  # words that a line must share with the answer where one of them is rare


class SharedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a prompt's item. `share`: its part of the answer's weight, 0 to 1. `words`: shared, rarest first."""

    item: PromptItem
    text: str
    words: tuple[str, ...]
    share: float


def shared_lines(answer: str, prompt: CompiledPrompt, limit: int) -> tuple[SharedLine, ...]:
    """Returns the lines that share most with the answer, best first; none without rare shared words. A word weighs
    log(1 + lines / lines with it). Equal lines keep the order of the prompt."""
    asked = words_of(prompt.message)
    said = words_of(answer)
    lines = [(item, text, words_of(text)) for item, text in _lines(prompt)]
    common = Counter(word for _, _, words in lines for word in words & said)
    rare = {word: math.log1p(len(lines) / max(common[word], 0.5)) for word in said}
    weights = {word: weight * (ASKED_WEIGHT if word in asked else 1.0) for word, weight in rare.items()}
    total = math.fsum(weights.values())
    most = max(RARE, int(len(lines) * RARE_SHARE))

    def is_rare(shared: frozenset[str]) -> bool:
        """Tells whether the shared words point at this line, and not at the question or at any line."""
        telling = shared - asked
        if any(common[word] <= most for word in telling):
            return len(shared) >= FEWEST
        return len(telling) >= TOGETHER and sum(telling <= words for _, _, words in lines) <= most

    found = []
    for item, text, words in lines:
        if is_rare(words & said):
            ordered = tuple(sorted(words & said, key=lambda word: (-weights[word], word)))
            share = math.fsum(weights[word] for word in ordered) / total
            found.append(SharedLine(item=item, text=text, words=ordered, share=share))
    return tuple(sorted(found, key=lambda line: -line.share)[:limit])


def words_of(text: str) -> frozenset[str]:
    """Returns the significant words of a text as stems, and its names, numbers and paths as written."""
    parts = cut(text)
    return frozenset(word for word in (*parts.words, *parts.marks) if word not in ASKED)


def _lines(prompt: CompiledPrompt) -> Iterator[tuple[PromptItem, str]]:
    """Yields every non-blank line of the items in the prompt, without fences."""
    for item in prompt.items:
        if item.state is not ItemState.DROPPED and item.slot is not PromptSlot.MESSAGE:
            lines = split_lines(prompt.prompt[item.start : item.end])
            fenced = len(lines) > 1 and lines[0].startswith("<")
            yield from ((item, text) for text in (lines[1:-1] if fenced else lines) if text.strip())
