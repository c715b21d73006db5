"""Candidates by signs: in memory the same as in sqlite-vec, kept up with what changes, and exact after rescoring."""

import numpy as np
import pytest

from engine.search import coarse
from engine.search.bits import Bits
from engine.search.schema import Database
from engine.search.vault import Vault
from engine.search.vectors import layout
from tests.engine.search.place import HashEmbedder, MakePlace, SearchPlace


@pytest.fixture
def many(make_place: MakePlace, monkeypatch: pytest.MonkeyPatch) -> SearchPlace:
    """A place where thirty chunks are very many."""
    monkeypatch.setattr(coarse, "LIVE", 30)
    place = make_place(HashEmbedder())
    for number in range(80):
        place.write(f"n{number}.md", f"# N\n\nword{number} word{number % 7} zebra\n\n## M\n\nother{number} thing\n")
    place.update()
    return place


def opened(place: SearchPlace) -> Database:
    return Database.open(Vault(place.root, place.state), create=False)


def bits_of(database: Database, place: SearchPlace) -> Bits:
    mean = coarse.signs_of(database, place.embedder.id)  # type: ignore[union-attr]
    assert mean is not None
    bits = Bits(place.embedder.id, mean)  # type: ignore[union-attr]
    bits.refresh(database, layout(database))
    return bits


def test_few_chunks_have_no_signs_on_disk(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder())
    place.write("a.md", "zebra")
    place.update()
    database = opened(place)
    assert coarse.signs_of(database, "hash") is None
    assert database.rows("SELECT name FROM sqlite_schema WHERE name = 'coarse'") == []
    database.close()


def test_memory_and_sqlite_vec_choose_the_same(many: SearchPlace) -> None:
    database = opened(many)
    bits = bits_of(database, many)
    embedder = HashEmbedder()
    for text in ("word3 zebra", "other17", "thing", "nothing known"):
        query = embedder.embed([text])[0]
        apart = {chunk: n for n, chunk in enumerate(coarse.nearest(database, "hash", query, 160))}
        mine = bits.nearest(query, 160)
        assert len(mine) == 160 and set(mine) == set(apart)
        assert mine[0] in list(apart)[:8]
    database.close()


def test_what_changes_is_taken_in_and_out(many: SearchPlace) -> None:
    database = opened(many)
    bits = bits_of(database, many)
    many.write("n3.md", "# N\n\nsaffron alone\n")
    (many.folder / "n5.md").unlink()
    many.update()
    bits.refresh(database, layout(database))
    fresh = bits_of(database, many)
    query = HashEmbedder().embed(["saffron alone"])[0]
    assert bits.nearest(query, 200) == fresh.nearest(query, 200)
    assert len(bits.nearest(query, 200)) == 157
    database.close()


def test_the_second_question_is_answered_from_memory_and_alike(many: SearchPlace) -> None:
    answers = [many.search("zebra word3") for _ in range(3)]
    assert answers[0].hits == answers[1].hits == answers[2].hits
    asker = many.searcher._asker
    assert asker._bits is not None
    many.write("late.md", "word3 zebra of late")
    assert "late.md" in [hit.path for hit in many.search("zebra late").hits]


def test_a_vector_that_says_nothing_and_no_vectors_at_all() -> None:
    bits = Bits("m", np.zeros(64, np.float32))
    assert bits.nearest(np.ones(64, np.float32), 5) == []
