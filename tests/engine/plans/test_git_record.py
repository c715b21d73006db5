"""An operation is one commit with its audit head in the trailer, and undo is another (D22, G21)."""

import os
from pathlib import Path

import pytest

from engine.history.repository import Repository
from engine.plans.apply.git_record import GitRecord
from engine.plans.operation import OperationState
from engine.plans.policy.values import GitPolicy, Policy
from engine.plans.records.audit import AuditLog
from tests.engine.history.repos import git, make_repo
from tests.engine.plans.rig import Rig, append, create, move


def record_of(rig: Rig, policy: Policy | None = None) -> GitRecord:
    ctx = rig.ctx
    env = dict(os.environ)
    return GitRecord(ctx.root, policy=policy or rig.policy, state=ctx.state, audit=ctx.audit, clock=rig.clock, env=env)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    make_repo(tmp_path / "ws", {"memory/working/a.md": "a\n", "memory/semantic/openclaw.md": "s\n"})
    rig = Rig(tmp_path / "ws", tmp_path / "home")
    rig.with_ctx(commit=record_of(rig))
    return rig


def status(rig: Rig) -> str:
    return git(rig.folder, "status", "--porcelain")


def test_d22_an_apply_and_its_undo_are_one_commit_each(rig: Rig) -> None:
    before = rig.tree()
    done = rig.apply(
        append(1, "memory/semantic/openclaw.md", "more\n"),
        create(2, "memory/episodic/a.md", "summary\n"),
        move(3, "memory/working/a.md", "memory/archive/a-archived-2026-03-15.md"),
    )
    assert (done.state, done.problems) == (OperationState.DONE, ())
    assert git(rig.folder, "rev-parse", "HEAD") == done.commit
    assert git(rig.folder, "log", "-1", "--format=%s").startswith("maintenance: ")
    changed = git(rig.folder, "show", "--format=", "--name-only", "--no-renames", "HEAD").splitlines()
    assert changed == [
        "memory/archive/a-archived-2026-03-15.md",
        "memory/episodic/a.md",
        "memory/semantic/openclaw.md",
        "memory/working/a.md",
    ]
    assert status(rig) == ""
    undone = rig.undo()
    assert git(rig.folder, "rev-parse", "HEAD") == undone.commit
    assert git(rig.folder, "diff", "--stat", "HEAD~2", "HEAD") == ""
    assert status(rig) == ""
    assert {k: v for k, v in rig.tree().items() if ".git" not in k and v} == {
        k: v for k, v in before.items() if ".git" not in k and v
    }


def test_g21_the_trailers_keep_audit_heads_that_find_a_cut_of_log_and_records(rig: Rig) -> None:
    for n in range(3):
        rig.apply(create(1, f"memory/episodic/{n}.md", "x\n"))
    record = record_of(rig)
    heads = record.anchors()
    assert len(heads) == 3
    assert rig.ctx.audit.verify(heads) == ()
    whole = rig.ctx.state.audit.read_bytes().splitlines(keepends=True)
    rig.ctx.state.audit.write_bytes(b"".join(whole[: heads[-1].seq]))
    rig.ctx.state.audit.with_suffix(".head").unlink()
    assert {finding.id for finding in AuditLog(rig.ctx.state.audit).verify(record_of(rig).anchors())} == {"audit_cut"}


def test_g21_trailers_of_another_log_raise_no_alarm(rig: Rig, tmp_path: Path) -> None:
    """A clone on another machine, or a moved workspace, has commits of a log that is not here."""
    rig.apply(create(1, "memory/episodic/1.md", "x\n"))
    git(tmp_path, "clone", "-q", str(rig.folder), "clone")
    clone = Rig(tmp_path / "clone", tmp_path / "home")
    clone.with_ctx(commit=record_of(clone))
    assert record_of(clone).anchors() == ()
    clone.apply(create(1, "memory/episodic/2.md", "x\n"))
    assert len(record_of(clone).anchors()) == 1
    assert clone.ctx.audit.verify(record_of(clone).anchors()) == ()


def test_forged_trailers_are_no_crash(rig: Rig) -> None:
    rig.apply(create(1, "memory/episodic/1.md", "x\n"))
    line = f"Memdeck-Log: {rig.ctx.audit.identity()}"
    for value in ("", "x y", "-1 " + "0" * 64, "9" * 40 + " " + "0" * 64, "٣ " + "0" * 64):
        git(rig.folder, "commit", "-q", "--allow-empty", "-m", f"forged\n\n{line}\nMemdeck-Audit: {value}")
    assert len([head for head in record_of(rig).anchors() if head.seq < 100]) >= 1


def test_d22_without_git_or_where_the_policy_says_no_all_works_the_same(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "ws", tmp_path / "home")
    rig.with_ctx(commit=record_of(rig))
    done = rig.apply(create(1, "a.md", "x\n"))
    assert (done.state, done.commit, done.problems) == (OperationState.DONE, None, ())
    make_repo(rig.folder, {"b.md": "b\n"})
    policy = Policy(git=GitPolicy(commit=False))
    rig.with_ctx(commit=record_of(rig, policy))
    assert rig.apply(create(1, "c.md", "x\n")).commit is None
    assert isinstance(record_of(rig).repository(), Repository)


def test_d22_what_stands_against_a_commit_is_a_problem_told_and_never_a_failure(rig: Rig, tmp_path: Path) -> None:
    (rig.folder / ".git" / "MERGE_HEAD").write_text(git(rig.folder, "rev-parse", "HEAD"), encoding="utf-8")
    done = rig.apply(create(1, "memory/episodic/1.md", "x\n"))
    assert (done.state, done.commit) == (OperationState.DONE, None)
    (told,) = done.problems
    assert told == "not committed: a merge is under way · memdeck recover makes it, and so does the next apply"
    outer = Rig(make_repo(tmp_path / "outer", {"x.md": "x\n"}) / "inner", tmp_path / "home")
    outer.with_ctx(commit=record_of(outer))
    assert "git.outside" in outer.apply(create(1, "a.md", "x\n")).problems[0]
