"""Recall answers from git, from our operations and from what was seen, and says from which (decision D50)."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.errors import Refused, UsageError
from engine.monitoring.last_look import SeenStore
from engine.monitoring.recall.blame import OriginKind, blame
from engine.monitoring.recall.occurrences import occurrences
from engine.monitoring.recall.past_tree import contents, differing, diffs, present_tree, tree_at
from engine.monitoring.recall.timeline import Sources, Teller, timeline
from engine.services.engine import Engine
from engine.services.planned_workspace import past_folder
from engine.sessions.folder import SessionFolder
from engine.sessions.written_files import file_edits
from tests.engine.history.repos import found, git, hostile, make_repo, write
from tests.engine.plans.rig import Rig, append, create, move
from tui.present.history.recall_words import occurrence_words

NOTE = "memory/working/a.md"


def sources(rig: Rig, *, git_there: bool = False) -> Sources:
    return Sources(
        repository=found(rig.folder) if git_there else None,
        no_git="" if git_there else "there is no git here",
        operations=rig.ctx.operations,
        plan=rig.ctx.queue.load,
        displaced=rig.ctx.displaced.get,
        seen=SeenStore(rig.home / "seen.db"),
        read=rig.ctx.root.read,
        now=rig.clock(),
    )


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path / "ws", tmp_path / "home")


def worked(rig: Rig) -> None:
    """The agent writes a note, memdeck appends to it, the agent goes on, and memdeck moves it."""
    rig.write(NOTE, "agent\n")
    rig.apply(append(1, NOTE, "ours\n"))
    rig.write(NOTE, "agent\nours\nagain\n")
    rig.apply(move(1, NOTE, "memory/archive/a.md"), create(2, "memory/episodic/e.md", "made\n"))


def test_d50_without_git_the_operations_tell_what_a_file_held_under_each_of_its_names(rig: Rig) -> None:
    worked(rig)
    known = timeline("memory/archive/a.md", sources(rig))
    assert [(one.path, one.data, one.made) for one in known.versions] == [
        (NOTE, b"agent\n", False),
        (NOTE, b"agent\nours\n", True),
        (NOTE, b"agent\nours\nagain\n", False),
        ("memory/archive/a.md", b"agent\nours\nagain\n", False),
    ]
    told = {reach.teller: reach for reach in known.reaches}
    assert told[Teller.OPERATION].since == known.versions[0].at
    assert (told[Teller.GIT].since, told[Teller.GIT].note) == (None, "there is no git here")


def test_d50_without_git_a_text_is_found_in_the_operations(rig: Rig) -> None:
    worked(rig)
    answers = list(occurrences("ours", sources(rig), lambda: ["memory/archive/a.md"]))
    assert [(one.teller, one.path, one.came, one.lines) for one in answers] == [
        (Teller.OPERATION, NOTE, 1, ((2, "ours"),))
    ]


def test_d50_what_is_there_is_never_said_to_have_come_never(rig: Rig) -> None:
    rig.write(NOTE, "agent\nquiet\n")
    asked = sources(rig)
    (one,) = occurrences("quiet", asked, lambda: [NOTE])
    assert (one.teller, one.path, one.at, one.lines) == (Teller.NOW, NOTE, asked.now, ((2, "quiet"),))
    assert "nobody saw it come" in occurrence_words(one)[1]
    assert list(occurrences("nowhere", sources(rig), lambda: [NOTE])) == []


def test_d50_without_git_the_tree_of_an_instant_is_told_by_operations_and_says_what_is_not_sure(rig: Rig) -> None:
    rig.write("memory/working/quiet.md", "quiet\n")
    worked(rig)
    first, second = sorted(one.started_at for one in tuple(rig.ctx.operations.walk()))
    there = {path: datetime(2026, 1, 1, tzinfo=UTC) for path in ("memory/working/quiet.md",)}
    before = tree_at(first - timedelta(seconds=1), sources(rig), there, there.get)
    assert {path: one.sure for path, one in before.files.items()} == {NOTE: False, "memory/working/quiet.md": False}
    assert contents(before, sources(rig), before.files)[NOTE] == b"agent\n"
    between = tree_at(first, sources(rig), there, there.get)
    assert contents(between, sources(rig), between.files)[NOTE] == b"agent\nours\n"
    assert between.files[NOTE].sure
    after = tree_at(second, sources(rig), there, there.get)
    assert sorted(after.files) == ["memory/archive/a.md", "memory/episodic/e.md", "memory/working/quiet.md"]
    written_since = {"memory/working/quiet.md": second + timedelta(days=1)}
    assert tree_at(first, sources(rig), there, written_since.get).unknown == ("memory/working/quiet.md",)


def test_the_difference_between_an_instant_and_now_counts_bytes_and_not_who_tells(rig: Rig) -> None:
    make_repo(rig.folder, {NOTE: "one\n", "memory/b.md": "b\n", "x.bin": "x", ".hidden/h.md": "h\n"})
    rig.write(NOTE, "one\ntwo\n")
    rig.write("memory/new.md", "new\n")
    asked = sources(rig, git_there=True)
    now = [NOTE, "memory/b.md", "memory/new.md"]
    before, after = tree_at(datetime.now(UTC), asked, [], lambda _: None), present_tree(asked, now)
    assert sorted(before.files) == ["memory/b.md", NOTE]
    changed = differing(before, after, asked)
    assert changed == ("memory/new.md", NOTE)
    assert [(diff.path, diff.added, diff.removed) for diff in diffs(before, after, asked, changed)] == [
        ("memory/new.md", 1, 0),
        (NOTE, 1, 0),
    ]


# ── Tool calls of sessions ──────────────────────────────────────────────────────────────────────────────────────────


def claude(at: str, name: str, **arguments: object) -> str:
    block = {"type": "tool_use", "name": name, "input": arguments}
    said = {"role": "assistant", "content": [{"type": "text", "text": "on it"}, block]}
    return json.dumps({"type": "assistant", "timestamp": at, "sessionId": "s-1", "message": said})


def openclaw(at: str, name: str, **arguments: object) -> str:
    block = {"type": "toolCall", "name": name, "arguments": arguments}
    return json.dumps({"type": "message", "timestamp": at, "message": {"role": "assistant", "content": [block]}})


def test_the_calls_that_wrote_a_file_are_read_from_sessions_of_both_kinds(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    lines = [
        claude("2026-03-01T10:00:00Z", "Write", file_path=f"/home/x/{NOTE}", content="a\n"),
        claude("2026-03-01T10:02:00Z", "Edit", file_path=NOTE, old_string="a", new_string="b", replace_all=True),
        claude("2026-03-01T10:03:00Z", "Read", file_path=NOTE),
        claude("2026-03-01T10:03:00Z", "Write", file_path=f"other-{NOTE}", content="not this one\n"),
        '{"message": {"role": "assistant", "content": [{"type": "tool_use", "input": 3}]}, "a.md": 1',
        json.dumps({"timestamp": "2026-03-01T10:03:00Z", "message": {"role": "user", "content": NOTE}}),
    ]
    (folder / "s-1.jsonl").write_text("\n".join(lines) + "\n")
    edits = [{"oldText": "b", "newText": "c"}, {"oldText": 3}]
    (folder / "o.jsonl").write_text(openclaw("2026-03-01T10:01:00Z", "edit", path=NOTE, edits=edits) + "\n")
    place = SessionFolder.open(folder)
    told = [(one.session, one.turn, one.old, one.new, one.everywhere) for one in file_edits([place], {NOTE})]
    place.close()
    assert told == [("s-1", 1, None, "a\n", False), ("o", 1, "b", "c", False), ("s-1", 2, "a", "b", True)]


def test_a_note_that_a_commit_renamed_keeps_its_past_under_the_old_name(rig: Rig) -> None:
    """Renamed twice by commits of one second, and by an operation before that."""
    make_repo(rig.folder, {"memory/x.md": "x\n"}, at="2026-03-01T10:00:00Z")
    rig.write(NOTE, "first\n- a\n- b\n")
    rig.apply(append(1, NOTE, "ours\n"))
    rig.apply(move(1, NOTE, "memory/archive/a.md"))
    git(rig.folder, "add", "-A")
    git(rig.folder, "commit", "-qm", "moved", at="2026-03-16T00:00:00Z")
    for old, new in (("archive/a.md", "b.md"), ("b.md", "c.md")):
        git(rig.folder, "mv", f"memory/{old}", f"memory/{new}")
        git(rig.folder, "commit", "-qm", f"to {new}", at="2026-03-16T00:00:00Z")
    known = timeline("memory/c.md", sources(rig, git_there=True))
    names = [one.path for one in known.versions]
    assert list(dict.fromkeys(names)) == [NOTE, "memory/archive/a.md", "memory/b.md", "memory/c.md"]
    assert [line.origin.kind.value for line in blame(known).lines] == [*["unknown"] * 3, "operation"]


def test_a_shallow_clone_says_that_it_reaches_no_further(tmp_path: Path, own_home: Path) -> None:
    source = make_repo(tmp_path / "source", {NOTE: "one\n"}, at="2026-03-01T10:00:00Z")
    write(source, {NOTE: "one\ntwo\n"})
    git(source, "commit", "-qam", "second", at="2026-03-02T10:00:00Z")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{source}", "clone")
    with Engine.open(tmp_path / "clone") as opened:
        assert "shallow" in opened.recall.reaches()[0].note
        told = opened.recall.blame(NOTE)
    assert {line.origin.kind for line in told.lines} == {OriginKind.UNKNOWN} and "shallow" in told.reaches[0].note


# ── Through the engine ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def engine(tmp_path: Path, own_home: Path) -> Iterator[Engine]:
    workspace = make_repo(tmp_path / "agent", {"memory/a.md": "one\n", ".gitignore": "memory/secret.md\n"})
    write(workspace, {"memory/a.md": "one\ntwo\nby hand\n", "memory/secret.md": "s\n"})
    with Engine.open(workspace) as opened:
        yield opened


def test_a_line_of_a_followed_session_is_blamed_on_its_turn(engine: Engine, tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    at = datetime.now(UTC).isoformat()
    call = claude(at, "Edit", file_path="memory/a.md", old_string="one\n", new_string="one\ntwo\n")
    (sessions / "s.jsonl").write_text(f"{call}\n")
    engine.sessions.follow(sessions)
    lines = engine.recall.blame("memory/a.md").lines
    assert [(line.text, line.origin.kind) for line in lines] == [
        ("one", OriginKind.COMMIT),
        ("two", OriginKind.TURN),
        ("by hand", OriginKind.UNKNOWN),
    ]
    assert (lines[1].origin.ref, lines[1].origin.turn) == ("s-1", 1)


def test_dates_name_instants(engine: Engine) -> None:
    recall = engine.recall
    assert recall.instant("2026-03-01").isoformat() == "2026-03-01T23:59:59.999999+00:00"
    assert recall.instant("2026-03-01", end=False).isoformat() == "2026-03-01T00:00:00+00:00"
    assert recall.instant("2026-12").isoformat() == "2026-12-31T23:59:59.999999+00:00"
    assert recall.instant("2026-03-01T14:00").isoformat() == "2026-03-01T14:00:00+00:00"
    assert recall.instant("HEAD") <= datetime.now(UTC)
    assert recall.instant("3w") <= recall.instant("3 weeks ago") <= engine.now() - timedelta(weeks=3)
    assert recall.instant("yesterday 9:00").time().hour == 9
    assert recall.instant("yesterday") - recall.instant("yesterday", end=False) > timedelta(hours=23)
    for text in ("2026-02-30", "2026-13", "o-20260101-0001", "whenever", "--all", ""):
        with pytest.raises(UsageError):
            recall.instant(text)


def test_today_shows_what_git_has_not_and_never_what_nobody_knows(engine: Engine) -> None:
    since = engine.recall.diff(engine.recall.instant("HEAD"))
    assert [(diff.path, diff.added) for diff in since.diffs] == [("memory/a.md", 2)]
    assert since.before.unknown == ("memory/secret.md",)
    assert engine.recall.diff(engine.recall.instant("HEAD"), below="topics").diffs == ()


def test_a_file_of_which_nobody_knows_is_an_error(engine: Engine) -> None:
    with pytest.raises(UsageError):
        engine.recall.show("memory/none.md", engine.now())
    with pytest.raises(Refused):
        engine.recall.show("../a.md", engine.now())


def test_a_forged_tree_leads_no_past_out_of_its_folder(engine: Engine, tmp_path: Path) -> None:
    workspace = engine.workspace
    blob = git(workspace, "hash-object", "-w", "--stdin", stdin=b"out\n")
    names = (f"{tmp_path}/out.md", "../out.md", "..", ".git", "a//b.md", "good.md")
    entries = b"".join(b"100644 " + name.encode() + b"\0" + bytes.fromhex(blob) for name in names)
    tree = git(workspace, "hash-object", "-t", "tree", "--literally", "-w", "--stdin", stdin=entries)
    git(workspace, "update-ref", "HEAD", git(workspace, "commit-tree", tree, "-m", "forged", at="2026-03-01T10:00:00Z"))
    at = datetime(2026, 3, 2, tzinfo=UTC)
    assert list(engine.recall.tree(at).files) == ["good.md"]
    with past_folder(engine.recall, at, {}) as past:
        assert past.workspace.name == "workspace" and (past.workspace / "good.md").read_bytes() == b"out\n"
        assert list(past.tree.files) == ["good.md"]
        place = past.workspace
    assert not place.exists() and not (tmp_path / "out.md").exists()


def test_d22_and_d56_a_hostile_repository_runs_nothing_through_recall(engine: Engine, tmp_path: Path) -> None:
    git(engine.workspace, "add", "-A")
    git(engine.workspace, "commit", "-q", "-m", "second")
    marks = hostile(engine.workspace, tmp_path / "marks")
    recall, at = engine.recall, engine.recall.instant("HEAD")
    assert list(recall.when("two")) and recall.blame("memory/a.md").lines
    assert recall.show("memory/a.md", at).version and recall.tree(at).files
    assert recall.contents(recall.tree(at), ["memory/a.md"]) and recall.reaches()
    recall.diff(at)
    assert list(marks.iterdir()) == []


def test_the_first_answer_waits_for_no_look_at_the_files(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def looks() -> list[str]:
        raise AssertionError

    monkeypatch.setattr(engine.recall, "_notes", looks)
    with closing(engine.recall.when("one")) as answers:
        assert next(answers).teller is Teller.GIT


def test_d50_without_git_what_came_since_the_last_look_is_told_by_what_was_seen(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    write(folder, {NOTE: "one\nold\n", "memory/working/b.md": "b\n"})
    with Engine.open(folder) as engine:
        looked = engine.review.looked(look=True)
    write(folder, {NOTE: "one\ntwo fresh\n", "memory/working/c.md": "one\ntwo fresh\n"})
    with Engine.open(folder) as engine:
        told = list(engine.recall.when("two fresh"))
        assert [(one.teller, one.path, one.came, one.went, one.lines) for one in told] == [
            (Teller.SEEN, NOTE, 1, 0, ((2, "two fresh"),)),
            (Teller.SEEN, "memory/working/c.md", 1, 0, ((2, "two fresh"),)),
        ]
        assert {one.since for one in told} == {looked}
        (gone,) = engine.recall.when("old")
        assert (gone.came, gone.went, gone.lines) == (0, 1, ((2, "old"),))
        over = list(engine.recall.when("one\ntwo"))
        assert [(one.path, one.lines) for one in over] == [
            (NOTE, ((1, "one"),)),
            ("memory/working/c.md", ((1, "one"),)),
        ]
