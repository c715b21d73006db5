"""Ten years of logs: a cycle with nothing new against a warm status, in one console and each in a process of its own,
opening the tree's screen, and walking down it."""

import asyncio
import os
import random
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles

from engine.plans.grant import grant
from engine.plans.operation import Witness
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.tree.cycle.idle import TreeRequest
from engine.tree.levels import ROOT_PATH
from tests.benchmarks.figure import Figure
from tui.app import MemdeckApp
from tui.bridge.engine_source import Opening
from tui.screens.tree.page import TreePage

DAYS = 3650
FIRST = date(2016, 3, 1)
NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
_TOPICS = [
    f"{a} {b}" for a in ("login", "parser", "garden", "billing", "search", "heating") for b in ("flow", "tests", "plan")
]


def write_logs(folder: Path) -> None:
    """A log for each day: three sections of two to five lines."""
    chance = random.Random(5)
    words = [f"word{number}" for number in range(900)]
    (folder / "memory").mkdir(parents=True)
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        sections = []
        for topic in chance.sample(_TOPICS, 3):
            lines = "".join(f"- {' '.join(chance.choices(words, k=9))}\n" for _ in range(chance.randint(2, 5)))
            sections.append(f"## {topic} [project]\n{lines}")
        (folder / "memory" / f"{day}.md").write_text("\n".join(sections), encoding="utf-8")


def open_console(folder: Path, base: Path, now: datetime = NOW) -> Engine:
    env = {"XDG_STATE_HOME": str(base / "state"), "XDG_CONFIG_HOME": str(base / "config"), "HOME": str(base)}
    return Engine.open(folder, env=env, clock=lambda: now)


def grow(folder: Path, base: Path) -> None:
    """Makes the tree of ten years with one drain, applied as a person would."""
    with open_console(folder, base) as console:
        plan = console.plans.make("tree", PlanRequest(TreeRequest(drain=True))).plan
        assert plan is not None
        numbers = tuple(change.n for change in plan.changes)
        approval = grant(
            target=plan.digest,
            numbers=numbers,
            risk_tier=plan.risk_tier,
            typed="y",
            answers=(),
            witness=Witness("/dev/pts/0", ("bench(1)",), "bench", "terminal"),
            now=NOW,
            nonce=secrets.token_hex(8),
            shown="each",
        )
        console.plans.apply(plan, approval)


def timed(work: Callable[[], object], rounds: int = 5) -> list[float]:
    """Milliseconds of each round."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return times


def in_processes(folder: Path, base: Path, rounds: int = 5) -> tuple[float, float]:
    """Processor milliseconds of `memdeck status` and of `memdeck plan tree`, each in fresh processes, by turns."""
    env = {**os.environ, "XDG_STATE_HOME": f"{base}/state", "XDG_CONFIG_HOME": f"{base}/config", "HOME": str(base)}

    def spent(*words: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [
            sys.executable,
            "-c",
            "from tui.cli.main import run; run()",
            "-w",
            str(folder),
            "--now",
            NOW.isoformat(),
            *words,
        ]
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000

    pairs = [(spent("status"), spent("plan", "tree")) for _ in range(rounds)]
    return median(status for status, _ in pairs), median(cycle for _, cycle in pairs)


def walk_down(console: Engine, rounds: int = 60) -> list[float]:
    """Milliseconds of each step of walks from ROOT to a raw log: children, facts and lines of a node."""
    chance = random.Random(3)
    browser = console.tree.browse()
    times = []
    for _ in range(rounds):
        path = ROOT_PATH
        while True:
            started = time.perf_counter()
            children = browser.children(path)
            browser.lines(path)
            times.append((time.perf_counter() - started) * 1000)
            if not children:
                break
            path = chance.choice(children).path
    return times


async def until(done: Callable[[], bool], started: float) -> float:
    """Milliseconds from `started` until something is so, looked at between the screen's own work."""
    while not done():
        await asyncio.sleep(0.0005)
    return (time.perf_counter() - started) * 1000


async def on_screen(console: Engine, rounds: int = 25) -> tuple[float, list[float]]:
    """Milliseconds until the tree's screen shows ROOT, and until each node on the way down a walk is on screen."""
    app = MemdeckApp(Opening(console.workspace, lambda: console), user_home="")
    chance = random.Random(7)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: app.status is not None, time.perf_counter())
        await pilot.pause(1)
        started = time.perf_counter()
        await app.action_go("tree")
        page = app.page
        assert isinstance(page, TreePage)
        opened = await until(lambda: (text := page.text_pane.text) is not None and text.path == ROOT_PATH, started)
        steps = []
        for _ in range(rounds):
            path = ROOT_PATH
            while (below := page.nodes.walk.below.get(path)) or path in page.nodes.walk.unread():
                path = chance.choice(below or (path,))
                steps.append(await shown(page, path))
            await pilot.pause()
    return opened, steps


async def shown(page: TreePage, path: str) -> float:
    """Milliseconds until a node is under the cursor, its text on screen and its children read."""
    started = time.perf_counter()
    page.nodes.reveal(path)
    if path not in page.nodes.walk.opened:
        page.nodes.action_open_node()
    node = page.nodes.walk.known[path]

    def done() -> bool:
        text = page.text_pane.text is not None and page.text_pane.text.path == path
        return (text or not node.status) and path not in page.nodes.walk.unread()

    return await until(done, started)


def ratios() -> list[Figure]:
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "workspace"
        write_logs(folder)
        began = time.perf_counter()
        grow(folder, Path(base))
        grown = time.perf_counter() - began
        with open_console(folder, Path(base)) as console:
            console.status.read()
            outcome = console.plans.make("tree")
            assert outcome.plan is None, outcome.reason_no_action
            status, cycle = median(timed(console.status.read)), median(timed(lambda: console.plans.make("tree")))
            opened = median(timed(lambda: console.tree.browse().children(ROOT_PATH)))
            todo = median(timed(lambda: console.tree.browse().todo()))
            steps = walk_down(console)
            screen, drills = asyncio.run(on_screen(console))
            alone, planned = in_processes(folder, Path(base))
            nodes = sum(len(list((folder / "memory" / name).iterdir())) for name in ("daily", "weekly", "monthly"))
    p95 = quantiles(steps, n=20)[-1]
    detail = f"{cycle:.0f} ms against {status:.0f} ms; {nodes:,} nodes, grown in {grown:.0f} s"
    spent = f"{planned:.0f} ms against {alone:.0f} ms of processor time"
    return [
        Figure(f"tree cycle with nothing new, {DAYS:,} logs ÷ warm status", cycle / status, 1.5, "×", detail),
        Figure(
            "the same, each in a fresh process",
            planned / alone,
            1.5,
            "×",
            spent,
        ),
        Figure(
            "opening the tree's screen on ten years", screen, 200, "ms", f"at 80×24; the engine's part: {opened:.0f} ms"
        ),
        Figure(
            "one step down on screen, p95", quantiles(drills, n=20)[-1], 50, "ms", f"median {median(drills):.1f} ms"
        ),
        Figure("one step down the tree, p95", p95, 50, "ms", f"median {median(steps):.1f} ms; all gaps: {todo:.0f} ms"),
    ]
