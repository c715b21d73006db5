"""`apply` and `undo` on a real terminal, against a real workspace: typing is the only way to say yes (G11, G20).

What needs no process of its own is in `tests/tui/cli/test_approving.py`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pexpect
import pytest

from engine.plans.plan import Create, PlanState, RiskTier
from engine.services.engine import Engine
from engine.workspace.values import FindingKind
from tests.ready_demo import Demo, copy

pytestmark = pytest.mark.pty

ROOT = Path(__file__).resolve().parents[2]
MEMDECK = (sys.executable, "-m", "tui.cli")
SECONDS = 60
WORD = "Type APPROVED to apply: "


class Workspace:
    """A demonstration with a plan that waits."""

    def __init__(self, demo: Demo) -> None:
        self.folder, self.demo = demo.folder, demo
        self.env = {**os.environ, **demo.env, "PYTHONPATH": str(ROOT), "TERM": "xterm", "PYTHONWARNINGS": "ignore"}
        with self.opened() as engine:
            outcome = engine.plans.make("compact")
        assert outcome.plan is not None
        self.compaction = outcome.plan.id
        self.plan = next(plan.id for plan in outcome.also if plan.risk_tier is RiskTier.C)

    def run(self, *arguments: str, stdin: str = "", env: Mapping[str, str] = {}) -> "subprocess.CompletedProcess[str]":
        """A command without a controlling terminal."""
        return subprocess.run(
            [*MEMDECK, *arguments],
            cwd=self.folder,
            env={**self.env, **env},
            input=stdin,
            capture_output=True,
            text=True,
            start_new_session=True,
            timeout=SECONDS,
        )

    def on_terminal(self, *arguments: str) -> "pexpect.spawn[str]":
        return self.spawn(*MEMDECK, *arguments)

    def spawn(self, program: str, *arguments: str) -> "pexpect.spawn[str]":
        return pexpect.spawn(
            program, list(arguments), cwd=str(self.folder), env=self.env, encoding="utf-8", timeout=SECONDS
        )

    def tree(self) -> dict[str, bytes]:
        files = (path for path in self.folder.rglob("*") if path.is_file() and ".git/" not in str(path))
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}

    def opened(self) -> Engine:
        """The engine in this process: what a test looks at needs no other."""
        return Engine.open(self.folder, env=self.demo.env)

    def state(self) -> PlanState:
        with self.opened() as engine:
            return next(entry.state for entry in engine.plans.queue() if entry.id == self.plan)

    def small(self) -> str:
        """Numbers of two changes of tier B: a summary and the move that needs it."""
        with self.opened() as engine:
            changes = engine.plans.load(self.compaction).changes
        create = next(one.n for one in changes if isinstance(one, Create) and one.risk_tier is RiskTier.B)
        move = next(one.n for one in changes if one.requires == (create,))
        return f"{create},{move}"


@pytest.fixture
def workspace(tmp_path: Path, today: Demo) -> Workspace:
    """A workspace to change."""
    return Workspace(copy(today, tmp_path))


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory, today: Demo) -> Workspace:
    """A workspace for all the refusals: none of them may change it."""
    return Workspace(copy(today, tmp_path_factory.mktemp("waiting")))


def ended(child: "pexpect.spawn[str]") -> tuple[int | None, str]:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before or ""


def test_dry_run_approve_undo_gives_back_every_byte(workspace: Workspace) -> None:
    """compactor, whole: the main job of memdeck, typed at a terminal."""
    before = workspace.tree()
    child = workspace.on_terminal("apply", workspace.plan)
    child.expect_exact(WORD)
    assert "+Title: " in (child.before or "")
    child.sendline("APPROVED")
    code, said = ended(child)
    assert code == 0 and "applied" in said
    assert workspace.state() is PlanState.APPLIED and workspace.tree() != before
    child = workspace.on_terminal("undo")
    child.expect(r"Apply \d+ changes\? \[y/N\] ")
    child.sendline("y")
    assert ended(child)[0] == 0
    assert workspace.tree() == before and workspace.state() is PlanState.UNDONE
    with workspace.opened() as engine:
        assert engine.history.verify() == ()
        assert [one for one in engine.maintenance.check(deep=True) if one.kind is not FindingKind.NOTICE] == []


def test_a_wrong_word_writes_nothing(waiting: Workspace) -> None:
    before = waiting.tree()
    child = waiting.on_terminal("apply", waiting.plan)
    child.expect_exact(WORD)
    child.sendline("approved")
    code, said = ended(child)
    assert code == 3 and "plan stays" in said
    assert waiting.tree() == before and waiting.state() is PlanState.PENDING


def test_the_rest_of_a_refused_paste_does_not_reach_the_shell(waiting: Workspace) -> None:
    before = waiting.tree()
    shell = f'{" ".join(MEMDECK)} apply {waiting.plan}; echo "code $?"; IFS= read -r first; echo "shell got [$first]"'
    child = waiting.spawn("bash", "-c", shell)
    child.expect_exact(WORD)
    child.send("\x1b[200~APPROVED\rtouch pwned\r" + "x" * 3000 + "\rls\nuname\x1b[201~\n")
    child.expect_exact("code 3")
    child.sendline("typed by hand")
    child.expect_exact("shell got [typed by hand]")
    child.close(force=True)
    assert waiting.tree() == before and waiting.state() is PlanState.PENDING


def test_ctrl_c_writes_nothing(waiting: Workspace) -> None:
    before = waiting.tree()
    child = waiting.on_terminal("apply", waiting.plan)
    child.expect_exact(WORD)
    child.send("\x03")
    assert ended(child)[0] == 3
    assert waiting.tree() == before and waiting.state() is PlanState.PENDING


def test_some_changes_of_tier_b_want_one_yes(workspace: Workspace) -> None:
    child = workspace.on_terminal("apply", workspace.compaction, "--only", workspace.small(), "--json")
    child.expect_exact("Apply 2 changes? [y/N] ")
    child.sendline("y")
    code, said = ended(child)
    assert code == 0 and '"operation"' in said


def test_a_hang_up_writes_nothing(waiting: Workspace) -> None:
    before = waiting.tree()
    child = waiting.on_terminal("apply", waiting.plan)
    child.expect_exact(WORD)
    child.close(force=True)
    assert waiting.tree() == before and waiting.state() is PlanState.PENDING


def test_a_change_while_the_diff_is_read_gives_4_and_names_the_file(workspace: Workspace) -> None:
    """G10."""
    child = workspace.on_terminal("apply", workspace.plan)
    child.expect_exact(WORD)
    note = workspace.folder / "memory/semantic/openclaw.md"
    note.write_text(note.read_text("utf-8") + "- one more line\n", "utf-8")
    before = workspace.tree()
    child.sendline("APPROVED")
    code, said = ended(child)
    assert code == 4 and note.name in said
    assert workspace.tree() == before and workspace.state() is PlanState.STALE
    assert workspace.run("apply", workspace.plan).returncode == 4


def test_without_a_terminal_no_pipe_can_say_yes(waiting: Workspace) -> None:
    stdin = "y\ny\ny\nAPPROVED\n"
    before = waiting.tree()
    done = waiting.run("apply", waiting.plan, stdin=stdin)
    assert (done.returncode, done.stdout) == (3, "") and done.stderr.count("\n") == 1
    done = waiting.run("undo", stdin=stdin)
    assert done.returncode == 3
    assert waiting.tree() == before and waiting.state() is PlanState.PENDING


def test_a_pipe_beside_a_terminal_cannot_say_yes_either(waiting: Workspace) -> None:
    """The questions go to the terminal, where nobody has typed: what the pipe holds is never read."""
    before = waiting.tree()
    line = f"yes APPROVED | {' '.join(MEMDECK)} apply {waiting.plan}; echo code $?"
    child = waiting.spawn("bash", "-c", line)
    child.expect_exact(WORD)
    child.sendline("no")
    child.expect_exact("code 3")
    child.close(force=True)
    assert waiting.tree() == before


def test_a_what_if_plan_applies_under_its_own_clock_alone(workspace: Workspace) -> None:
    """G18."""
    later = "2100-01-01T00:00:00+00:00"
    made = json.loads(workspace.run("plan", "compact", "--now", later, "--json").stdout)
    assert made["simulated_clock"] is True
    (plan,) = (one for one in made["also"] if one != made["plan"])
    refused = workspace.run("apply", plan)
    assert refused.returncode == 3 and f"--now {later}" in refused.stderr
    child = workspace.on_terminal("apply", plan, "--now", later)
    child.expect_exact(WORD)
    child.sendline("APPROVED")
    assert ended(child)[0] == 0
    with workspace.opened() as engine:
        assert engine.history.operations()[0].simulated_clock
