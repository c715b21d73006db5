"""The merges, and what each promises (decision D8)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.search.embedding.static import StaticEmbedder
from engine.search.ranking.merge import MERGES, FileEvidence
from engine.search.results.recency import TIE

shares = st.lists(st.integers(0, 1000).map(lambda share: share / 1000), min_size=1, max_size=8)


def scores(name: str, found: FileEvidence) -> NDArray[np.floating]:
    return MERGES[name](found).score


def evidence(best: list[float], cosine: list[float], *, complete: bool = False) -> FileEvidence:
    return FileEvidence(np.array(best), np.array(best), np.array(cosine), complete, StaticEmbedder.weight)


@given(shares, st.booleans(), st.sampled_from(sorted(MERGES)))
def test_d8_no_merge_zeroes_a_hit(best: list[float], complete: bool, name: str) -> None:
    found = scores(name, evidence(best, [0.0] * len(best), complete=complete))
    assert np.all(np.isfinite(found)) and np.all(found[np.array(best) > 0] > 0)


@given(shares, shares, st.sampled_from(sorted(MERGES)))
def test_more_of_both_never_ranks_lower(best: list[float], cosine: list[float], name: str) -> None:
    size = min(len(best), len(cosine))
    found = scores(name, evidence([*best[:size], 1.0], [*cosine[:size], 1.0]))
    assert found[-1] >= found[:-1].max() - (0.25 if name == "rrf" else 1e-9)  # equal values have ranks of their own


def test_d8_the_specifications_weights_stay_available() -> None:
    found = MERGES["specification"](evidence([1.0, 0.5], [0.0, 1.0]))
    assert found.words == pytest.approx([0.4, 0.2]) and found.meaning == pytest.approx([0.0, 0.6])
    assert found.score == pytest.approx([0.4, 0.8])


def test_words_decide_where_a_chunk_holds_them_all() -> None:
    keyword = scores("adaptive", evidence([1.0, 0.6], [0.1, 0.9], complete=True))
    asked = scores("adaptive", evidence([1.0, 0.6], [0.1, 0.9]))
    assert keyword[0] > keyword[1] and asked[1] > asked[0]


def test_fused_ranks_are_far_enough_apart_that_the_next_one_is_no_tie() -> None:
    found = scores("rrf", evidence([1 - n / 100 for n in range(50)], [0.0] * 50))
    assert found[0] == 1 and min(-np.diff(np.round(found, TIE))) > 0
