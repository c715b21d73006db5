"""Starts the worker processes and asks them, one question at a time each."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

import msgspec

from tests.soak.page import Call, Page, library
from tests.soak.point import Point, Result

ROOT = Path(__file__).resolve().parents[2]
FAST = Path("/dev/shm")
"""Where there is memory to work in: thousands of points write some gigabytes."""
SMALL = 16 << 20
"""Bytes of a small disk: what a stage needs, and room for what fills it up."""


class NotMounted(Exception):
    """No disk can be mounted here."""


def _mounted(place: Path) -> Path:
    """A disk of its own for a folder."""
    place.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={SMALL},mode=700", "memdeck-soak", str(place)]
    try:
        mounted = subprocess.run(options, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise NotMounted("mount is not installed") from error
    if mounted.returncode != 0:
        raise NotMounted(mounted.stderr.strip()[:100])
    return place


class Worker:
    """The campaign's end of one worker. `across`: its state folder lies on another mount, where there is one.

    `small` names the folder (`ws`, `state`) that has a small disk of its own; `NotMounted` where that is not permitted.
    """

    def __init__(self, *, across: bool = False, small: str = "") -> None:
        fast = FAST if os.access(FAST, os.W_OK) else None
        self._folders = [Path(tempfile.mkdtemp(prefix="memdeck-soak-", dir=fast))]
        if across:
            self._folders.append(Path(tempfile.mkdtemp(prefix="memdeck-soak-")))
        base, beside = self._folders[0], self._folders[-1]
        Page.make(base / "page")
        self._disk = _mounted(base / small) if small else None
        env = {
            **os.environ,
            "LD_PRELOAD": str(library()),
            "MEMDECK_FAULTS": str(base / "page"),
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-m", "tests.soak.worker", str(base), str(beside)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT, env=env)

    def count(self, name: str) -> tuple[Call, ...]:
        """The writing calls of an unharmed run."""
        return msgspec.convert(self._ask({"do": "count", "command": name}), tuple[Call, ...])

    def point(self, point: Point) -> Result:
        return msgspec.convert(self._ask({"do": "point", **msgspec.to_builtins(point)}), Result)

    def unseen(self, name: str) -> tuple[str, ...]:
        """The files that a command changes by calls that nobody writes down."""
        return msgspec.convert(self._ask({"do": "unseen", "command": name}), tuple[str, ...])

    def full(self, name: str, folder: str, left: int) -> Result:
        """A command whose disk has so many bytes left for `folder`."""
        return msgspec.convert(self._ask({"do": "full", "command": name, "folder": folder, "left": left}), Result)

    def written_by(self, arguments: str) -> tuple[str, ...]:
        """The files that a command changed, beyond what every look at the workspace keeps."""
        return msgspec.convert(self._ask({"do": "read", "arguments": arguments}), tuple[str, ...])

    def _ask(self, question: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{msgspec.json.encode(question).decode()}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError(f"a worker died over {question}")
        return msgspec.json.decode(line)

    def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        if self._disk is not None:
            subprocess.run(["umount", self._disk], check=True)
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)


class Workers:
    """Several workers; of each four one has its state on another mount, where the disk is slower."""

    def __init__(self, jobs: int, *, across: bool | None = None) -> None:
        kinds = [n % 4 == 1 if across is None else across for n in range(jobs)]
        self.kinds = tuple(kinds)
        self._idle: dict[bool, SimpleQueue[Worker]] = {kind: SimpleQueue() for kind in set(kinds)}
        self._all = [(kind, Worker(across=kind)) for kind in kinds]
        for kind, worker in self._all:
            self._idle[kind].put(worker)
        self._threads = {kind: ThreadPoolExecutor(kinds.count(kind)) for kind in set(kinds)}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for threads in self._threads.values():
            threads.shutdown(cancel_futures=True)
        for _, worker in self._all:
            worker.close()

    def counts(self, names: Iterable[str]) -> Iterator[tuple[str, tuple[Call, ...]]]:
        """The calls of each command, as they come."""
        kind = self.kinds[0]
        waiting = {self._threads[kind].submit(self._count, kind, name): name for name in names}
        for done in as_completed(waiting):
            yield waiting[done], done.result()

    def results(self, points: Iterable[Point]) -> Iterator[tuple[Point, Result]]:
        """What each point came to, as they come."""
        waiting = {self._threads[point.across].submit(self._point, point): point for point in points}
        for done in as_completed(waiting):
            yield waiting[done], done.result()

    def _count(self, kind: bool, name: str) -> tuple[Call, ...]:
        with self._one(kind) as worker:
            return worker.count(name)

    def _point(self, point: Point) -> Result:
        with self._one(point.across) as worker:
            return worker.point(point)

    @contextmanager
    def _one(self, kind: bool) -> Iterator[Worker]:
        """A worker that has nothing to do; each thread finds one."""
        worker = self._idle[kind].get()
        try:
            yield worker
        finally:
            self._idle[kind].put(worker)
