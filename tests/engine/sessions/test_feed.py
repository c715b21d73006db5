"""Session files that grow, are cut, renamed and replaced: nothing is lost, nothing is heard twice."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.sessions.feed import MOST_OPEN, Begin, Feed
from engine.sessions.folder import SessionFolder
from engine.sessions.messages import LineProblem
from engine.sessions.tail import FileChange
from engine.workspace.paths import WorkspaceRoot
from tests.engine.sessions.rig import Rig, add, claude, openclaw, turns


def test_what_is_added_is_heard_once_and_in_order(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    add(file, claude("first"))
    rig = Rig(file)
    assert rig.texts() == ["first"]
    add(file, claude("second") + claude("third"))
    assert rig.texts() == ["second", "third"]
    assert rig.texts() == []


def test_a_folder_is_followed_from_its_end_and_a_new_file_from_its_start(tmp_path: Path) -> None:
    add(tmp_path / "old.jsonl", claude("long ago"))
    rig = Rig(tmp_path)
    assert rig.texts() == []
    add(tmp_path / "old.jsonl", claude("now"))
    add(tmp_path / "new.jsonl", openclaw("hello"))
    assert sorted(rig.texts()) == ["hello", "now"]
    assert rig.last.files == 2


def test_a_line_that_was_half_there_at_the_beginning_is_heard_whole(tmp_path: Path) -> None:
    file = tmp_path / "old.jsonl"
    line = claude("half of it was there")
    add(file, claude("before") + line[:20])
    rig = Rig(tmp_path)
    assert rig.texts() == []
    add(file, line[20:])
    assert rig.texts() == ["half of it was there"]


def test_a_line_that_comes_in_pieces_is_one_message(tmp_path: Path) -> None:
    file, line = tmp_path / "s.jsonl", claude("piece by piece")
    rig = Rig(tmp_path)
    rig.poll()
    for start in range(0, len(line), 7):
        add(file, line[start : start + 7])
        rig.poll()
        assert not rig.last.heard or start + 7 >= len(line)
    assert [heard.message.text for heard in rig.last.heard] + rig.texts() == ["piece by piece"]


def test_a_restart_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, store = tmp_path / "sessions", tmp_path / "marks.json"
    folder.mkdir()
    add(folder / "a.jsonl", claude("one"))
    rig = Rig(folder, begin=Begin.START, store=store)
    assert rig.texts() == ["one"]
    rig.end()
    add(folder / "a.jsonl", claude("two"))
    add(folder / "b.jsonl", claude("of another"))
    again = Rig(folder, store=store)
    assert sorted(again.texts()) == ["of another", "two"]
    again.end()
    assert Rig(folder, store=store).texts() == []


def test_what_was_read_and_not_handed_on_is_heard_after_a_restart(tmp_path: Path) -> None:
    file, store = tmp_path / "a.jsonl", tmp_path / "marks"
    add(file, "".join(claude(f"m{n}") for n in range(20)))
    rig = Rig(file, store=store)
    first = [heard.message.text for heard in rig.poll(most=5).heard]
    rig.end()
    assert first + Rig(file, store=store).texts() == [f"m{n}" for n in range(20)]


def test_a_transcript_goes_on_after_a_restart_in_the_middle_of_it(tmp_path: Path) -> None:
    file, store = tmp_path / "0900-ses_1-x.md", tmp_path / "marks"
    add(file, turns(("user", "one"), ("agent", "two")))
    rig = Rig(file, store=store)
    assert rig.texts() == ["one", "two"]
    rig.end()
    add(file, "\n## 09:05 — user\nthree\n")
    again = Rig(file, store=store)
    assert again.texts() == ["three"]
    add(file, "\n## 09:06 — agent\nfour\n")
    assert again.texts() == ["four"]


def test_a_damaged_database_of_marks_replays_nothing(tmp_path: Path) -> None:
    folder, store = tmp_path / "sessions", tmp_path / "marks"
    folder.mkdir()
    add(folder / "a.jsonl", claude("one"))
    store.mkdir()
    (store / "state.db").write_bytes(b"\x00\xff{")
    rig = Rig(folder, store=store)
    assert rig.texts() == []
    rig.end()
    assert (store / "state.db").read_bytes() == b"\x00\xff{", "it is left for `recover`"


def test_a_file_cut_short_is_read_from_its_start(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    add(file, claude("one") + claude("two"))
    rig = Rig(file)
    assert rig.texts() == ["one", "two"]
    file.write_text(claude("3"))
    assert rig.texts() == ["3"]
    assert rig.last.changes == {FileChange.TRUNCATED: 1}


def test_what_was_cut_off_before_it_was_read_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    lines = [claude(f"message {n} {'x' * 500}") for n in range(400)]
    add(file, lines[0])
    rig = Rig(file)
    assert len(rig.texts()) == 1
    add(file, "".join(lines[1:]))
    seen = rig.poll(most=1)
    unread = seen.pending
    assert unread > 0 and seen.lost == 0
    file.write_text(claude("after the cut"))
    assert rig.texts()[-1] == "after the cut"
    assert rig.last.lost >= unread and rig.last.changes == {FileChange.TRUNCATED: 1}


def test_a_cut_behind_the_place_read_up_to_loses_the_rest_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    lines = [claude(f"message {n} {'x' * 500}") for n in range(400)]
    add(file, "".join(lines))
    rig = Rig(file)
    heard = [one.message.text for one in rig.poll(most=1).heard]
    kept = len("".join(lines[:300]))
    with file.open("r+b") as stream:
        stream.truncate(kept)
    heard += rig.texts()
    assert len(heard) == 300 and len(set(heard)) == 300
    assert rig.last.lost == len("".join(lines)) - kept
    assert rig.last.changes == {FileChange.SHORTENED: 1}


def test_a_file_cut_after_it_was_read_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    add(file, claude("one") + claude("two"))
    rig = Rig(file)
    rig.texts()
    file.write_text(claude("3"))
    rig.texts()
    assert rig.last.lost == 0


def test_a_file_written_anew_and_longer_is_read_from_its_start(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    add(file, claude("one"))
    rig = Rig(file)
    assert rig.texts() == ["one"]
    file.write_text(claude("another") + claude("and one more"))
    assert rig.texts() == ["another", "and one more"]
    assert rig.last.changes == {FileChange.REWRITTEN: 1}


def test_a_rotated_file_is_read_to_its_end_and_the_new_one_from_its_start(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    add(file, claude("one"))
    rig = Rig(file)
    assert rig.texts() == ["one"]
    add(file, claude("last of the old").rstrip("\n"))
    file.rename(tmp_path / "s.jsonl.1")
    add(file, claude("first of the new"))
    assert rig.texts() == ["last of the old", "first of the new"]


def test_a_renamed_file_is_not_heard_twice(tmp_path: Path) -> None:
    add(tmp_path / "a.jsonl", claude("one"))
    rig = Rig(tmp_path, begin=Begin.START)
    assert rig.texts() == ["one"]
    (tmp_path / "a.jsonl").rename(tmp_path / "b.jsonl")
    add(tmp_path / "b.jsonl", claude("two"))
    add(tmp_path / "a.jsonl", claude("new a"))
    assert sorted(rig.texts()) == ["new a", "two"]


def test_a_session_copied_into_another_file_is_not_heard_twice(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.poll()
    add(tmp_path / "a.jsonl", claude("one", uuid="u-1"))
    add(tmp_path / "b.jsonl", claude("one", uuid="u-1") + claude("two", uuid="u-2"))
    assert sorted(rig.texts()) == ["one", "two"]


def test_two_that_say_the_same_are_two_messages(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.poll()
    add(tmp_path / "a.jsonl", claude("yes") + claude("yes"))
    assert rig.texts() == ["yes", "yes"]


def test_a_file_that_goes_and_comes_back_is_followed_again(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    add(file, claude("one"))
    rig = Rig(tmp_path, begin=Begin.START)
    assert rig.texts() == ["one"]
    file.unlink()
    assert rig.texts() == []
    assert rig.last.files == 0
    add(file, claude("again"))
    assert rig.texts() == ["again"]


def test_malformed_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    bad = [b"{", b"\xff\xfe\x00", b"[1,2]", b'"text"', b"{" * 3000, b'{"type":"user","message":7}', b'{"a":"\\ud800"}x']
    add(file, b"\n".join(bad) + b"\n\n" + claude("good").encode())
    rig = Rig(file)
    assert rig.texts() == ["good"]
    assert rig.last.skipped == {LineProblem.NOT_JSON: 4, LineProblem.NOT_AN_OBJECT: 2, LineProblem.NO_MESSAGE: 1}


def test_a_huge_line_is_dropped_without_being_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "engine.sessions.line_buffer.LineBuffer.__init__.__kwdefaults__", {"number": None, "longest": 1000}
    )
    file = tmp_path / "s.jsonl"
    add(file, claude("x" * 300_000) + claude("after it"))
    rig = Rig(file)
    assert rig.texts() == ["after it"]
    assert rig.last.skipped == {LineProblem.TOO_LONG: 1}


def test_links_are_never_followed_g15(tmp_path: Path) -> None:
    folder, outside = tmp_path / "sessions", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    add(outside / "secret.jsonl", claude("a secret"))
    (folder / "link.jsonl").symlink_to(outside / "secret.jsonl")
    (folder / "linked").symlink_to(outside)
    os.mkfifo(folder / "pipe.jsonl")
    add(folder / "real.jsonl", claude("mine"))
    rig = Rig(folder, begin=Begin.START)
    assert rig.texts() == ["mine"]
    (folder / "real.jsonl").unlink()
    (folder / "real.jsonl").symlink_to(outside / "secret.jsonl")
    assert rig.texts() == []


def test_a_place_that_is_named_may_be_a_link_and_must_be_there(tmp_path: Path) -> None:
    add(tmp_path / "s.jsonl", claude("one"))
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "s.jsonl")
    assert Rig(tmp_path / "link.jsonl").texts() == ["one"]
    with pytest.raises(UsageError):
        SessionFolder.open(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError):
        SessionFolder.open(tmp_path / "pipe")


def test_lag_is_how_long_the_oldest_message_has_been_there(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    add(file, "".join(claude(f"m{n}") for n in range(100)))
    rig = Rig(file)
    assert rig.poll(most=10, seconds=1).lag == timedelta(0)
    assert rig.poll(most=10, seconds=1).lag == timedelta(seconds=1)
    assert rig.poll(most=10, seconds=1).lag == timedelta(seconds=2)
    while rig.poll(most=10).behind:
        pass
    assert rig.last.lag == timedelta(0)
    assert rig.last.pending == 0


def test_every_file_has_its_turn(tmp_path: Path) -> None:
    add(tmp_path / "loud.jsonl", "".join(claude(f"loud {n}") for n in range(3000)))
    add(tmp_path / "quiet.jsonl", claude("quiet"))
    rig = Rig(tmp_path, begin=Begin.START)
    assert "quiet" in [heard.message.text for heard in rig.poll(most=100).heard]


def test_more_files_than_may_be_open_are_all_heard(tmp_path: Path) -> None:
    count = 3 * MOST_OPEN
    for number in range(count):
        add(tmp_path / f"{number}.jsonl", claude(f"m{number}"))
    rig = Rig(tmp_path, begin=Begin.START)
    assert sorted(rig.texts()) == sorted(f"m{number}" for number in range(count))
    for number in range(count):
        add(tmp_path / f"{number}.jsonl", claude(f"again {number}"))
    assert len(rig.texts()) == count


def test_a_folder_that_comes_later_is_followed(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.feed = Feed((SessionFolder(WorkspaceRoot.open(tmp_path), "raw/conversations"),))
    assert rig.texts() == []
    day = tmp_path / "raw/conversations/2026/03/15"
    day.mkdir(parents=True)
    add(day / "0900-ses_1-x.md", turns(("user", "hello")))
    assert rig.texts() == ["hello"]


def test_a_restart_after_the_file_was_replaced_reads_the_new_one_whole(tmp_path: Path) -> None:
    folder, store = tmp_path / "sessions", tmp_path / "marks"
    folder.mkdir()
    file = folder / "a.jsonl"
    add(file, claude("one") + claude("two"))
    rig = Rig(folder, begin=Begin.START, store=store)
    assert rig.texts() == ["one", "two"]
    rig.end()
    file.write_text(claude("ONE") + claude("TWO") + claude("THREE"))
    assert Rig(folder, store=store).texts() == ["ONE", "TWO", "THREE"]
