"""The console killed at a write of its own, whichever thread makes it: nothing is lost, and all is mended (B1, B2)."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.services.engine import Engine
from tests.pty.test_console import ROOT, Screen
from tests.ready_demo import Demo, make
from tests.soak.draw import seed_of_commit
from tests.soak.page import Page, compiler, library
from tests.soak.place import contents, copy, empty, is_ours

pytestmark = [
    pytest.mark.soak,
    pytest.mark.pty,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(compiler() is None, reason="needs Linux and a C compiler for tests/soak/faults.c"),
]

KILLS = 6
"""For each work: at so many calls, one drawn from each equal stretch of those that it makes."""
QUIET = 3.0
"""Seconds without a write after which the console counts as idle."""


LOCK = "k"
"""The kind of a call that takes or gives back a lock: an idle console takes one at each look for changes."""


class Work(NamedTuple):
    """How the console is brought to it, what begins it, and what is on the screen at its end."""

    reach: Callable[[Screen], None]
    begin: Callable[[Screen], object]
    end: Callable[[Screen], object]


def at_dry_run(console: Screen) -> None:
    console.until("over its risk line")
    console.press("d")
    console.until("which system")


def at_start(console: Screen) -> None:
    """The index is made anew from the first moment on."""


WORKS = {
    "dry run": Work(at_dry_run, lambda it: it.child.send("\r"), lambda it: it.until("A plan waits")),
    "index": Work(at_start, lambda _: 0, lambda it: it.until("over its risk line")),
}


class Whole(NamedTuple):
    """The user's files at one instant, and what git sees as changed."""

    files: dict[str, bytes]
    dirty: frozenset[str]


class Bench:
    """A demonstration with a plan that waits, put back before each kill in the same folders: plans name inodes."""

    def __init__(self, base: Path) -> None:
        self.demo: Demo = make(base, now=datetime.now(UTC))
        with Engine.open(self.demo.folder, env=self.demo.env) as console:
            assert console.plans.make("compact").plan is not None
        self.folders = (self.demo.folder, base / "state")
        self.kept = base / "kept"
        for folder in self.folders:
            (self.kept / folder.name).mkdir(parents=True)
            copy(folder, self.kept / folder.name)
        Page.make(base / "page")
        self.page = Page(base / "page")
        more = {"LD_PRELOAD": str(library()), "MEMDECK_FAULTS": str(base / "page")}
        self.preloaded = self.demo._replace(env={**self.demo.env, **more})

    def restore(self) -> None:
        for folder in self.folders:
            empty(folder)
            copy(self.kept / folder.name, folder)

    def look(self) -> Whole:
        files = {name: data for name, data in contents(self.demo.folder) if not is_ours(name)}
        git = ["git", "status", "--porcelain", "-uall"]
        dirty = subprocess.run(git, cwd=self.demo.folder, capture_output=True, text=True, check=True).stdout
        return Whole(files, frozenset(line for line in dirty.splitlines() if not is_ours(line[3:])))

    def memdeck(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        env = {**self.demo.env, "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tui.cli", *arguments]
        return subprocess.run(command, cwd=self.demo.folder, env=env, capture_output=True, text=True, check=False)

    def count(self, work: Work) -> int:
        """The calls from the work's beginning until the console is idle again."""
        with self.opened() as console:
            work.reach(console)
            with self.page.armed(pid=console.pid):
                work.begin(console)
                work.end(console)
                self.wait_until_idle(console)
                return len(self.page.calls())

    def kill(self, work: Work, at: int) -> bool:
        """False where the console came to its end without that call: its threads are not the same twice."""
        with self.opened() as console:
            work.reach(console)
            with self.page.armed("kill", at, pid=console.pid):
                work.begin(console)
                with suppress(AssertionError):  # it is gone before the end
                    work.end(console)
                self.wait_until_idle(console)
            return self.page.fired

    def wait_until_idle(self, console: Screen) -> None:
        seen, since = -1, time.monotonic()
        while console.child.isalive() and time.monotonic() - since < QUIET:
            console.read()
            writes = sum(call.kind != LOCK for call in self.page.calls())
            if writes != seen:
                seen, since = writes, time.monotonic()

    def opened(self) -> "Opened":
        self.restore()
        return Opened(Screen(str(self.demo.folder), demo=self.preloaded))


class Opened:
    """A console that is gone at the end, whatever happened."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def __enter__(self) -> Screen:
        return self._screen

    def __exit__(self, *_: object) -> None:
        child = self._screen.child
        if child.isalive():
            child.kill(signal.SIGKILL)
            child.wait()
        child.close()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    yield Bench(tmp_path_factory.mktemp("console"))


def problems(bench: Bench, wholes: list[Whole]) -> Iterator[str]:
    """What is wrong after the kill, once `recover` has run."""
    first, second = bench.memdeck("recover"), bench.memdeck("recover")
    if first.returncode != 0:
        yield f"recover: {first.stdout}{first.stderr}"
    if "nothing to recover" not in second.stdout:
        yield f"recover found something again: {second.stdout}{second.stderr}"
    for command in (["check", "--deep"], ["log", "--verify"], ["status"], ["search", "billing"]):
        ran = bench.memdeck(*command)
        if ran.returncode != 0 or "Traceback" in ran.stderr:
            yield f"{' '.join(command)}: {ran.stdout}{ran.stderr}"
    here = bench.look()
    known = [whole.dirty for whole in wholes if whole.files == here.files]
    if not known:
        old = wholes[0].files
        yield f"neither old nor new: {sorted(name for name, data in here.files.items() if old.get(name) != data)[:4]}"
    elif here.dirty not in known:
        yield f"git is behind: {sorted(here.dirty ^ known[0])[:4]}"


@pytest.mark.parametrize("name", WORKS)
def test_a_console_that_is_killed_loses_nothing(bench: Bench, name: str) -> None:
    work, draw = WORKS[name], random.Random(f"{seed_of_commit()} {name}")
    bench.restore()
    before = bench.look()
    calls = bench.count(work)
    wholes = [before, bench.look()]
    assert calls > KILLS
    found, fired = {}, 0
    for n in range(KILLS):
        at = draw.randrange(1 + calls * n // KILLS, 1 + calls * (n + 1) // KILLS)
        fired += bench.kill(work, at)
        if told := list(problems(bench, wholes)):
            found[at] = told
    assert found == {}
    assert fired > KILLS // 2
