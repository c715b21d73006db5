"""Scores how much a sentence would steer an agent. A linear model over character runs, words and word pairs filters;
the encoder judges what passes, in all its languages."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import sqrt
from typing import Any

import msgspec

from engine.text.encoder.encoder import NoEncoder, TextEncoder, text_encoder
from engine.text.pattern_file import source
from engine.text.poison.folded_text import FoldedText
from engine.text.poison.steering.grams import plain, run_count, runs, word_numbers, words

FILE = "weights.msgpack"
STEERING, STANDING_ORDER = "steering", "standing-order"
"""The rules: words that would steer the agent; a harmless standing order, such as a style of answers (decision G30)."""


class WeightTable(msgspec.Struct, frozen=True):
    """One signed byte for each weight, multiplied by `step`."""

    step: float
    data: bytes

    def bytes_of_weight(self) -> Any:
        import numpy as np

        return np.frombuffer(self.data, dtype=np.int8)


class Layer(msgspec.Struct, frozen=True):
    """Two layers over an encoder vector: `inner` units; their sums score steering and select the rule, bias last."""

    inner: WeightTable
    least: tuple[float, ...]
    steers: tuple[float, ...]
    orders: tuple[float, ...]

    def shares(self, vectors: Any) -> Any:
        """Returns two columns: each vector's part of the score, and a number above 0 for a standing order."""
        import numpy as np

        inner = self.inner.bytes_of_weight().reshape(vectors.shape[1], -1) * np.float32(self.inner.step)
        units = np.maximum(vectors @ inner + np.array(self.least, np.float32), 0)
        outer = np.array((self.steers, self.orders), np.float32).T
        return units @ outer[:-1] + outer[-1]


class Weights(msgspec.Struct, frozen=True):
    """A sentence above `threshold` is flagged. Below `floor` by runs it is dropped, below `gate` by runs and words the
    encoder does not see it. `alone`: the threshold without encoder."""

    threshold: float
    alone: float
    gate: float
    floor: float
    bias: float
    runs: WeightTable
    words: WeightTable
    layer: Layer


@lru_cache(maxsize=1)
def weights() -> Weights:
    return msgspec.msgpack.decode(source(__package__, FILE), type=Weights)


@lru_cache(maxsize=1)
def tables() -> tuple[Any, Any]:
    """Returns the weights of runs and of words as arrays."""
    return weights().runs.bytes_of_weight(), weights().words.bytes_of_weight()


_WHOLE = 240  # characters of a line that is judged as one; a longer one is judged by two sentences at a time
_SHORTEST = 12  # characters; a shorter line orders nothing
_SHORTEST_DENSE = 6  # characters of a line in a script that writes no blanks
_LONGEST = 480  # characters of two sentences that are judged
_BATCH = 1 << 16  # characters that are judged at once: the arrays stay in the processor's cache
_SENTENCE = re.compile(r"[^.!?。！？]*(?:[.!?。！？]+\s*|\Z)|[^.!?。！？]+")
_REMEMBERED = 20_000  # texts whose shares are kept, in 5 MB
_SHARES: dict[str, tuple[float, float]] = {}
_NAMED = 3  # words that an explanation names
_SHOWN = re.compile(r"[^\W\d_\u3400-\u9fff]{4,}|[\u3400-\u9fff]{2}")


class JudgedPiece(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of a text, scored together."""

    start: int
    end: int


class SteeringPiece(msgspec.Struct, frozen=True):
    """Characters of a folded text that would steer an agent, and the broken rule."""

    start: int
    end: int
    rule: str


def steering(text: str, folded: FoldedText, *, encoded: bool = True) -> Iterator[SteeringPiece]:
    """Yields the pieces of a text that would steer an agent; asks the encoder only if `encoded`."""
    known, whole = weights(), plain(folded.text)
    for batch in _batches(pieces(folded.text)):
        first, last = batch[0].start, batch[-1].end
        shares = zip(batch, _run_shares(whole[first:last], first, batch), strict=True)
        near = [(one, share) for one, share in shares if share > known.floor]
        scored = [(one, known.bias + share + _word_share(whole[one.start : one.end])) for one, share in near]
        yield from _judged([(one, score) for one, score in scored if score > known.gate], text, folded, encoded)


def _judged(
    scored: Sequence[tuple[JudgedPiece, float]], text: str, folded: FoldedText, encoded: bool
) -> Iterator[SteeringPiece]:
    """Yields the pieces above the threshold, after scoring by runs and words."""
    if not scored:
        return
    known, encoder = weights(), text_encoder() if encoded else None
    if encoder is None or isinstance(encoder, NoEncoder):
        yield from (SteeringPiece(one.start, one.end, STEERING) for one, score in scored if score > known.alone)
        return
    # The encoder learnt with letters as they are written.
    written = [text[folded.original(one.start) : folded.original(one.end - 1) + 1] for one, _ in scored]
    shares = _shares(written, encoder)
    for (one, score), (share, order) in zip(scored, (shares[own] for own in written), strict=True):
        # With other texts beside it a vector differs by 2e-7: three places are the same everywhere.
        if round(score + share, 3) > known.threshold:
            yield SteeringPiece(one.start, one.end, STANDING_ORDER if round(order, 3) > 0 else STEERING)


def _shares(texts: Sequence[str], encoder: TextEncoder) -> dict[str, tuple[float, float]]:
    """Returns both columns for each text, cached, as a plan repeats lines of notes."""
    shares = {text: known for text in texts if (known := _SHARES.get(text))}
    if new := [text for text in dict.fromkeys(texts) if text not in shares]:
        computed = dict(zip(new, weights().layer.shares(encoder.encode(new)).tolist(), strict=True))
        if len(_SHARES) > _REMEMBERED:
            _SHARES.clear()
        _SHARES.update(computed)
        shares |= computed
    return shares


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
    """Returns the part of the score from each piece's runs; `first`: the offset of `text`."""
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
    """Returns the heaviest words of a folded sentence, heaviest first."""
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
    """Returns, for each run length, the cumulated weights up to each character."""
    import numpy as np

    sums = (np.cumsum(tables()[0][numbers], dtype=np.int64) for _, numbers in runs(line))
    return [np.pad(total, (1, len(line) + 2 - len(total)), mode="edge") for total in sums]


def pieces(text: str) -> Iterator[JudgedPiece]:
    """Yields each line stripped; a long line as each pair of adjacent sentences."""
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
