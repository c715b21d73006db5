"""Scores how much a sentence would steer an agent: a linear model over its concepts and over each two of them.

The numbers of weights.json come from tests/benchmarks/train_steering.py; the same text has the same score everywhere.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from itertools import combinations
from typing import Any

import msgspec

from engine.text.poison.steering.concepts import automaton, compiled, concept_names

_WHOLE = 240  # characters of a line that is judged as one; a longer one is judged by two sentences at a time
_SHORTEST = 6  # characters; a shorter line orders nothing
_LONGEST = 480  # characters of two sentences that are judged
_SENTENCE = re.compile(r"[^.!?。！？]*(?:[.!?。！？]+\s*|\Z)|[^.!?。！？]+")
_LEAST = 2  # concepts without which no sentence comes near the threshold
_NAMED = 3  # words that an explanation names
# A feedback entry has the fields rule, why and how to apply (decision D43): its labels order nothing.
_LABEL = re.compile(
    r"(?:^|[;:\n])[\s\-*>•]*"
    r"(?:rule|why|how(?: to apply)?|insight|lesson|decision|note"
    r"|regel|warum|regle|pourquoi|regla|por que|规则|原因)\s*[:：]"
)
_TARGETS = frozenset(
    (
        *("approval", "approved", "decreed", "rights", "guard", "disable", "destroy", "run", "danger", "money"),
        *(
            "secret",
            "private",
            "send",
            "outside",
            "conceal",
            "lie",
            "identity",
            "takeover",
            "decode",
            "obey",
            "selfcopy",
        ),
    )
)
"""The concepts of what an order could harm: without one of them "never deploy on Fridays" is a rule like any other."""


class Weights(msgspec.Struct, frozen=True):
    """The share of each concept and each pair (`one+other`) in the score; above `threshold` a sentence is flagged."""

    threshold: float
    bias: float
    concepts: dict[str, float]
    pairs: dict[str, float]


@lru_cache(maxsize=1)
def weights() -> Weights:
    return msgspec.json.decode(files(__package__).joinpath("weights.json").read_bytes(), type=Weights)


def concepts_of(sentence: str) -> tuple[int, ...]:
    """Numbers of the concepts of a folded sentence, in order."""
    return tuple(sorted(automaton().Match(sentence.lower().replace("\n", " ")) or ()))


def steering(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each piece of a folded text that would steer an agent."""
    threshold, match = weights().threshold, automaton().Match
    for start, piece in _pieces(_LABEL.sub(_blank, text.lower())):
        found = match(piece)
        if (
            found
            and len(found) >= _LEAST
            and not _targets().isdisjoint(found)
            and score(tuple(sorted(found))) > threshold
        ):
            yield start, start + len(piece)


def _blank(label: "re.Match[str]") -> str:
    """Puts blanks in the place of a label, so that offsets hold; a line break stays."""
    return "".join(char if char == "\n" else " " for char in label[0])


@lru_cache(maxsize=1)
def _targets() -> frozenset[int]:
    return frozenset(number for number, name in enumerate(concept_names()) if name in _TARGETS)


@lru_cache(maxsize=1 << 14)
def score(found: tuple[int, ...]) -> float:
    """The score of a sentence with these concepts."""
    singles, pairs = _numbered()
    return (
        weights().bias + sum(singles[one] for one in found) + sum(pairs.get(two, 0.0) for two in combinations(found, 2))
    )


@lru_cache(maxsize=1)
def _numbered() -> tuple[list[float], dict[tuple[int, int], float]]:
    """The weights by the numbers of the concepts."""
    names, known = concept_names(), weights()
    place = {name: number for number, name in enumerate(names)}
    pairs = {tuple(map(place.__getitem__, pair.split("+"))): weight for pair, weight in known.pairs.items()}
    return [known.concepts.get(name, 0.0) for name in names], pairs  # type: ignore[return-value]


def weightiest(sentence: str) -> tuple[str, ...]:
    """The words of a folded sentence that weighed most, heaviest first."""
    found, (singles, pairs) = concepts_of(sentence), _numbered()
    shares = {
        one: singles[one]
        + sum(pairs.get((min(one, other), max(one, other)), 0.0) / 2 for other in found if other != one)
        for one in found
    }
    heavy = sorted((one for one in found if shares[one] > 0), key=lambda one: -shares[one])[:_NAMED]
    lowered = sentence.lower()
    words = (_word(one).search(lowered) for one in heavy)
    return tuple(dict.fromkeys(word[0] for word in words if word))


@cache
def _word(number: int) -> Any:
    return compiled(concept_names()[number])


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Each line with the offset of its start; a long one as each two sentences that follow each other.

    Folded text keeps its length in lower case: what does not (`İ`) is folded away.
    """
    start = 0
    for line in text.split("\n"):
        length = len(line)
        if length > _WHOLE:
            yield from _pairs(start, line)
        elif length >= _SHORTEST:
            yield start, line
        start += length + 1


def _pairs(start: int, line: str) -> Iterator[tuple[int, str]]:
    sentences = [match for match in _SENTENCE.finditer(line) if match[0]]
    for number, first in enumerate(sentences):
        last = sentences[min(number + 1, len(sentences) - 1)]
        end = last.end() if last.end() - first.start() <= _LONGEST else min(first.end(), first.start() + _LONGEST)
        yield start + first.start(), line[first.start() : end]
