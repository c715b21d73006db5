"""Since you last looked: what the agent did counts, what we did does not."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import Damaged
from engine.monitoring.agent_changes import AgentAction, AgentChangeLog, SinceLook, places_of
from engine.monitoring.last_look import LARGEST_TEXT, SeenNote, SeenStore
from engine.text.tokens import counter
from engine.workspace.scanner import Scanner
from engine.workspace.snapshot import Snapshot
from tests.engine.plans.rig import Rig, append, create, move
from tests.turn import examples

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
NOTE = "memory/working/a.md"


@dataclass
class Watched:
    """A workspace with an operator who looks at it now and then."""

    rig: Rig
    scanner: Scanner
    lookout: AgentChangeLog

    def snapshot(self) -> Snapshot:
        return self.scanner.scan(NOW)

    def looks(self) -> None:
        self.lookout.looked(self.snapshot(), tuple(self.rig.ctx.operations.walk()), NOW)

    def since(self) -> SinceLook:
        return self.lookout.since(self.snapshot(), tuple(self.rig.ctx.operations.walk()))

    def told(self) -> list[tuple[str, str]]:
        return [(change.path, change.did.value) for change in self.since().changes]

    def diff_texts(self) -> list[tuple[str, list[str]]]:
        """Path and changed lines of everything that is told."""
        places = places_of(self.snapshot())
        diffs = [self.lookout.diff(change, places) for change in self.since().changes]
        signs = {"added": "+", "removed": "-"}
        return [
            (diff.path, [signs[row.kind] + row.text for row in diff.rows if row.kind.value in signs] or [diff.note])
            for diff in diffs
        ]

    def store_anew(self, **more: int) -> None:
        """As another process would open it."""
        file = self.lookout.store.file
        self.lookout.store.close()
        self.lookout = AgentChangeLog(SeenStore(file, **more), self.rig.ctx.root.read, self.rig.ctx.displaced.get)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    rig = Rig(tmp_path / "agent", tmp_path / "state")
    rig.write(NOTE, "one\ntwo\n")
    rig.write("memory/working/b.md", "b\n")
    scanner = Scanner(rig.ctx.root, cache_file=tmp_path / "cache", counter=counter("words*1.3"), zone="UTC")
    store = SeenStore(rig.ctx.state.path / "seen.db")
    yield Watched(rig, scanner, AgentChangeLog(store, rig.ctx.root.read, rig.ctx.displaced.get))
    store.close()


def test_who_never_looked_is_told_nothing_and_leaves_no_file(watched: Watched) -> None:
    assert watched.since() == SinceLook(looked_at=None)
    assert not watched.lookout.store.begun


def test_only_what_was_on_screen_counts_as_seen(watched: Watched) -> None:
    """The agent writes on while the operator presses the key: that was not seen."""
    watched.looks()
    watched.rig.write(NOTE, "one\nTWO\n")
    shown = watched.since().changes
    watched.rig.write(NOTE, "one\nTWO\nthree\n")
    watched.rig.write("memory/working/new.md", "fresh\n")
    watched.lookout.looked(watched.snapshot(), tuple(watched.rig.ctx.operations.walk()), NOW, shown)
    assert watched.diff_texts() == [(NOTE, ["-two", "+TWO", "+three"]), ("memory/working/new.md", ["+fresh"])]
    watched.lookout.looked(watched.snapshot(), tuple(watched.rig.ctx.operations.walk()), NOW, watched.since().changes)
    assert watched.told() == []


def test_a_step_that_was_not_on_screen_stays_with_both_its_texts(watched: Watched) -> None:
    watched.looks()
    shown = watched.since().changes
    watched.rig.write(NOTE, "one\nTWO\n")
    watched.rig.apply(append(1, NOTE, "ours\n"))
    watched.lookout.looked(watched.snapshot(), tuple(watched.rig.ctx.operations.walk()), NOW, shown)
    assert watched.diff_texts() == [(NOTE, ["-two", "+TWO"])]
    watched.lookout.looked(watched.snapshot(), tuple(watched.rig.ctx.operations.walk()), NOW, watched.since().changes)
    assert watched.told() == []


def test_the_first_look_takes_everything_whatever_was_on_screen(watched: Watched) -> None:
    watched.lookout.looked(watched.snapshot(), (), NOW, ())
    assert watched.told() == []


def test_what_the_agent_did_is_told_with_its_lines(watched: Watched) -> None:
    watched.looks()
    assert watched.told() == []
    watched.rig.write(NOTE, "one\nTWO\n")
    watched.rig.write("memory/working/new.md", "fresh\n")
    (watched.rig.folder / "memory/working/b.md").unlink()
    assert watched.diff_texts() == [
        (NOTE, ["-two", "+TWO"]),
        ("memory/working/b.md", ["-b"]),
        ("memory/working/new.md", ["+fresh"]),
    ]
    since = watched.since()
    assert since.looked_at == NOW
    assert [since.count(did) for did in AgentAction] == [1, 1, 1]
    watched.looks()
    assert watched.told() == []


def test_what_was_changed_back_is_no_change(watched: Watched) -> None:
    watched.looks()
    watched.rig.write(NOTE, "x\n")
    watched.rig.write(NOTE, "one\ntwo\n")
    assert watched.told() == []


def test_our_own_operations_do_not_count(watched: Watched) -> None:
    watched.looks()
    watched.rig.apply(
        create(1, "memory/episodic/a.md", "sum\n"),
        move(2, NOTE, "memory/archive/a.md"),
        append(3, "memory/working/b.md", "more\n"),
    )
    assert watched.told() == []
    watched.rig.undo()
    assert watched.told() == []


def test_the_agents_hand_is_seen_on_both_sides_of_ours(watched: Watched) -> None:
    watched.looks()
    watched.rig.write("memory/working/b.md", "b\nagent before\n")
    watched.rig.apply(append(1, "memory/working/b.md", "ours\n"))
    watched.lookout.take_in(tuple(watched.rig.ctx.operations.walk()))
    watched.rig.write("memory/working/b.md", "b\nagent before\nours\nagent after\n")
    assert watched.diff_texts() == [
        ("memory/working/b.md", ["+agent before"]),
        ("memory/working/b.md", ["+agent after"]),
    ]
    assert [change.later for change in watched.since().changes] == [True, False]


def test_a_note_the_agent_wrote_and_we_archived_is_shown_from_where_it_lies(watched: Watched) -> None:
    watched.looks()
    watched.rig.write("memory/working/new.md", "fresh\n")
    watched.rig.apply(move(1, "memory/working/new.md", "memory/archive/new.md"))
    assert watched.diff_texts() == [("memory/working/new.md", ["+fresh"])]


def test_large_notes_are_only_named_with_their_sizes(watched: Watched) -> None:
    big = "x" * LARGEST_TEXT + "\n"
    watched.rig.write(NOTE, big)
    watched.looks()
    watched.rig.write(NOTE, big + "y\n")
    ((_, (note,)),) = watched.diff_texts()
    assert "262,145 → 262,147 bytes" in note


def test_no_more_is_kept_than_the_bound(watched: Watched) -> None:
    watched.store_anew(most_bytes=10)
    watched.rig.write("memory/working/c.md", "c" * 9)
    watched.looks()
    kept = [watched.lookout.store.holds(note.sha256) for note in watched.lookout.store.notes().values()]
    assert kept.count(True) < len(kept) == 3
    watched.rig.write("memory/working/c.md", "d\n")
    assert watched.told() == [("memory/working/c.md", "changed")]


def test_only_what_changed_is_read(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.looks()
    read: list[str] = []
    real = watched.rig.ctx.root.read

    def reading(path: str) -> bytes:
        read.append(path)
        return real(path)

    monkeypatch.setattr(watched.lookout, "_read", reading)
    watched.rig.write(NOTE, "other\n")
    watched.since()
    watched.looks()
    assert read == [NOTE]


def test_texts_that_nobody_needs_are_let_go_of(watched: Watched) -> None:
    watched.looks()
    old = watched.lookout.store.note(NOTE)
    watched.rig.write(NOTE, "other\n")
    watched.looks()
    assert old is not None and not watched.lookout.store.holds(old.sha256)


def test_a_note_that_is_no_text_any_more_was_changed_and_one_behind_a_link_was_not(watched: Watched) -> None:
    watched.looks()
    watched.rig.write(NOTE, b"\xff\xfe\x00")
    assert watched.told() == [(NOTE, "changed")]
    watched.looks()
    assert watched.told() == []
    (watched.rig.folder / NOTE).unlink()
    (watched.rig.folder / NOTE).symlink_to(watched.rig.folder / "MEMORY.md")
    assert watched.told() == []


def test_it_is_private_and_follows_no_link(watched: Watched, tmp_path: Path) -> None:
    watched.looks()
    assert watched.lookout.store.file.stat().st_mode & 0o777 == 0o600
    watched.store_anew()
    target = tmp_path / "target"
    target.write_bytes(b"mine")
    watched.lookout.store.file.unlink()
    watched.lookout.store.file.symlink_to(target)
    with pytest.raises(OSError, match="link"):
        watched.looks()
    assert target.read_bytes() == b"mine"


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.integers(0, 20_000))
def test_a_damaged_store_begins_anew_and_says_nothing_false(watched: Watched, junk: bytes, at: int) -> None:
    """Whatever the bytes: either it still knows, or it knows nothing; after the next look all is well."""
    watched.store_anew()
    watched.looks()
    watched.lookout.store.close()
    file = watched.lookout.store.file
    data = file.read_bytes()
    file.write_bytes(data[:at] + junk + data[at + len(junk) :])
    try:
        since = watched.since()
        assert since.looked_at is None or since.looked_at.tzinfo is not None
        watched.lookout.store.close()
        watched.looks()
    except OSError:
        watched.looks()
    watched.store_anew()
    assert watched.told() == [] and watched.since().looked_at == NOW


def test_displaced_bytes_that_are_lost_cost_the_diff_alone(watched: Watched) -> None:
    watched.looks()
    watched.rig.write("memory/working/b.md", "agent\n")
    watched.rig.apply(append(1, "memory/working/b.md", "ours\n"))
    before = watched.since().changes[0].after
    assert before is not None

    def lost(sha256: str) -> bytes:
        raise Damaged("gone", where=sha256)

    watched.lookout._displaced = lost
    ((_, (note,)),) = watched.diff_texts()
    assert note.startswith("not shown")


def test_a_store_that_another_console_made_anew_is_the_one_that_is_used(watched: Watched) -> None:
    """A forget removes the file while this console has it open, and a look of the other one makes it again."""
    watched.looks()
    store = watched.lookout.store
    store.file.unlink()
    other = SeenStore(store.file)
    other.look(NOW, {NOTE: SeenNote("0" * 64, 1)}, (), "")
    assert store.notes() == other.notes()
    watched.looks()
    assert len(other.notes()) == len(store.notes()) == 2
    other.close()


def test_who_closes_it_waits_for_a_question_under_way(watched: Watched) -> None:
    """A console that was left while its reader asked ended with SQLite's error of a busy connection."""
    store = watched.lookout.store
    notes = {f"memory/n{number}.md": SeenNote("0" * 64, 1) for number in range(3_000)}
    store.look(NOW, notes, (), "")
    done, answers = Event(), list[int]()

    def ask() -> None:
        while not done.is_set():
            answers.append(len(store.notes()))

    asking = Thread(target=ask)
    asking.start()
    try:
        while len(answers) < 30:
            store.close()
    finally:
        done.set()
        asking.join()
    assert set(answers) == {3_000}
