"""What every test shares: a home of its own, and the data sets where they are present."""

import gc
import os
import re
import resource
import signal
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from engine.services.engine import Engine
from tests import folders, turn

# A landing must not depend on luck: `make test` draws one of ten fixed sets of examples, `make soak` new ones.
# No test asserts a time, so none of hypothesis's clocks runs.
settings.register_profile(turn.WHOLE, derandomize=False, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("seeded", settings.get_profile(turn.WHOLE), database=None, max_examples=turn.examples(100))
settings.load_profile("seeded")

# A worker holds half a million objects of tests and modules, and going through them took a sixth of its time.
gc.set_threshold(50_000, 20, 10)

# A run that a shell put into the background ignores ctrl+c, and so would each process that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# As many processes as there are processors run the tests; threads of matrices beside them only wait for each other.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

# Glyphs are looked for on screens: whoever runs the tests under the locale `C` would see others.
for name in ("LC_ALL", "LC_CTYPE", "LANG"):
    os.environ.pop(name, None)

_FOLDERS = count()
COLLECTED_AFTER = 200 * 1024
"""KiB by which the process grew: a console's index takes 40 MB, and what refers to itself waits for a collection."""
SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Says where folders stand; the processes of one run draw the same samples, whatever is committed meanwhile."""
    os.environ[turn.NAME] = str(turn.TURN)
    folders.choose()
    if config.option.hypothesis_seed is None and config.option.hypothesis_profile != turn.WHOLE:
        config.option.hypothesis_seed = str(turn.TURN % turn.PARTS)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves to `make soak` what `sampled(N)` does not draw: of the cases of a test one in N runs at each commit."""
    cases: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        cases[test] += 1
        sampled = item.get_closest_marker("sampled")
        if sampled is not None and not turn.is_drawn(crc32(test.encode()) + cases[test], *sampled.args):
            item.add_marker(pytest.mark.soak)


def pytest_collection_finish() -> None:
    """What was imported lives to the end, so that no collection of garbage goes through it again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"samples drawn by commit: {turn.NAME}={turn.TURN} draws them again")


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """State, policy and git settings of the person who runs the tests are never read nor written."""
    home = tmp_path_factory.getbasetemp() / f"home{next(_FOLDERS)}"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return home


@pytest.fixture(autouse=True)
def engines_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each engine that a test opened gives its descriptors back: a process has room for a thousand of them."""
    opened, opening = list[Engine](), Engine.open

    def remembered(*where: Any, **named: Any) -> Engine:
        opened.append(opening(*where, **named))
        return opened[-1]

    monkeypatch.setattr(Engine, "open", remembered)
    yield
    for engine in opened:
        engine.close()
    if opened:
        _COLLECTOR.collect_if_grown()


class _Collector:
    """A collection goes through all objects, so there is one only where the process is larger than it ever was."""

    largest = 0
    """KiB of the process at the last collection."""

    def collect_if_grown(self) -> None:
        now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if now > self.largest + COLLECTED_AFTER:
            self.largest = now
            gc.collect()


_COLLECTOR = _Collector()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own. Pytest's looks through those of all tests before for the next free number."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}-{next(_FOLDERS)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real inputs with known answers; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"the data sets are not at {SHARED}")
    return SHARED
