"""Scores by character 3-grams with MinHash, which tolerates misspelling (autopoiesis §4.2)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.text.arrays import Floats
from engine.topics.similarity.scorer import Scores

Signature = NDArray[np.uint64]
Signatures = NDArray[np.uint64]  # a row for each passage

HASHES = 64  # numbers of a MinHash signature: the likeness is told in steps of a 64th
LONGEST = 20_000  # characters of a text that count
_PRIME = 0x7FFF_FFFF  # 2³¹ - 1: products of two numbers below it fit into 64 bits


class NGrams:
    """Estimates the Jaccard index of 3-grams with the nearest passage: a whole text's would fall with its length."""

    name = "ngrams"

    def profile(self, passages: Sequence[str]) -> Signatures:
        return np.array([signature(passage) for passage in passages or ("",)])

    def index(self, profiles: Sequence[Signatures]) -> Scores:
        signatures = np.concatenate([np.zeros((0, HASHES), np.uint64), *profiles])
        starts = np.cumsum([0, *map(len, profiles)])[:-1]

        def scores(message: str) -> Floats:
            if not len(starts):
                return np.zeros(0, dtype=np.float32)
            near: Floats = (signatures == signature(message)).mean(axis=1, dtype=np.float32)
            found: Floats = np.maximum.reduceat(near, starts)
            return found

        return scores


def signature(text: str) -> Signature:
    """Returns the minimum of each hash over the 3-grams; without any, numbers that equal nothing."""
    plain = f" {' '.join(text[:LONGEST].lower().split())} "
    codes = np.frombuffer(plain.encode("utf-32-le", "replace"), dtype=np.uint32).astype(np.uint64)
    if len(codes) < 4:
        # Above the prime, where no hash lies.
        return np.arange(HASHES, dtype=np.uint64) + np.uint64(1 << 40)
    # Powers of 31, as string hashes have them: 961 is 31².
    grams = np.unique((codes[:-2] * np.uint64(961) + codes[1:-1] * np.uint64(31) + codes[2:]) % np.uint64(_PRIME))
    factors, offsets = _hashes()
    hashed: Signature = ((grams[:, None] * factors + offsets) % np.uint64(_PRIME)).min(axis=0)
    return hashed


def _hashes() -> tuple[Signature, Signature]:
    """Returns the 64 hash functions, the same in every process."""
    factors, offsets = np.random.default_rng(20260216).integers(1, _PRIME, size=(2, HASHES), dtype=np.uint64)
    return factors, offsets
