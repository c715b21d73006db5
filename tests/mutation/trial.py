"""Tries faults in copies of the tree, one a process at work; the checkout itself is never touched."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from tests import turn
from tests.mutation.mutants import Mutant
from tests.mutation.nursery import Order, Outcome
from tests.mutation.reach import IMPORTED, INTO, ROOMS, Reach

ENOUGH, MOST = 20.0, 400
"""Seconds, as they were without a fault, of the tests that a fault is shown to at once; and the most tests in all."""
_PATIENCE, _SLOWER = 300.0, 20
"""Seconds that a run may take besides, and by how much it may be slower on a busy machine."""


class Copy:
    """A copy of the checkout with the data sets beside it, and the process that forks in it."""

    def __init__(self, place: Path) -> None:
        self.tree = place / "tree"
        for name in _files():
            if (turn.ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(turn.ROOT / name, self.tree / name, follow_symlinks=False)
        if (shared := turn.ROOT.parent / "shared").exists():
            (place / "shared").symlink_to(shared.resolve())
        self._log = place / "log"
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, words: Sequence[str], more: dict[str, str]) -> None:
        """Runs pytest in the copy; tests that fail are told by it."""
        subprocess.run([sys.executable, "-m", "pytest", *words], cwd=self.tree, env=self._env() | more, check=False)

    def noticed(self, mutant: Mutant, reach: Reach, tests: Sequence[str]) -> str:
        """Gives the test that fails with this fault, or empty text."""
        # It imports the product as it is, before the first fault is in a file.
        self._nursery(reach)
        file = self.tree / mutant.file
        source = file.read_bytes()
        limit = _PATIENCE + _SLOWER * sum(reach.seconds[test] for test in tests)
        fresh = IMPORTED in reach.tests(mutant.file, range(mutant.line, mutant.last + 1))
        try:
            file.write_bytes(mutant.applied(source))
            # A second's fault of the same size looks to Python like the file that it compiled before.
            for compiled in file.parent.joinpath("__pycache__").glob(f"{file.stem}.*"):
                compiled.unlink()
            return self._ask(Order(mutant.file, mutant.function, tests, limit, fresh), reach).noticed
        finally:
            file.write_bytes(source)

    def _ask(self, order: Order, reach: Reach) -> Outcome:
        pipes = self._nursery(reach)
        pipes[0].write(msgspec.json.encode(order) + b"\n")
        pipes[0].flush()
        return msgspec.json.decode(pipes[1].readline(), type=Outcome)

    def _nursery(self, reach: Reach) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None:
            command = [sys.executable, "-m", "tests.mutation.nursery", str(self._log)]
            self._process = subprocess.Popen(
                command, cwd=self.tree, env=self._env(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            assert self._process.stdin is not None
            self._process.stdin.write(msgspec.json.encode(sorted(reach.seconds.keys() - {IMPORTED})) + b"\n")
            self._process.stdin.flush()
            assert self._process.stdout is not None
            self._process.stdout.readline()
        assert self._process.stdin is not None and self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _env(self) -> dict[str, str]:
        ours = {"PYTHONPATH": str(self.tree), turn.NAME: str(turn.TURN)}
        return os.environ | ours | ({} if self._process is None else {"PYTHONDONTWRITEBYTECODE": "1"})


@contextmanager
def copies(count: int) -> Iterator[list[Copy]]:
    """Copies of the checkout as it stands, uncommitted files among them, that are removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="memdeck-mutation-") as place:
        made = [Copy(Path(place, str(number))) for number in range(count)]
        try:
            yield made
        finally:
            for copy in made:
                copy.close()


def learn(copy: Copy, tests: Sequence[str], rooms: Sequence[str], into: Path, jobs: int) -> None:
    """Runs the tests once without a fault, and keeps which lines each of them reaches."""
    into.mkdir(parents=True)
    words = ["-q", "-n", str(jobs), "--dist", "loadfile", "-m", "not soak", *tests]
    # By this name each worker has the plugin before `conftest.py` imports most of the product.
    copy.run(words, {INTO: str(into), ROOMS: " ".join(rooms), "PYTEST_PLUGINS": "tests.mutation.reach"})


def near(mutant: Mutant, reach: Reach, everything: Sequence[int], importing: Collection[str] = ()) -> list[str]:
    """Chooses the tests that a fault is shown to, those of its own room and the quick ones first. What only an import
    runs is shown to the tests that run anything of that module, and to those of the files that import it."""
    room = mutant.file.split("/")[1]
    found = reach.tests(mutant.file, range(mutant.line, mutant.last + 1))
    if found == {IMPORTED}:
        found = reach.tests(mutant.file, everything)
        found |= {test for test in reach.seconds if test.partition("::")[0] in importing}
    found -= {IMPORTED}
    return sorted(found, key=lambda test: (f"/{room}/" not in test, reach.seconds[test], test))[:MOST]


def portions(tests: Sequence[str], reach: Reach) -> Iterator[list[str]]:
    """Parts the tests of a fault by their seconds: it is shown to the next part where none of those before fails."""
    part, left = list[str](), ENOUGH
    for test in tests:
        if part and left < reach.seconds[test]:
            yield part
            part, left = [], ENOUGH
        part.append(test)
        left -= reach.seconds[test]
    if part:
        yield part


def _files() -> list[str]:
    asked = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    return subprocess.run(asked, cwd=turn.ROOT, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
