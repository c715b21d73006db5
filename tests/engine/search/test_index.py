"""What an index lacks is known without comparing everything anew, whatever other consoles did meanwhile."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import Cancelled, MemdeckError
from engine.search.indexing import update
from engine.search.indexing.index import NoteIndex
from engine.search.indexing.update import changes, known_files
from engine.search.store import schema
from engine.search.store.schema import Database
from engine.search.store.vault import Vault
from engine.workspace.values import Progress
from tests.engine.search.place import NONE, FullDisk, HashEmbedder, MakePlace, SearchPlace
from tests.turn import examples

Written = dict[str, str | None]
ROUNDS = st.lists(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["one", "two", None])), max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(15))
@given(rounds=ROUNDS)
def test_what_is_lacking_is_what_a_whole_comparison_finds(place: SearchPlace, rounds: list[Written]) -> None:
    for path in place.folder.rglob("*.md"):
        path.unlink()
    place.write("always.md", "here")
    mine = place.snapshot()
    index = NoteIndex(place.root, place.state)
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
    assert "memory.db has used up its numbers: it is rebuilt from the notes" in answer.degraded
    assert place.search("zebra", searcher=place.another()).degraded == ("by words alone: none here",)


def test_progress_counts_files_and_bytes_and_is_told_within_a_file_too(
    make_place: MakePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "BATCH_BYTES", 1)
    monkeypatch.setattr(update, "BATCH_TEXTS", 8)
    place = make_place(HashEmbedder())
    for number in range(3):
        lines = (f"## Part {part}\n\nword{part} and the common zebra {'x' * 300}\n" for part in range(30))
        place.write(f"n{number}.md", "\n".join(lines))
    steps: list[Progress] = []
    report = place.searcher.update(place.snapshot(), tick=steps.append)
    size = sum((place.folder / f"n{number}.md").stat().st_size for number in range(3))
    assert report.size == size and {step.total_size for step in steps} == {size}
    assert [step.size for step in steps] == sorted(step.size for step in steps)
    assert steps[0].size == 0 and steps[-1] == Progress("indexing", 3, 3, size, size)
    assert any(step.done == 0 and step.size > 0 for step in steps)


def test_what_was_committed_before_a_stop_is_not_read_again(
    make_place: MakePlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update, "BATCH_BYTES", 1)
    slow = HashEmbedder()
    place = make_place(slow)
    for number in range(6):
        place.write(f"n{number}.md", f"word{number} and the common zebra\n" * 50)

    def stop_in_the_third(step: Progress) -> None:
        if step.done == 2:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        place.searcher.update(place.snapshot(), tick=stop_in_the_third)
    slow.calls.clear()
    report = place.another().update(place.snapshot())
    assert (report.added, report.files, report.remarks) == (4, 6, ())
    assert not any("word0" in text or "word1" in text for text in slow.calls)


@pytest.mark.parametrize("left", [0, 5, 40, 120])
def test_a_full_disk_while_indexing_is_said_and_keeps_what_is_there(
    make_place: MakePlace, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    monkeypatch.setattr(update, "BATCH_BYTES", 1)
    place = make_place()
    place.write("first.md", "saffron")
    place.update()
    for number in range(6):
        place.write(f"n{number}.md", "\n\n".join(f"word{number}x{line} and the zebra" for line in range(6_000)))
    with monkeypatch.context() as patch:
        FullDisk(patch, left)
        with pytest.raises(MemdeckError, match="no space left"):
            place.update()
    database = Database.open(Vault(place.root, place.state), create=False)
    kept = known_files(database)
    database.close()
    assert "first.md" in kept
    report = place.another().update(place.snapshot())
    assert report.files == 7 and report.added == 7 - len(kept) and not report.remarks
