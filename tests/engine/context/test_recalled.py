"""Hits of a search on their way into a prompt: which of their places come in, and in which order."""

from hypothesis import given
from hypothesis import strategies as st

from engine.context.compile.recalled import MOST_PIECES, best_places
from engine.search.values import Category, HitPiece, SearchHit

SCORES = st.floats(0, 3, allow_nan=False)
PIECES = st.lists(st.builds(HitPiece, st.integers(1, 50), st.integers(51, 99), SCORES), max_size=4).map(tuple)


def hit(path: str, score: float, pieces: tuple[HitPiece, ...]) -> SearchHit:
    return SearchHit(
        path=path,
        category=Category.REFERENCE,
        title="",
        line=1,
        end_line=2,
        score=score,
        bm25=0,
        vector=None,
        snippet="",
        pieces=pieces,
    )


@given(st.lists(st.tuples(SCORES, PIECES), max_size=30), st.sets(st.integers(0, 29)))
def test_the_best_places_come_first_and_a_refused_hit_is_named_once(
    drawn: list[tuple[float, tuple[HitPiece, ...]]], refused: set[int]
) -> None:
    hits = [hit(f"{number}.md", score, pieces) for number, (score, pieces) in enumerate(drawn)]
    refusals = {f"{number}.md": "it is private" if number in refused else "" for number in range(len(hits))}
    found = best_places(hits, refusals)
    wanted = [len(one.pieces) if one.pieces and not refusals[one.path] else 1 for one in hits]
    assert len(found) == min(sum(wanted), MOST_PIECES)
    assert [place.score for _, place in found] == sorted((place.score for _, place in found), reverse=True)
    assert all(place in one.pieces or place == HitPiece(1, 2, one.score) for one, place in found)
