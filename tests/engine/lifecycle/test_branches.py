"""Explorations: begun in a folder of their own, reported after a week, ended by a plan that leaves a tag (D55, D22)."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Refused, Stale, UsageError
from engine.history.explorations import explorations
from engine.history.git import GitFailed
from engine.lifecycle.requests import BranchesRequest
from engine.plans.git_places import may_change
from engine.plans.plan import Change, Create, Move, PlanState, Replace, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine, utc_now
from tests.engine.approved import applied, undone
from tests.engine.history.repos import found, git, hostile, make_repo, write

NOTES = {"knowledge/a.md": "one\n", "knowledge/deep/b c.md": "b\n", "x.bin": "\0\1"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "agent", NOTES, "-b", "main")


def in_days(days: int) -> Any:
    return lambda: utc_now() + timedelta(days=days)


def test_an_exploration_is_a_branch_in_a_folder_of_its_own(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        made = console.repository.explore("try")
        (one,) = console.repository.explorations()
        assert (one.name, one.folder, one.commit) == ("try", made.folder, made.commit) and not made.left_out
        assert not one.is_old(console.now()) and one.is_old(console.now() + timedelta(days=8))
        with pytest.raises(Refused, match="is there already"):
            console.repository.explore("try")
    folder = workspace.parent / "agent-explore" / "try"
    assert {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} == {*NOTES, ".git"}
    assert git(folder, "status", "--porcelain") == "" and git(folder, "branch", "--show-current") == "explore/try"
    assert git(workspace, "branch", "--show-current") == "main" and git(workspace, "status", "--porcelain") == ""
    write(folder, {"knowledge/a.md": "what if\n"})
    git(folder, "commit", "-qam", "explore: what if")
    assert (workspace / "knowledge/a.md").read_text() == "one\n"


@pytest.mark.parametrize("name", ["../x", "a/b", "-x", "", "x y", "x.lock", "..", "HEAD^"])
def test_a_name_that_is_no_part_of_a_ref_begins_nothing(workspace: Path, name: str) -> None:
    with Engine.open(workspace) as console, pytest.raises(UsageError):
        console.repository.explore(name, workspace.parent / "there")
    assert not (workspace.parent / "there").exists()


def test_a_folder_that_is_there_or_in_the_workspace_is_refused_and_stays(workspace: Path, tmp_path: Path) -> None:
    write(tmp_path, {"mine/x": "x"})
    (tmp_path / "link").symlink_to(workspace)
    with Engine.open(workspace) as console:
        for place in (tmp_path / "mine", workspace / "sub", tmp_path / "link" / "sub", tmp_path / "link"):
            with pytest.raises(Refused):
                console.repository.explore("try", place)
        assert console.repository.explorations() == ()
    assert (tmp_path / "mine/x").read_text() == "x" and not (workspace / "sub").exists()


def test_what_fails_on_the_way_is_taken_back(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.history import exploration_start

    def full(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exploration_start, "_written", full)
    with Engine.open(workspace) as console:
        with pytest.raises(Exception, match="No space left"):
            console.repository.explore("try")
        assert console.repository.explorations() == ()
    assert not (workspace.parent / "agent-explore/try").exists() and git(workspace, "worktree", "list").count("\n") == 0


def test_d55_an_old_one_is_reported_and_ended_by_a_plan_that_leaves_a_tag(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        console.repository.explore("try")
        assert "explore" not in {item.id for item in console.status.read().degraded}
        assert console.plans.make("branches").reason_no_action == "no exploration is older than a week"
    folder = workspace.parent / "agent-explore" / "try"
    write(folder, {"knowledge/a.md": "what if\n"})
    git(folder, "commit", "-qam", "explore: what if")
    write(folder, {"knowledge/a.md": "not committed\n"})
    tip = git(folder, "rev-parse", "HEAD")
    with Engine.open(workspace, now=utc_now() + timedelta(days=8)) as console:
        (found,) = [item for item in console.status.read().degraded if item.id == "explore"]
        assert "try lasts for 8 days" in found.what and "memdeck plan branches" in found.fix
    with Engine.open(workspace) as console:
        plan = console.plans.make("branches", PlanRequest(BranchesRequest(("explore/try",)))).plan
        assert plan is not None and plan.risk_tier is RiskTier.B and not plan.flagged_lines()
        operation = applied(console, plan)
        assert not operation.problems and operation.commit is None
        assert console.repository.explorations() == ()
        assert git(workspace, "rev-parse", "memory/explore/try") == tip
        assert git(folder, "rev-parse", "HEAD") == tip and git(folder, "status", "--porcelain") == "M knowledge/a.md"
        assert git(workspace, "fsck", "--no-dangling") == ""
        back = undone(console, operation)
        assert not back.problems
        assert [(one.name, one.commit) for one in console.repository.explorations()] == [("try", tip)]
    assert git(folder, "branch", "--show-current") == "explore/try"
    assert git(workspace, "tag") == "" and (folder / "knowledge/a.md").read_text() == "not committed\n"


def test_d55_a_packed_branch_is_ended_as_well_and_no_other_one_is_touched(workspace: Path) -> None:
    for name in ("one", "two", "three"):
        git(workspace, "branch", f"explore/{name}")
    git(workspace, "branch", "mine")
    git(workspace, "tag", "-a", "v1", "-m", "kept")
    git(workspace, "tag", "memory/explore/one", "HEAD")
    git(workspace, "pack-refs", "--all")
    git(workspace, "checkout", "-q", "explore/two")
    write(workspace, {"knowledge/a.md": "two\n"})
    git(workspace, "commit", "-qam", "two")  # loose above the packed one
    git(workspace, "checkout", "-q", "main")
    tip, before = git(workspace, "rev-parse", "explore/two"), git(workspace, "for-each-ref")
    with Engine.open(workspace) as console:
        made = console.plans.make("branches", PlanRequest(BranchesRequest(("one", "two"))))
        operation = applied(console, made)
        assert not operation.problems
        refs = dict(row.split(" ")[::-1] for row in _refs(workspace))
        assert "refs/heads/explore/one" not in refs and "refs/heads/explore/two" not in refs
        assert refs["refs/tags/memory/explore/two"] == tip and refs["refs/tags/memory/explore/one-2"]
        assert {"refs/heads/explore/three", "refs/heads/mine", "refs/heads/main", "refs/tags/v1"} <= set(refs)
        assert git(workspace, "fsck", "--no-dangling") == ""
        undone(console, operation)
    assert git(workspace, "for-each-ref") == before


def _refs(workspace: Path) -> list[str]:
    return git(workspace, "for-each-ref", "--format=%(objectname) %(refname)").split("\n")


def test_a_branch_that_moved_on_makes_the_plan_stale(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        made = console.repository.explore("try")
        plan = console.plans.make("branches", PlanRequest(BranchesRequest(("try",)))).plan
        assert plan is not None
        write(Path(made.folder), {"knowledge/a.md": "more\n"})
        git(Path(made.folder), "commit", "-qam", "more")
        with pytest.raises(Stale):
            applied(console, plan)
        (entry,) = console.plans.queue()
        assert entry.state is PlanState.STALE
    assert git(workspace, "rev-parse", "explore/try") == git(Path(made.folder), "rev-parse", "HEAD")


def test_what_no_plan_can_end_stays_with_the_reason(workspace: Path) -> None:
    git(workspace, "branch", "explore/a/b")
    git(workspace, "checkout", "-qb", "explore/here")
    git(workspace, "symbolic-ref", "refs/heads/explore/alias", "refs/heads/main")
    with Engine.open(workspace) as console:
        made = console.plans.make("branches", PlanRequest(BranchesRequest(("a/b", "here", "alias"))))
        assert made.plan is None and "a name of several parts" in made.report
        assert "the workspace itself has it checked out" in made.report and "holds no commit" in made.report
        with pytest.raises(UsageError, match="no such exploration"):
            console.plans.make("branches", PlanRequest(BranchesRequest(("none",))))


def reading(data: bytes) -> Callable[[str], bytes]:
    return lambda _: data


def test_no_change_of_gits_folder_but_that_of_an_exploration_is_allowed() -> None:
    common: dict[str, Any] = {"n": 1, "risk_tier": RiskTier.B, "reason": "x"}
    head, tag, commit = ".git/refs/heads/explore/x", ".git/refs/tags/memory/explore/x", "a" * 40 + "\n"
    packed = b"# pack-refs\naaaa refs/heads/explore/x\nbbbb refs/heads/main\n"
    good: list[tuple[Change, bytes]] = [
        (Move(path=head, to=tag, **common), b""),
        (Create(path=tag, content=commit, **common), b""),
        (Replace(path=".git/packed-refs", content="# pack-refs\nbbbb refs/heads/main\n", **common), packed),
        (Replace(path=".git/worktrees/x/HEAD", content=commit, **common), b"ref: refs/heads/explore/x\n"),
    ]
    evil: list[tuple[Change, bytes]] = [
        (Move(path=".git/refs/heads/main", to=tag, **common), b""),
        (Move(path=head, to=".git/refs/tags/v1", **common), b""),
        (Move(path=head, to=".git/refs/tags/memory/explore/../../../hooks/pre-commit", **common), b""),
        (Move(path=head, to="note.md", **common), b""),
        (Create(path=tag, content="ref: refs/heads/main\n", **common), b""),
        (Create(path=".git/refs/heads/explore/x", content=commit, **common), b""),
        (Replace(path=".git/packed-refs", content="# pack-refs\n", **common), packed),
        (Replace(path=".git/packed-refs", content=packed.decode() + "cccc refs/heads/x\n", **common), packed),
        (Replace(path=".git/worktrees/x/HEAD", content=commit, **common), b"ref: refs/heads/main\n"),
        (Replace(path=".git/worktrees/x/HEAD", content="ref: x\n", **common), b"ref: refs/heads/explore/x\n"),
        (Replace(path=".git/HEAD", content=commit, **common), b"ref: refs/heads/explore/x\n"),
        (Replace(path=".git/config", content="[core]\n", **common), b""),
    ]
    for change, old in good:
        assert may_change("branches", change, reading(old)), change
        assert not any(may_change(system, change, reading(old)) for system in ("init", "compact", ""))
    for change, old in evil:
        assert not may_change("branches", change, reading(old)), change


def test_d22_explorations_run_nothing_of_a_hostile_repository(workspace: Path, tmp_path: Path) -> None:
    write(workspace, {"evil.bin": "x", ".gitattributes": "*.md diff=evil merge=evil text\n*.bin filter=evil\n"})
    git(workspace, "add", "-A")
    git(workspace, "commit", "-qm", "evil")
    marks = hostile(workspace, tmp_path / "marks")
    with Engine.open(workspace) as console:
        made = console.repository.explore("try")
        assert Path(made.folder, "evil.bin").read_text() == "x"
        console.status.read()
        applied(console, console.plans.make("branches", PlanRequest(BranchesRequest(("try",)))))
        assert [tag.name for tag in console.repository.tags()] == ["memory/explore/try"]
    assert sorted(marks.iterdir()) == []


@pytest.mark.parametrize("name", [b"..", b".GIT"])
def test_a_tree_whose_names_lead_elsewhere_is_refused_and_nothing_of_it_is_left(workspace: Path, name: bytes) -> None:
    """No git makes such a tree, and whoever writes `.git` can."""
    blob = git(workspace, "hash-object", "-w", "--stdin", stdin=b"evil\n")
    raw = b"".join(b"100644 %s\0%s" % (one, bytes.fromhex(blob)) for one in (name, b"fine.md"))
    inner = git(workspace, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw)
    outer = b"40000 sub\0%s" % bytes.fromhex(inner)
    tree = git(workspace, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=outer)
    git(workspace, "update-ref", "refs/heads/main", git(workspace, "commit-tree", tree, "-m", "evil"))
    before = sorted(workspace.parent.rglob("*.md"))
    with Engine.open(workspace) as console, pytest.raises(GitFailed, match="invalid path"):
        console.repository.explore("try", workspace.parent / "try")
    assert sorted(workspace.parent.rglob("*.md")) == before and not (workspace.parent / "try").exists()
    assert git(workspace, "branch", "--list", "explore/*") == "" and git(workspace, "worktree", "list").count("\n") == 0


def test_a_link_is_left_out_and_told(workspace: Path) -> None:
    (workspace / "link.md").symlink_to("/etc/passwd")
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "link")
    with Engine.open(workspace) as console:
        made = console.repository.explore("try", workspace.parent / "try")
    assert made.left_out == ("link.md",) and not os.path.lexists(Path(made.folder) / "link.md")


def test_an_exploration_began_with_the_first_record_of_its_log(workspace: Path) -> None:
    git(workspace, "branch", "explore/try")
    log = workspace / ".git/logs/refs/heads/explore/try"
    old = "0" * 40
    rows = ("A B <a@b> 1000000000 +0900\tbranch: Created", "A <a@b> 1100000000 +0000\tcommit: x")
    log.write_text("".join(f"{old} {old} {row}\n" for row in rows))
    (one,) = explorations(found(workspace))
    assert one.begun.timestamp() == 1_000_000_000
