"""The four hooks against a stand-in for Claude Code, memdeck killed in between: never stuck, nothing flushed twice."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from engine.errors import MemdeckError
from engine.plans.plan import OPEN_STATES
from engine.services.engine import Engine
from tests.engine.flush.test_plan import Place, apply
from tests.engine.sessions.window_logs import answer, said
from tests.soak.claude_code import ClaudeCode
from tests.soak.draw import seed_of_commit
from tests.soak.page import Page, compiler, library
from tests.soak.test_soak import needs_compiler

POINTS, SAMPLE = 100, 1
DECIDES = 10
"""So many compactions lie between two of the operator's decisions."""
NOBODY = 1 << 30
"""The id of no process: whichever meets the point dies, and the others go on."""
EVENTS = ("SessionStart", "InstructionsLoaded", "PreCompact", "PostCompact")


class Session:
    """A workspace, the session beside it, and the hooks as memdeck prints them."""

    def __init__(self, folder: Path, policy: str = "") -> None:
        self.place = Place(folder)
        self.place.write("CLAUDE.md", "# Rules\n")
        self.place.write("memory/2026-03-15.md", "# day\n")
        config = Path(self.place.env["XDG_CONFIG_HOME"], "memdeck")
        config.mkdir(parents=True, mode=0o700)
        if policy:
            (config / "policy.yaml").write_text(policy, encoding="utf-8")
        self.env = {**os.environ, **self.place.env, "HOME": str(folder), "PYTHONPATH": str(Path.cwd())}
        asked = [sys.executable, "-m", "tui.cli", "-w", str(self.place.root), "connect", "claude-code", "--json"]
        printed = subprocess.run(asked, env=self.env, capture_output=True, check=True, text=True).stdout
        self.settings = next(text for path, text in json.loads(printed)["files"].items() if "settings" in path)
        self.turns = 0

    def tool(self, more: dict[str, str] | None = None) -> ClaudeCode:
        return ClaudeCode(self.settings, self.place.log, self.place.root, self.env | (more or {}))

    def say(self) -> None:
        """A turn with something that must not be lost."""
        self.turns += 1
        text = f"- keep number {self.turns:03} as it is [CURATE]"
        self.place.say(said(f"turn {self.turns}"), answer(f"m{self.turns}", (0, 150_000, 0), text=text))

    def written(self) -> str:
        files = sorted(self.place.root.rglob("*.md"))
        return "\n".join(file.read_text(encoding="utf-8") for file in files)

    def decide(self) -> None:
        """The operator approves whatever waits, and what a flush still finds then."""
        with self.place.open() as engine:
            for entry in engine.plans.queue():
                if entry.state in OPEN_STATES and entry.system == "flush":
                    with suppress(MemdeckError):  # it went stale by the one before
                        apply(engine, engine.plans.load(entry.id))
            outcome = engine.plans.make("flush")
            if outcome.plan is not None:
                apply(engine, outcome.plan)
            assert engine.plans.make("flush").plan is None

    def prove(self) -> None:
        """Every turn is saved, and stands once."""
        text = self.written()
        counts = {n: text.count(f"keep number {n:03} as it is") for n in range(1, self.turns + 1)}
        assert set(counts.values()) == {1}, {n: count for n, count in counts.items() if count != 1}
        with self.place.open() as engine:
            seen = engine.flushes.compactions()
            assert seen and all(one.saved != "not saved" for one in seen)


def campaign(folder: Path, most: int) -> None:
    """Compactions at a drawn write of which whatever process makes it is killed, until so many were."""
    session, path = Session(folder), folder / "page"
    Page.make(path)
    page = Page(path)
    faults = {"LD_PRELOAD": str(library()), "MEMDECK_FAULTS": str(path)}
    calls = counted(session, page, faults)
    draw = random.Random(seed_of_commit())
    deaths = 0
    for number in range(1, 3 * most + 1):
        died = dies(session, page, faults, draw.randrange(1, calls))
        deaths += died
        if number % DECIDES == 0 or deaths == most:
            session.say()
            assert session.tool().compact(150_000)
            session.decide()
            session.prove()
        if deaths == most:
            return
    pytest.fail(f"only {deaths} of {3 * most} points were reached")


def counted(session: Session, page: Page, faults: dict[str, str]) -> int:
    """The writing calls of a compaction that nothing harms, in all processes that its hooks start."""
    session.say()
    tool = session.tool(faults)
    with page.armed("count", pid=NOBODY):
        tool.start(session.place.root / "CLAUDE.md")
        assert tool.compact(150_000)
    calls = len(page.calls())
    assert calls > POINTS
    return calls


def dies(session: Session, page: Page, faults: dict[str, str], point: int) -> bool:
    """One compaction with a death at that call; tells whether it was reached. Whatever dies holds nothing."""
    session.say()
    tool = session.tool(faults)
    with page.armed("kill", point, pid=NOBODY):
        tool.start(session.place.root / "CLAUDE.md")
        assert tool.compact(150_000)
        died = page.fired
    assert {run.code for run in tool.runs} == {0}, "no hook was stuck or failed the tool"
    assert {run.event for run in tool.runs} == set(EVENTS)
    return died


@pytest.mark.sampled(3)
@pytest.mark.timeout(900)
@needs_compiler
def test_a_sample_of_deaths_holds_no_compaction_and_flushes_nothing_twice(tmp_path: Path) -> None:
    campaign(tmp_path, SAMPLE)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@needs_compiler
def test_a_hundred_deaths_hold_no_compaction_and_flush_nothing_twice(tmp_path: Path) -> None:
    campaign(tmp_path, POINTS)


HOLD = "context: {hold_compaction: always, hold_seconds: 600}\n"


def waiting_plan(session: Session) -> bool:
    with Engine.open(session.place.root, env=session.place.env, read_only=True) as engine:
        return any(entry.system == "flush" and entry.state in OPEN_STATES for entry in engine.plans.queue())


@pytest.mark.skipif(compiler() is None, reason="needs Linux")
def test_b24_a_memdeck_that_is_killed_while_it_holds_lets_the_compaction_through(tmp_path: Path) -> None:
    session = Session(tmp_path, HOLD)
    session.say()
    tool = session.tool()
    done = threading.Event()

    def compact() -> None:
        tool.compact(150_000)
        done.set()

    thread = threading.Thread(target=compact, daemon=True)
    thread.start()
    while not waiting_plan(session):
        assert not done.wait(0.05), "it is held until the plan is decided"
    while not done.wait(0.05):
        for pid in holders(session.place.root):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    thread.join()
    assert tool.compactions == 1 and {run.code for run in tool.runs} == {0}
    session.decide()
    session.prove()


def holders(root: Path) -> list[int]:
    """The processes of memdeck that take an event for this workspace; their shells are left alone."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if b"hook" in words and str(root).encode() in words and b"-c" not in words:
                    found.append(int(entry.name))
    return found


def test_the_stand_in_takes_exit_codes_answers_and_times_as_claude_code_does(tmp_path: Path) -> None:
    def compacts(command: str, seconds: float = 60) -> tuple[bool, int | None]:
        hook = {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}
        log = tmp_path / "s-1.jsonl"
        log.touch()
        tool = ClaudeCode(json.dumps({"hooks": {"PreCompact": [hook]}}), log, tmp_path, os.environ)
        return tool.compact(1), tool.runs[0].code

    assert compacts("true") == (True, 0)
    assert compacts("exit 1") == (True, 1)
    assert compacts("exit 2") == (False, 2)
    assert compacts("""echo '{"decision": "block"}'""") == (False, 0)
    assert compacts("sleep 600", 0.2) == (True, None)
    assert compacts("""grep -q '"hook_event_name": "PreCompact"' && exit 2""") == (False, 2)
