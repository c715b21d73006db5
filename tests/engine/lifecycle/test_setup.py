"""`init` as a plan: what a workspace lacks, nothing else; and the hooks, run by real git (§3, D22, D23, D24, D51)."""

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.errors import Refused
from engine.history.hook_scripts import HOOKS
from engine.lifecycle.setup.plan import ATTRIBUTES, IGNORE, LINES, missing_lines
from engine.plans.git_places import may_change
from engine.plans.plan import Append, Create, Move, Replace, RiskTier
from engine.plans.prediction import predict
from engine.services.engine import Engine
from tests.engine.approved import applied, undone
from tests.engine.history.repos import HOOKS as HOOK_NAMES
from tests.engine.history.repos import git, hostile, make_repo, write

ODD = ("a b.md", "- dash.md", "ü \U0001f600.md", "q\"uote'.md", "$(touch PWNED).md", "new\nline.md", "*.md", "tab\t.md")
GOOD, BAD = "---\nsession: x\n---\nhi\n", "hi\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "agent").mkdir()
    return tmp_path / "agent"


def init(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        operation = applied(console, console.plans.make("init"))
        assert not operation.problems, operation.problems


def commit(workspace: Path, *more: str, may_fail: bool = False, path: str = "") -> subprocess.CompletedProcess[str]:
    """A commit of all by ordinary git, with the hooks that are there. `path` comes before PATH."""
    git(workspace, "add", "-A")
    env = {"PATH": os.pathsep.join(filter(None, (path, os.environ["PATH"]))), "HOME": os.environ["HOME"]}
    person = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    command = ["git", *person, "commit", "-q", "-m", "work", *more]
    done = subprocess.run(command, cwd=workspace, env=env, capture_output=True, text=True, check=False)
    assert may_fail or not done.returncode, done.stderr
    return done


def test_an_empty_folder_becomes_a_workspace_with_a_repository(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        plan = console.plans.make("init").plan
        assert plan is not None and plan.risk_tier is RiskTier.C and plan.facts["git"] == "new"
        assert not plan.flagged_lines()
        assert not (workspace / ".git").exists() and not any(workspace.iterdir())
        operation = applied(console, plan)
        assert operation.commit and not operation.problems
        assert console.plans.make("init").plan is None
    assert (workspace / "knowledge/identity").is_dir() and (workspace / "raw/conversations").is_dir()
    assert git(workspace, "log", "--format=%s") == "maintenance: init, 19 changes (asked)"
    assert git(workspace, "status", "--porcelain") == "" and git(workspace, "branch", "--show-current") == "main"
    for hook, text in HOOKS.items():
        assert (workspace / hook).read_text() == text
        assert stat.S_IMODE((workspace / hook).stat().st_mode) & 0o100
    write(workspace, {"memory.db": "x", "scratch/x": "x", ".env": "x", "note.md": "x"})
    assert git(workspace, "status", "--porcelain") == "?? note.md"
    assert "filter: lfs" in git(workspace, "check-attr", "filter", "attachments/2026/a.png")


@pytest.mark.parametrize("folder", [".husky/_", "/nowhere/hooks", "a\x1b[31mb"])
def test_hooks_that_git_never_runs_are_named_by_init_and_doctor(workspace: Path, folder: str) -> None:
    make_repo(workspace, {"notes.md": "x\n"})
    git(workspace, "config", "core.hooksPath", folder)
    with Engine.open(workspace) as console:
        plan = console.plans.make("init").plan
        assert plan is not None and "\x1b" not in plan.report
        (told,) = (one for one in plan.warnings if "core.hooksPath" in one)
        assert "git never runs hooks of .git/hooks" in told and told in plan.report
        assert {one.reason for one in plan.changes if one.path in HOOKS} == {
            "a hook of yours may call it: read it before you approve"
        }
        assert "hooks_elsewhere" not in {one.id for one in console.maintenance.doctor()}
        applied(console, plan)
        (found,) = (one for one in console.maintenance.doctor() if one.id == "hooks_elsewhere")
        assert found.where == ".git/hooks/pre-commit" and "core.hooksPath" in found.fix and "\x1b" not in found.what


def test_hooks_that_another_folders_hook_calls_are_no_finding(workspace: Path) -> None:
    make_repo(workspace, {"notes.md": "x\n"})
    init(workspace)
    git(workspace, "config", "core.hooksPath", ".husky")
    write(workspace, {".husky/pre-commit": "#!/bin/sh\nexec .git/hooks/pre-commit\n"})
    with Engine.open(workspace) as console:
        assert "hooks_elsewhere" not in {one.id for one in console.maintenance.doctor()}
        git(workspace, "config", "core.hooksPath", ".git/hooks")
        (workspace / ".husky/pre-commit").unlink()
        assert "hooks_elsewhere" not in {one.id for one in console.maintenance.doctor()}
    os.mkfifo(workspace / ".husky/pre-commit")
    git(workspace, "config", "core.hooksPath", ".husky")
    with Engine.open(workspace) as console:  # waits for no writer
        assert "hooks_elsewhere" in {one.id for one in console.maintenance.doctor()}


def test_what_a_person_wrote_stays_and_only_what_is_missing_comes(workspace: Path) -> None:
    make_repo(workspace, {IGNORE: "mine\n!memory.db\n*.tmp", "memory/working/a.md": "# A\n", "notes.md": "x\n"})
    write(workspace, {ATTRIBUTES: "attachments/**/*.png binary\r\n", ".git/hooks/pre-commit": "#!/bin/sh\nexit 0\n"})
    with Engine.open(workspace) as console:
        plan = console.plans.make("init").plan
        assert plan is not None and plan.facts["git"] == "own"
        assert plan.facts["kept"] == [".git/hooks/pre-commit is there already and stays as it is"]
        assert not any(change.path.startswith("knowledge/") for change in plan.changes)
        assert {c.path for c in plan.changes if isinstance(c, Append)} == {IGNORE, ATTRIBUTES}
        applied(console, plan)
    ignore = (workspace / IGNORE).read_text()
    assert ignore.startswith("mine\n!memory.db\n*.tmp\n") and ignore.count("*.tmp") == 1
    assert "\nmemory.db\n" not in ignore and "secrets/" in ignore
    attributes = (workspace / ATTRIBUTES).read_bytes()
    assert attributes.startswith(b"attachments/**/*.png binary\r\n#") and attributes.count(b"png") == 1
    assert attributes.count(b"\r\n") == attributes.count(b"\n")
    assert (workspace / ".git/hooks/pre-commit").read_text() == "#!/bin/sh\nexit 0\n"


@pytest.mark.parametrize("kind", ["inside", "file", "link"])
def test_a_repository_of_another_folder_gets_no_hooks(workspace: Path, tmp_path: Path, kind: str) -> None:
    other = make_repo(tmp_path if kind == "inside" else tmp_path / "other", {"x": "x"})
    if kind == "file":
        (workspace / ".git").write_text(f"gitdir: {other}/.git\n")
    elif kind == "link":
        (workspace / ".git").symlink_to(other / ".git")
    before = sorted((other / ".git" / "hooks").iterdir()) if (other / ".git" / "hooks").exists() else []
    with Engine.open(workspace) as console:
        plan = console.plans.make("init").plan
        assert plan is not None and plan.facts["git"] == "elsewhere"
        assert not any(change.path.startswith(".git/") for change in plan.changes)
        applied(console, plan)
    after = sorted((other / ".git" / "hooks").iterdir()) if (other / ".git" / "hooks").exists() else []
    assert after == before


def test_an_init_is_undone_and_the_history_stays(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        operation = applied(console, console.plans.make("init"))
        back = undone(console, operation)
        assert not back.problems
    assert not (workspace / ".git/hooks/pre-commit").exists() and not (workspace / IGNORE).exists()
    assert git(workspace, "rev-list", "--count", "HEAD") == "2"


def test_d22_init_runs_nothing_of_a_hostile_repository(workspace: Path, tmp_path: Path) -> None:
    make_repo(workspace, {"notes.md": "x\n"})
    marks = hostile(workspace, tmp_path / "marks")
    init(workspace)
    assert sorted(marks.iterdir()) == []


def test_a_settings_template_of_the_operator_runs_nothing_in_a_new_repository(
    workspace: Path, tmp_path: Path, own_home: Path
) -> None:
    template = tmp_path / "template"
    write(template, {f"hooks/{name}": f"#!/bin/sh\ntouch {tmp_path}/PWNED\n" for name in HOOK_NAMES.split()})
    (own_home / ".gitconfig").write_text(f"[init]\n\ttemplateDir = {template}\n")
    init(workspace)
    assert {path.name for path in (workspace / ".git/hooks").iterdir()} == {name.split("/")[-1] for name in HOOKS}
    assert not (tmp_path / "PWNED").exists()


# ── nothing else of git's folder can be planned ────────────────────────────────────────────────────────────────────


def test_no_plan_writes_in_gits_folder_but_our_own_hooks_word_for_word(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        plan = console.plans.make("init").plan
        assert plan is not None
        hook = next(change for change in plan.changes if change.path == ".git/hooks/pre-commit")
        assert isinstance(hook, Create) and may_change("init", hook, lambda _: b"")
        common: dict[str, Any] = {"n": 1, "risk_tier": RiskTier.C, "reason": "x"}
        evil = [
            Create(path=hook.path, content=hook.content + "touch PWNED\n", **common),
            Create(path=".git/hooks/pre-push", content=hook.content, **common),
            Create(path=".git/config", content="[core]\n", **common),
            Replace(path=hook.path, content=hook.content, **common),
            Append(path=hook.path, content="x", **common),
            Move(path="note.md", to=hook.path, **common),
            Move(path=".git/config", to="note.md", **common),
            Create(path=".GIT/hooks/pre-commit", content=hook.content, **common),
            Create(path="sub/.git/hooks/pre-commit", content=hook.content, **common),
        ]
        for change in evil:
            with pytest.raises(Refused):
                predict(msgspec.structs.replace(plan, changes=(change,), inputs=()), (1,), lambda _: b"x")
        for system in ("compact", "proposal", "import", "branches"):
            assert not may_change(system, hook, lambda _: b"")


# ── the hooks, run by git ──────────────────────────────────────────────────────────────────────────────────────────


def test_d24_the_first_commit_is_checked_and_odd_names_are_files_like_any(workspace: Path) -> None:
    git(workspace, "init", "-q")
    write(workspace, dict(HOOKS))
    for hook in HOOKS:
        (workspace / hook).chmod(0o755)
    write(workspace, {f"raw/conversations/2026/{name}": GOOD for name in ODD})
    write(workspace, {f"topics/{name}": "---\ntriggers: []\n---\n" for name in ODD})
    done = commit(workspace)
    assert done.stderr == "" and git(workspace, "rev-list", "--count", "HEAD") == "1"
    write(workspace, {f"raw/conversations/2027/{name}": BAD for name in ODD})
    refused = commit(workspace, may_fail=True)
    assert refused.returncode and refused.stderr.count("has no frontmatter") == len(ODD)
    assert '"raw/conversations/2027/new\\nline.md"' in refused.stderr
    assert not (workspace / "PWNED").exists() and git(workspace, "rev-list", "--count", "HEAD") == "1"


def test_a_deleted_transcript_and_a_link_are_no_transcripts(workspace: Path) -> None:
    init(workspace)
    write(workspace, {"raw/conversations/a.md": GOOD})
    commit(workspace)
    (workspace / "raw/conversations/a.md").unlink()
    (workspace / "raw/conversations/b.md").symlink_to("nowhere")
    assert commit(workspace).stderr == ""


LINES_STAGED = [
    (180, 0, ""),
    (181, 0, "has 181 of 200 lines"),
    (200, 0, "has 200 of 200 lines"),
    (201, 0, "agents load 200"),
    (220, 0, "agents load 200"),
    (221, 1, "220 are allowed"),
]
"""Lines of MEMORY.md, the exit code of the commit, and a part of what it says."""


@pytest.mark.parametrize("end", ["\n", ""])
def test_d23_memory_md_is_held_to_its_lines_as_staged(workspace: Path, end: str) -> None:
    init(workspace)
    for lines, code, said in LINES_STAGED:
        write(workspace, {"knowledge/memory/MEMORY.md": "\n".join(["x"] * lines) + end})
        git(workspace, "add", "-A")
        done = commit(workspace, may_fail=True)
        assert done.returncode == code, lines
        assert said in done.stderr and bool(said) == bool(done.stderr), (lines, done.stderr)


def test_the_hooks_judge_what_is_staged_and_not_what_lies_on_the_disk(workspace: Path) -> None:
    init(workspace)
    write(workspace, {"raw/conversations/a.md": BAD})
    git(workspace, "add", "-A")
    write(workspace, {"raw/conversations/a.md": GOOD})
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    person = ("-c", "user.name=Ana", "-c", "user.email=a@b")
    done = subprocess.run(
        ["git", *person, "commit", "-qm", "x"], cwd=workspace, env=env, capture_output=True, check=False
    )
    assert done.returncode and b"has no frontmatter" in done.stderr


@pytest.mark.parametrize("conflict", [False, True])
def test_d24_a_merge_is_checked_and_reaches_the_index(workspace: Path, tmp_path: Path, conflict: bool) -> None:
    init(workspace)
    write(workspace, {"knowledge/a.md": "one\n"})
    commit(workspace)
    git(workspace, "checkout", "-qb", "other")
    write(workspace, {"knowledge/b.md": "b\n", **({"knowledge/a.md": "two\n"} if conflict else {})})
    commit(workspace)
    git(workspace, "checkout", "-q", "main")
    write(workspace, {"knowledge/c.md": "c\n", **({"knowledge/a.md": "three\n"} if conflict else {})})
    commit(workspace)
    ran = stand_in(tmp_path)
    env = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": os.environ["HOME"]}
    person = ("git", "-c", "user.name=Ana", "-c", "user.email=a@b")
    done = subprocess.run(
        [*person, "merge", "-q", "--no-edit", "other"], cwd=workspace, env=env, capture_output=True, check=False
    )
    if conflict:
        assert done.returncode
        write(workspace, {"knowledge/a.md": "both\n"})
        commit(workspace, path=str(tmp_path / "bin"))
    assert len(git(workspace, "rev-list", "--parents", "-1", "HEAD").split()) == 3
    assert wait_for(ran) == [f"--workspace {workspace} index"]


def test_d24_a_deletion_reaches_the_index(workspace: Path, tmp_path: Path) -> None:
    init(workspace)
    write(workspace, {"knowledge/zebra.md": "# Zebra\n\nThe zebra queue.\n"})
    ran = stand_in(tmp_path)
    commit(workspace, path=str(tmp_path / "bin"))
    assert wait_for(ran)
    with Engine.open(workspace) as console:
        console.search.index()
        assert console.search.find("zebra").hits
    ran.unlink()
    (workspace / "knowledge/zebra.md").unlink()
    commit(workspace, path=str(tmp_path / "bin"))
    assert wait_for(ran) == [f"--workspace {workspace} index"]
    with Engine.open(workspace) as console:  # what the hook asks for
        console.search.index()
        assert not console.search.find("zebra").hits


def test_a_commit_of_something_else_asks_for_no_index(workspace: Path, tmp_path: Path) -> None:
    init(workspace)
    ran = stand_in(tmp_path)
    write(workspace, {"code.py": "x\n"})
    commit(workspace, path=str(tmp_path / "bin"))
    assert not ran.exists()


def stand_in(tmp_path: Path) -> Path:
    """A memdeck that notes how it was called, and that git's own environment did not reach it."""
    program, ran = tmp_path / "bin" / "memdeck", tmp_path / "ran"
    write(tmp_path, {"bin/memdeck": f'#!/bin/sh\n[ -z "${{GIT_INDEX_FILE:-}}" ] && echo "$@" >> "{ran}"\n'})
    program.chmod(0o755)
    return ran


def wait_for(ran: Path) -> list[str]:
    """The calls that the hook made in the background."""
    for _ in range(200):
        if ran.exists() and ran.read_text().endswith("\n"):
            break
        subprocess.run(["sleep", "0.02"], check=True)
    return ran.read_text().splitlines()


# ── what the hooks check are checks of our own plans ───────────────────────────────────────────────────────────────


def test_d51_what_a_hook_would_refuse_no_plan_of_ours_writes(workspace: Path) -> None:
    from engine.plans.hook_gate import hook_gate

    old = b"x\n" * 199
    for after, passed in ((b"x\n" * 200, True), (b"x\n" * 201, False), (b"x\n" * 230, False)):
        gate, _ = hook_gate({"MEMORY.md": after}, lambda _: old)
        assert gate is not None and gate.passed is passed
    gate, warnings = hook_gate({"MEMORY.md": b"x\n" * 230}, lambda _: b"x\n" * 300)
    assert gate is not None and gate.passed and warnings == ("hooks: MEMORY.md has 230 lines, 220 are allowed",)
    gate, _ = hook_gate({"raw/conversations/a.md": BAD.encode()}, lambda _: b"")
    assert gate is not None and not gate.passed and "first line must be ---" in gate.detail
    gate, warnings = hook_gate({"topics/a.md": b"---\n---\n"}, lambda _: b"")
    assert gate is not None and gate.passed and warnings == ("hooks: topics/a.md has no triggers",)
    assert hook_gate({"knowledge/a.md": b"x"}, lambda _: b"") == (None, ())


def test_d51_the_check_stands_on_the_plan_and_blocks_its_apply(workspace: Path) -> None:
    from engine.errors import Blocked

    write(workspace, {"topics/a.md": "---\ntriggers: []\n---\n", "MEMORY.md": "x\n" * 199})
    with Engine.open(workspace) as console:
        plan = console.plans.make("init").plan
        assert plan is not None and all(gate.id != "hooks" for gate in plan.gates)
        wide = Append(n=1, path="MEMORY.md", content="y\n" * 9, risk_tier=RiskTier.C, reason="x")
        made = console._opened.scan().files["MEMORY.md"].sha256
        from engine.plans.plan import Input

        plan = msgspec.structs.replace(plan, system="x", changes=(wide,), inputs=(Input("MEMORY.md", made),))
        queued = console.plans._queue.file(plan)
        (gate,) = queued.gates
        assert gate.id == "hooks" and not gate.passed and "208 lines" in gate.detail
        with pytest.raises(Blocked, match="the plan check hooks did not pass"):
            applied(console, queued)
    assert (workspace / "MEMORY.md").read_text() == "x\n" * 199


def test_settings_are_compared_by_their_patterns() -> None:
    assert missing_lines(IGNORE, "\n".join(LINES[IGNORE]).encode()) == ()
    assert missing_lines(IGNORE, b"") == tuple(line for line in LINES[IGNORE] if line)
    assert missing_lines(ATTRIBUTES, b"*.md text\n\xff\xfe\n!\n")[0].startswith("#")
