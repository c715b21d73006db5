"""What git could not take when it was due is remembered, shown and made later, in order (decision D22)."""

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import MemdeckError
from engine.history import git_index as index_module
from engine.plans.apply.git_record import GitRecord
from engine.plans.apply.recovery import recover
from engine.plans.damage import check
from engine.plans.operation import Operation
from engine.plans.records.journal import OwedCommits
from tests.engine.history.repos import git, make_repo, write
from tests.engine.plans.rig import Rig, append, create, move, overwrite

NOTES = {"AGENTS.md": "agents\n", "memory/working/a.md": "a\n", "memory/semantic/openclaw.md": "s\n"}
ARCHIVED = "memory/archive/a-archived-2026-03-15.md"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "WAIT_SECONDS", 0.0)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    make_repo(tmp_path / "ws", NOTES)
    rig = Rig(tmp_path / "ws", tmp_path / "home")
    rig.with_git()
    return rig


def compacted(rig: Rig) -> Operation:
    return rig.apply(
        append(1, "memory/semantic/openclaw.md", "more\n"),
        create(2, "memory/episodic/a.md", "summary\n"),
        move(3, "memory/working/a.md", ARCHIVED),
    )


def owed(rig: Rig) -> list[str]:
    return [entry.operation for entry in OwedCommits(rig.ctx.state).entries()]


def ids(rig: Rig) -> set[str]:
    return {finding.id for finding in check(rig.ctx)}


def status(rig: Rig) -> str:
    return git(rig.folder, "status", "--porcelain")


def changed(rig: Rig, commit: str = "HEAD") -> list[str]:
    return git(rig.folder, "show", "--format=", "--name-only", "--no-renames", commit).splitlines()


def test_the_agents_next_commit_takes_nothing_of_ours_back(rig: Rig) -> None:
    """A lock that outlasts our patience: nothing moves, and the agent's commit is one file."""
    lock = rig.folder / ".git" / "index.lock"
    lock.touch()
    head = git(rig.folder, "rev-parse", "HEAD")
    done = compacted(rig)
    assert done.commit is None
    assert "the index is locked by another git" in done.problems[0]
    assert git(rig.folder, "rev-parse", "HEAD") == head
    lock.unlink()
    rig.write("AGENTS.md", "agents\nx\n")
    git(rig.folder, "add", "AGENTS.md")
    git(rig.folder, "commit", "-q", "-m", "one file")
    assert changed(rig) == ["AGENTS.md"]
    (told,) = [finding for finding in recover(rig.ctx) if finding.id == "commit_settled"]
    assert told.where == done.id
    assert changed(rig) == [
        ARCHIVED,
        "memory/episodic/a.md",
        "memory/semantic/openclaw.md",
        "memory/working/a.md",
    ]
    assert status(rig) == ""
    rig.write("AGENTS.md", "agents\nx\ny\n")
    git(rig.folder, "add", "AGENTS.md")
    git(rig.folder, "commit", "-q", "-m", "one file again")
    assert changed(rig) == ["AGENTS.md"]


def lock_index(folder: Path) -> Callable[[], None]:
    (folder / ".git/index.lock").touch()
    return (folder / ".git/index.lock").unlink


def lock_branch(folder: Path) -> Callable[[], None]:
    (folder / ".git/refs/heads/main.lock").write_text("0" * 40 + "\n", encoding="ascii")
    return (folder / ".git/refs/heads/main.lock").unlink


def lock_head(folder: Path) -> Callable[[], None]:
    (folder / ".git/HEAD.lock").touch()
    return (folder / ".git/HEAD.lock").unlink


def merge(folder: Path) -> Callable[[], None]:
    (folder / ".git/MERGE_HEAD").write_text(git(folder, "rev-parse", "HEAD"), encoding="ascii")
    return (folder / ".git/MERGE_HEAD").unlink


def rebase(folder: Path) -> Callable[[], None]:
    (folder / ".git/rebase-merge").mkdir()
    return (folder / ".git/rebase-merge").rmdir


def pipe(folder: Path) -> Callable[[], None]:
    os.mkfifo(folder / ".gitignore")
    return (folder / ".gitignore").unlink


@pytest.mark.sampled(6)
@pytest.mark.parametrize("stand_in_the_way", [lock_index, lock_branch, lock_head, merge, rebase, pipe])
@pytest.mark.parametrize("by", ["recover", "apply"])
def test_what_stood_in_the_way_is_shown_until_it_is_settled(
    rig: Rig, stand_in_the_way: Callable[[Path], Callable[[], None]], by: str
) -> None:
    clear = stand_in_the_way(rig.folder)
    first = compacted(rig)
    second = rig.apply(append(1, "memory/semantic/openclaw.md", "again\n"))
    assert (first.commit, second.commit) == (None, None)
    assert owed(rig) == [first.id, second.id]
    assert "commit_owed" in ids(rig)
    assert [finding.id for finding in recover(rig.ctx)] == ["commit_owed"], "still in the way, and said"
    clear()
    if by == "recover":
        assert [finding.id for finding in recover(rig.ctx)] == ["commit_settled", "commit_settled"]
    else:
        assert rig.apply(overwrite(1, "memory/semantic/openclaw.md", "new\n")).commit
    assert owed(rig) == []
    assert "commit_owed" not in ids(rig)
    assert status(rig) == ""
    for done in (first, second):
        record = rig.ctx.operations.load(done.id)
        assert record.commit is not None and record.problems == ()
        message = git(rig.folder, "log", "-1", "--format=%B", record.commit)
        assert f"Memdeck-Operation: {done.id}" in message
    assert (
        git(rig.folder, "show", f"{rig.ctx.operations.load(first.id).commit}:memory/semantic/openclaw.md") == "s\nmore"
    )
    assert recover(rig.ctx) == ()
    assert git(rig.folder, "fsck", "--strict") == ""


def test_only_what_the_operation_wrote_is_committed_later(rig: Rig) -> None:
    """The agent writes on meanwhile: history gets our state, and its words stay its own to commit."""
    clear = merge(rig.folder)
    done = compacted(rig)
    rig.write("memory/semantic/openclaw.md", "s\nmore\ntheirs\n")
    rig.write("memory/episodic/a.md", "rewritten\n")
    clear()
    recover(rig.ctx)
    commit = rig.ctx.operations.load(done.id).commit
    assert git(rig.folder, "show", f"{commit}:memory/semantic/openclaw.md") == "s\nmore"
    assert git(rig.folder, "show", f"{commit}:memory/episodic/a.md") == "summary"
    assert status(rig).splitlines() == ["M memory/episodic/a.md", " M memory/semantic/openclaw.md"]


def test_what_others_committed_meanwhile_is_not_taken_back(rig: Rig) -> None:
    clear = merge(rig.folder)
    done = compacted(rig)
    clear()
    rig.write("memory/semantic/openclaw.md", "s\nmore\ntheirs\n")
    git(rig.folder, "commit", "-q", "-m", "theirs", "memory/semantic/openclaw.md")
    (told,) = recover(rig.ctx)
    assert "committed by others since" in told.what
    assert git(rig.folder, "show", "HEAD:memory/semantic/openclaw.md") == "s\nmore\ntheirs"
    assert git(rig.folder, "show", f"HEAD:{ARCHIVED}") == "a"
    assert rig.ctx.operations.load(done.id).commit == git(rig.folder, "rev-parse", "HEAD")
    assert status(rig) == ""


def test_a_git_that_is_gone_for_a_moment(rig: Rig) -> None:
    real = rig.ctx.commit
    gone = GitRecord(
        rig.ctx.root,
        policy=rig.policy,
        state=rig.ctx.state,
        audit=rig.ctx.audit,
        clock=rig.clock,
        env={"PATH": "/nowhere"},
    )
    rig.with_ctx(commit=gone, settler=gone)
    done = compacted(rig)
    assert owed(rig) == [done.id]
    rig.ctx = replace(rig.ctx, commit=real, settler=real)  # type: ignore[arg-type]
    assert [finding.id for finding in recover(rig.ctx)] == ["commit_settled"]
    assert changed(rig) == [
        ARCHIVED,
        "memory/episodic/a.md",
        "memory/semantic/openclaw.md",
        "memory/working/a.md",
    ]
    assert status(rig) == ""


def test_an_operation_that_is_undone_before_it_is_committed_leaves_two_commits(rig: Rig) -> None:
    clear = merge(rig.folder)
    compacted(rig)
    clear()
    undone = rig.undo()
    assert undone.commit == git(rig.folder, "rev-parse", "HEAD")
    assert git(rig.folder, "diff", "--stat", "HEAD~2", "HEAD") == ""
    assert status(rig) == ""


def test_the_audit_log_tells_of_the_commit_once(rig: Rig) -> None:
    clear = merge(rig.folder)
    done = compacted(rig)
    clear()
    recover(rig.ctx)
    told = [record.data for record in rig.ctx.audit.records() if record.kind == "commit"]
    assert told == [{"operation": done.id, "commit": git(rig.folder, "rev-parse", "HEAD"), "problems": []}]
    assert rig.ctx.audit.verify() == ()


def test_what_a_memdeck_left_that_died_is_named_and_removed_by_recover(rig: Rig) -> None:
    own = rig.folder / ".git" / "index.memdeck-999999999-0"
    own.write_bytes(b"half")
    os.link(own, rig.folder / ".git" / "index.lock")
    assert "git_left_over" in ids(rig)
    (told,) = recover(rig.ctx)
    assert "index.lock" in told.what
    assert not own.exists() and not (rig.folder / ".git/index.lock").exists()
    assert ids(rig) == set()


def test_a_lock_of_another_program_is_named_with_its_age_and_left_alone(rig: Rig) -> None:
    lock = rig.folder / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    old = rig.clock.at.timestamp() - 3 * 86_400
    os.utime(lock, (old, old))
    (told,) = [finding for finding in check(rig.ctx) if finding.id == "git_lock"]
    assert "3 days" in told.what and "process" in told.what and str(lock) in told.fix
    recover(rig.ctx)
    assert lock.exists()


def test_what_is_committed_in_the_moment_of_an_apply_is_ours(rig: Rig) -> None:
    """No debt where nothing stood in the way."""
    assert compacted(rig).commit
    assert owed(rig) == []
    write(rig.folder, {"AGENTS.md": "x\n"})
    assert status(rig) == "M AGENTS.md"


def test_what_cannot_be_remembered_stays_in_the_journal(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git is locked and the state folder refuses the record of it: `recover` comes back to both, and `check` tells."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    clear = lock_index(rig.folder)
    with monkeypatch.context() as patch:
        patch.setattr(OwedCommits, "save", refuse)
        with pytest.raises(MemdeckError, match="records could not be finished") as told:
            compacted(rig)
        assert told.value.hint == "memdeck recover"
        with pytest.raises(MemdeckError, match="No space left"):
            recover(rig.ctx)
    recover(rig.ctx)  # and what it says is lost: its terminal is gone
    assert "commit_owed" in ids(rig)
    clear()
    assert [finding.id for finding in recover(rig.ctx)] == ["commit_settled"]
    assert status(rig) == ""
