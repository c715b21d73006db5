"""What an index lacks is known without comparing everything anew, whatever other consoles did meanwhile."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.search.indexing.index import Index
from engine.search.indexing.update import changes, known_files
from engine.search.store import schema
from engine.search.store.schema import Database
from tests.engine.search.place import NONE, SearchPlace

Written = dict[str, str | None]
ROUNDS = st.lists(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["one", "two", None])), max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=15)
@given(rounds=ROUNDS)
def test_what_is_lacking_is_what_a_whole_comparison_finds(place: SearchPlace, rounds: list[Written]) -> None:
    for path in place.folder.rglob("*.md"):
        path.unlink()
    place.write("always.md", "here")
    mine = place.snapshot()
    index = Index(place.root, place.state)
    index.update(mine, NONE)
    for written in rounds:
        for name, text in written.items():
            path = place.folder / f"{name}.md"
            if text is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(text, encoding="utf-8")
        place.update()

        def same(database: Database) -> bool:
            with database.transaction():
                found = index._changes(database, mine)
                whole = changes(known_files(database), mine.files)
            assert found.paths == whole.paths and set(found.gone) == set(whole.gone) and found.new == whole.new
            return index._changes(database, mine) is found

        assert index.use(same)
    index.close()


def test_an_index_that_has_used_up_its_numbers_is_made_anew(
    place: SearchPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "MOST_NUMBERS", 10)
    for number in range(schema.HOLES + 4):
        place.write("a.md", f"zebra number{number}")
        assert place.update().remarks == ()
    answer = place.search("zebra", searcher=place.another())
    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert "memory.db has used up its numbers: it is made anew from the notes" in answer.degraded
    assert place.search("zebra", searcher=place.another()).degraded == ("by words alone: none here",)
