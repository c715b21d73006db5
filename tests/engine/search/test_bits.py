"""Candidates by signs: read from sqlite-vec at once, kept up with what changes, and exact after rescoring."""

import numpy as np
import pytest

from engine.search.ranking import ranker
from engine.search.store.schema import Database
from engine.search.store.vault import Vault
from engine.search.values import Category
from engine.search.vectors import signs
from engine.search.vectors import signs as bits_module
from engine.search.vectors.layout import Matrix, exact, layout
from engine.search.vectors.signs import Bits
from tests.engine.search.place import HashEmbedder, MakePlace, SearchPlace


@pytest.fixture
def many(make_place: MakePlace, monkeypatch: pytest.MonkeyPatch) -> SearchPlace:
    """A place where thirty chunks are very many."""
    monkeypatch.setattr(signs, "LIVE", 30 * 64)
    place = make_place(HashEmbedder())
    for number in range(80):
        place.write(f"n{number}.md", f"# N\n\nword{number} word{number % 7} zebra\n\n## M\n\nother{number} thing\n")
    place.update()
    return place


def opened(place: SearchPlace) -> Database:
    return Database.open(Vault(place.root, place.state), create=False)


def bits_of(database: Database, place: SearchPlace) -> Bits:
    mean = signs.signs_of(database, place.embedder.id)  # type: ignore[union-attr]
    assert mean is not None
    bits = Bits(place.embedder.id, mean)  # type: ignore[union-attr]
    bits.refresh(database, layout(database))
    return bits


def test_few_chunks_have_no_signs_on_disk(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder())
    place.write("a.md", "zebra")
    place.update()
    database = opened(place)
    assert signs.signs_of(database, "hash") is None
    assert database.rows("SELECT name FROM sqlite_schema WHERE name = 'coarse'") == []
    database.close()


def test_the_blocks_of_sqlite_vec_hold_what_its_rows_hold(many: SearchPlace) -> None:
    (many.folder / "n5.md").unlink()
    many.update()
    database = opened(many)
    found = signs.all_signs(database, 64)
    assert found is not None
    mine = {int(chunk): words.tobytes() for chunk, words in zip(*found, strict=True)}
    assert mine == dict(database.rows("SELECT rowid, bits FROM coarse"))
    assert len(mine) == 158
    database.close()


def test_signs_are_the_same_whether_read_from_blocks_or_made_from_vectors(
    many: SearchPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = opened(many)
    quick = bits_of(database, many)
    monkeypatch.setattr(signs, "all_signs", lambda *_: None)
    slow = bits_of(database, many)
    one, other = (dict(zip(bits.ids.tolist(), map(bytes, bits.rows), strict=True)) for bits in (quick, slow))
    assert one == other and len(one) == 160
    database.close()


def test_chunks_chosen_by_signs_and_compared_exactly_are_those_of_the_matrix(many: SearchPlace) -> None:
    """With fewer chunks than candidates nothing is left out: both ways give the same cosines."""
    database = opened(many)
    where, bits = layout(database), bits_of(database, many)
    matrix = Matrix("hash", 64, centred=True)
    matrix.refresh(database, where)
    matrix._mean = bits.mean
    matrix._centre()
    for text in ("word3 zebra", "other17", "thing", "nothing known"):
        query = HashEmbedder().embed([text])[0]
        chosen = bits.nearest(query, 160)
        found = exact(database, where, "hash", query, chosen, bits.mean)
        assert len(found.ids) == 160
        whole = dict(zip(matrix.ids.tolist(), matrix.cosines(query).tolist(), strict=True))
        assert found.cosines == pytest.approx([whole[chunk] for chunk in found.ids.tolist()], abs=1e-5)
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


def test_of_each_file_the_nearest_chunks_are_chosen(many: SearchPlace) -> None:
    database = opened(many)
    where, bits = layout(database), bits_of(database, many)
    query = HashEmbedder().embed(["word3 zebra"])[0]
    places = np.array([3, 10, 17])
    chunks, owners = where.chunks_of(places)
    assert sorted(bits.likeliest(query, chunks, owners, 2)) == sorted(chunks.tolist()) and len(chunks) == 6
    best = bits.likeliest(query, chunks, owners, 1)
    assert where.files_of(np.array(best)).tolist() == places.tolist()
    order = bits.nearest(query, 160)
    for mine, two in zip(best, chunks.reshape(3, 2).tolist(), strict=True):
        assert order.index(mine) == min(map(order.index, two))
    assert bits.likeliest(query, np.array([10_000]), np.array([0]), 1) == []
    database.close()


def test_vectors_that_come_late_are_kept_in_order(make_place: MakePlace) -> None:
    place = make_place(HashEmbedder(quick=False))
    for number in range(20):
        place.write(f"n{number}.md", f"word{number} thing")
    place.update()
    database = opened(place)
    matrix = Matrix("hash", 64, centred=False)
    matrix.refresh(database, layout(database))
    whole = matrix.rows.copy()
    with database.transaction(write=True):
        held = database.rows("SELECT * FROM vectors WHERE file = 4")[0]
        database.rows("DELETE FROM vectors WHERE file = 4")
    matrix.refresh(database, layout(database))
    assert len(matrix.ids) == 19
    with database.transaction(write=True):
        database.rows("INSERT INTO vectors VALUES (?, ?, ?)", held)
    matrix.refresh(database, layout(database))
    assert matrix.ids.tolist() == list(range(1, 21)) and np.array_equal(matrix.rows, whole)
    database.close()


def test_each_question_is_answered_from_memory_and_alike(many: SearchPlace) -> None:
    answers = [many.search("zebra word3") for _ in range(3)]
    assert answers[0].hits == answers[1].hits == answers[2].hits
    assert isinstance(many.searcher._asker._kept, Bits)
    many.write("late.md", "word3 zebra of late")
    assert "late.md" in [hit.path for hit in many.search("zebra late").hits]


def test_a_vector_that_says_nothing_and_no_vectors_at_all() -> None:
    bits = Bits("m", np.zeros(64, np.float32))
    assert bits.nearest(np.ones(64, np.float32), 5) == []


def test_a_rare_category_is_answered_though_others_are_nearer(
    many: SearchPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Candidates are chosen among what the filter allows: no word of the query is in the one note there."""
    monkeypatch.setattr(ranker, "CANDIDATES", 2)
    monkeypatch.setattr(bits_module, "ROUGH", 1)
    many.write("knowledge/people/p.md", "# P\n\nsomebody who likes a zebra\n\n# Q\n\nword3 of hers\n")
    many.write("knowledge/procedures/q.md", "# Q\n\nthe thing to do\n")
    assert [hit.path for hit in many.search("word3 zebra", category=Category.PERSON).hits] == ["knowledge/people/p.md"]
    found = many.search("word3 zebra", category=Category.PERSON, merge="meaning").hits
    assert [hit.path for hit in found] == ["knowledge/people/p.md"] and found[0].vector is not None
    near = many.search("word4 thing", category=Category.PROCEDURE, merge="meaning").hits
    assert near[0].path == "knowledge/procedures/q.md" and near[0].vector is not None


def test_signs_that_may_not_be_chosen_are_not(many: SearchPlace) -> None:
    database = opened(many)
    bits = bits_of(database, many)
    query = HashEmbedder().embed(["word3 zebra"])[0]
    among = np.zeros(len(bits.ids), bool)
    among[[4, 9]] = True
    assert sorted(bits.nearest(query, 160, among)) == bits.ids[[4, 9]].tolist()
    assert bits.nearest(query, 160, among & False) == []
    database.close()
