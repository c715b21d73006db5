"""Scores how much a sentence would steer an agent: a linear model over its runs of letters, words and concepts. Sums
are of whole numbers, so the same text has the same score on every platform."""

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import combinations
from math import sqrt
from typing import Any

import msgspec

from engine.text.poison.steering.concepts import automaton, concept_names
from engine.text.poison.steering.grams import plain, run_count, runs, word_numbers, words

FILE = "weights.msgpack"


class WeightTable(msgspec.Struct, frozen=True):
    """One signed byte for each number that grams.py gives; times `step` it is a weight."""

    step: float
    data: bytes

    def bytes_of_weight(self) -> Any:
        import numpy as np

        return np.frombuffer(self.data, dtype=np.int8)


class Weights(msgspec.Struct, frozen=True):
    """The share of runs, words, concepts and pairs of concepts (`one+other`) in the score of a sentence. Above
    `threshold` a sentence is flagged. One whose runs alone have less than `floor` is not looked at further, or less
    than `dense_floor` in a script that writes no blanks: there the words, each a sign, weigh more."""

    threshold: float
    floor: float
    dense_floor: float
    bias: float
    runs: WeightTable
    words: WeightTable
    concepts: dict[str, float]
    pairs: dict[str, float]


@lru_cache(maxsize=1)
def weights() -> Weights:
    return msgspec.msgpack.decode(files(__package__).joinpath(FILE).read_bytes(), type=Weights)


@lru_cache(maxsize=1)
def tables() -> tuple[Any, Any]:
    """The bytes of the runs and of the words, as arrays."""
    known = weights()
    return known.runs.bytes_of_weight(), known.words.bytes_of_weight()


@lru_cache(maxsize=1 << 14)
def concept_share(found: tuple[int, ...]) -> float:
    """The share of the concepts with these numbers, and of each two of them."""
    singles, pairs = _numbered()
    return sum(singles[one] for one in found) + sum(pairs.get(two, 0.0) for two in combinations(found, 2))


@lru_cache(maxsize=1)
def _numbered() -> tuple[list[float], dict[tuple[int, ...], float]]:
    names, known = concept_names(), weights()
    place = {name: number for number, name in enumerate(names)}
    pairs = {tuple(map(place.__getitem__, pair.split("+"))): weight for pair, weight in known.pairs.items()}
    return [known.concepts.get(name, 0.0) for name in names], pairs


_WHOLE = 240  # characters of a line that is judged as one; a longer one is judged by two sentences at a time
_SHORTEST = 12  # characters; a shorter line orders nothing
_SHORTEST_DENSE = 6  # characters of a line in a script that writes no blanks
_LONGEST = 480  # characters of two sentences that are judged
_BATCH = 1 << 16  # characters that are judged at once: the arrays stay in the processor's cache
_SENTENCE = re.compile(r"[^.!?。！？]*(?:[.!?。！？]+\s*|\Z)|[^.!?。！？]+")
_DENSE = re.compile("[\u3400-\u9fff]")
_NAMED = 3  # words that an explanation names
_SHOWN = re.compile(r"[^\W\d_\u3400-\u9fff]{4,}|[\u3400-\u9fff]{2}")


class JudgedPiece(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of a text, judged as one."""

    start: int
    end: int


def steering(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each piece of a folded text that would steer an agent."""
    known, whole = weights(), plain(text)
    least = min(known.floor, known.dense_floor)
    for batch in _batches(_pieces(text)):
        first, last = batch[0].start, batch[-1].end
        for piece, share in zip(batch, _run_shares(whole[first:last], first, batch), strict=True):
            if share > least:
                sentence = whole[piece.start : piece.end]
                if share <= (known.dense_floor if is_dense(sentence) else known.floor):
                    continue
                if known.bias + share + _word_share(sentence) + concept_share(concepts_of(sentence)) > known.threshold:
                    yield piece.start, piece.end


def is_dense(sentence: str) -> bool:
    """Tells whether a sentence is in a script that writes no blanks."""
    return not sentence.isascii() and _DENSE.search(sentence) is not None


def concepts_of(sentence: str) -> tuple[int, ...]:
    """Numbers of the concepts of a plain sentence, in order."""
    return tuple(sorted(automaton().Match(sentence) or ()))


def _batches(pieces: Iterator[JudgedPiece]) -> Iterator[list[JudgedPiece]]:
    batch: list[JudgedPiece] = []
    for piece in pieces:
        if batch and piece.end - batch[0].start > _BATCH:
            yield batch
            batch = []
        batch.append(piece)
    if batch:
        yield batch


def _run_shares(text: str, first: int, batch: list[JudgedPiece]) -> list[float]:
    """The share of the runs of each piece; `first` is the offset of `text`."""
    import numpy as np

    table, step = tables()[0], weights().runs.step
    starts = np.array([piece.start - first for piece in batch])
    ends = np.array([piece.end - first for piece in batch])
    sums = np.zeros(len(batch), dtype=np.int64)
    for length, numbers in runs(text):
        total = np.concatenate(([0], np.cumsum(table[numbers], dtype=np.int64)))
        stops = np.clip(ends + 3 - length, starts, len(total) - 1)
        sums += total[stops] - total[np.minimum(starts, stops)]
    shares: list[float] = (step * sums / np.sqrt(run_count(ends - starts))).tolist()
    return shares


def _word_share(sentence: str) -> float:
    table, numbers = tables()[1], word_numbers(words(sentence))
    return weights().words.step * int(table[numbers].sum(dtype="int64")) / sqrt(max(1, len(numbers)))


def weightiest(sentence: str) -> tuple[str, ...]:
    """The words of a folded sentence that weighed most, heaviest first."""
    line = plain(sentence)
    shares: dict[str, float] = {}
    totals = _totals(line)
    for match in _SHOWN.finditer(line):
        share = sum(int(total[match.end()] - total[match.start()]) for total in totals) * weights().runs.step
        share += int(tables()[1][word_numbers((match[0],))[0]]) * weights().words.step
        shares[match[0]] = max(share, shares.get(match[0], 0.0))
    heavy = sorted((word for word, share in shares.items() if share > 0), key=lambda word: -shares[word])
    return tuple(heavy[:_NAMED])


def _totals(line: str) -> list[Any]:
    """For each length of runs the sums of their bytes up to each character."""
    import numpy as np

    sums = (np.cumsum(tables()[0][numbers], dtype=np.int64) for _, numbers in runs(line))
    return [np.pad(total, (1, len(line) + 2 - len(total)), mode="edge") for total in sums]


def _pieces(text: str) -> Iterator[JudgedPiece]:
    """Each line without the blanks around it; a long one as each two sentences that follow each other."""
    start = 0
    for line in text.split("\n"):
        bare = line.strip()
        if len(bare) >= (_SHORTEST if line.isascii() else _SHORTEST_DENSE):
            at = start + line.index(bare)
            yield from _pairs(at, bare) if len(bare) > _WHOLE else (JudgedPiece(at, at + len(bare)),)
        start += len(line) + 1


def _pairs(start: int, line: str) -> Iterator[JudgedPiece]:
    sentences = [match for match in _SENTENCE.finditer(line) if match[0]]
    for number, first in enumerate(sentences):
        last = sentences[min(number + 1, len(sentences) - 1)]
        end = last.end() if last.end() - first.start() <= _LONGEST else min(first.end(), first.start() + _LONGEST)
        yield JudgedPiece(start + first.start(), start + end)
