"""Learns which tests reach which lines: a plugin of pytest (`PYTEST_PLUGINS`, or `-p`) that writes a row a test."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import coverage
import msgspec
import pytest

INTO, ROOMS = "MEMDECK_REACH", "MEMDECK_REACH_ROOMS"
"""The folder for the rows, and the folders of the product that are watched."""
IMPORTED = ""
"""Stands for the import of a module in the place of a test."""


class Reached(msgspec.Struct, frozen=True):
    """One test that passed, with its seconds and the lines that it ran in each file."""

    test: str
    seconds: float
    lines: Mapping[str, list[int]]


class Reach:
    """The tests by the lines that they ran."""

    def __init__(self, rows: Iterable[Reached]) -> None:
        self.seconds: dict[str, float] = {}
        self._lines: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        for row in rows:
            self.seconds[row.test] = max(row.seconds, self.seconds.get(row.test, 0.0))
            for file, lines in row.lines.items():
                for line in lines:
                    self._lines[file, line].add(row.test)

    def tests(self, file: str, lines: Iterable[int]) -> set[str]:
        """Gives the tests that ran one of these lines, `IMPORTED` among them where the import of the file does."""
        return set().union(*(self._lines.get((file, line), ()) for line in lines))


def rows_in(folder: Path) -> list[Reached]:
    """Reads what the processes of one run wrote."""
    return [
        msgspec.json.decode(row, type=Reached)
        for file in sorted(folder.glob("*.jsonl"))
        for row in file.read_bytes().splitlines()
    ]


class _Watch:
    def __init__(self, into: Path, rooms: list[str]) -> None:
        self._file = into / f"{os.getpid()}.jsonl"
        self._coverage = coverage.Coverage(data_file=None, config_file=False, include=[f"{room}/*" for room in rooms])
        self._seconds: dict[str, float] = defaultdict(float)
        self._failed: set[str] = set()
        self._coverage.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        data, lines = self._coverage.get_data(), defaultdict[str, dict[str, list[int]]](lambda: defaultdict(list))
        for file in data.measured_files():
            for line, tests in data.contexts_by_lineno(file).items():
                for test in tests:
                    lines[test][os.path.relpath(file)].append(line)
        with self._file.open("ab") as out:
            # A test that runs no line of the product may read its text: it is known by its seconds alone.
            for test in (lines.keys() | self._seconds.keys()) - self._failed:
                out.write(msgspec.json.encode(Reached(test, self._seconds[test], lines[test])) + b"\n")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Watches in each process that runs tests itself, from before the first `conftest.py` imports any of the product:
    what an import runs is known by `IMPORTED` and nothing else."""
    shares = (
        getattr(early_config.known_args_namespace, "numprocesses", None) and "PYTEST_XDIST_WORKER" not in os.environ
    )
    if INTO in os.environ and not shares:
        early_config.pluginmanager.register(_Watch(Path(os.environ[INTO]), os.environ[ROOMS].split()))
