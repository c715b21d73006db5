"""The numbers of the model of sentences that steer (weights.msgpack, made by tests/benchmarks/train_steering.py)."""

from functools import lru_cache
from importlib.resources import files
from itertools import combinations
from typing import Any

import msgspec

from engine.text.poison.steering.concepts import concept_names

FILE = "weights.msgpack"


class WeightTable(msgspec.Struct, frozen=True):
    """One signed byte for each number that grams.py gives; times `step` it is a weight."""

    step: float
    data: bytes

    def bytes_of_weight(self) -> Any:
        import numpy as np

        return np.frombuffer(self.data, dtype=np.int8)


class Weights(msgspec.Struct, frozen=True):
    """The share of runs, words, concepts and pairs of concepts (`one+other`) in the score of a sentence.

    Above `threshold` a sentence is flagged. One whose runs alone have less than `floor` is not looked at further, or
    less than `dense_floor` in a script that writes no blanks: there the words, each a sign, weigh more.
    """

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
    """The weights by the numbers of the concepts."""
    names, known = concept_names(), weights()
    place = {name: number for number, name in enumerate(names)}
    pairs = {tuple(map(place.__getitem__, pair.split("+"))): weight for pair, weight in known.pairs.items()}
    return [known.concepts.get(name, 0.0) for name in names], pairs
