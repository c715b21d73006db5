"""What a command imports: the fast ones load nothing heavy (DESIGN §3)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ready_demo import Demo

LIBRARIES = (
    "sklearn", "scipy", "numpy", "anthropic", "httpx", "py3langid", "vaderSentiment", "wordllama", "tokenizers",
    "onnxruntime", "sqlite_vec", "apsw", "Stemmer", "rapidfuzz", "watchfiles",
)  # fmt: skip
"""What topics, search, summaries and the clients of models are made of."""
PARTS = (
    "engine.sessions.monitor",
    "engine.topics.matcher",
    "engine.tuning",
    "engine.services.message_stream",
    "engine.search.searcher",
    "engine.text.poison.classifier",
)
HEAVY = (*LIBRARIES, "textual", "rich", "platformdirs", "asyncio")
SHOW = f"""
import sys
from tui.cli.main import main
code = main(sys.argv[1:])
print("loaded:", [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture
def forgetful(demo: Demo, tmp_path: Path) -> dict[str, str]:
    """The environment of the demonstration, with its records but nothing remembered: other tests share it."""
    state = tmp_path / "state"
    remembered = shutil.ignore_patterns("state.db*", "database.made", "before-state-db")
    shutil.copytree(demo.env["XDG_STATE_HOME"], state, ignore=remembered)
    root = str(Path(__file__).resolve().parents[3])
    return {**os.environ, **demo.env, "XDG_STATE_HOME": str(state), "PYTHONPATH": root}


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (("status",), ["apsw"]),  # it keeps a sample of the gauges in state.db, which takes 3 ms to import
        (("status", "--json"), ["apsw"]),
        (("queue",), ["apsw"]),  # it compares with what was last seen, for what other tools consolidated
        (("log", "--verify"), []),
        (("policy",), []),
        (("--help",), []),
    ],
)
def test_nothing_heavy_is_loaded(
    demo: Demo, forgetful: dict[str, str], arguments: tuple[str, ...], loaded: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOW, *arguments],
        cwd=demo.folder,
        env=forgetful,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, f"loaded: {loaded}\n"), done


def test_the_database_is_loaded_where_something_is_remembered_and_nothing_else(
    demo: Demo, forgetful: dict[str, str]
) -> None:
    """It takes 10 to 17 of 350 ms: `status` and `queue` ask when a job ran last and which plans are snoozed."""
    loaded = []
    for arguments in (["search", "billing", "--save", "mine"], ["status"], ["queue"]):
        command = [sys.executable, "-c", SHOW, *arguments]
        done = subprocess.run(command, cwd=demo.folder, env=forgetful, capture_output=True, text=True)
        assert done.returncode == 0, done
        loaded.append(done.stderr.splitlines()[-1])
    assert loaded[1:] == ["loaded: ['apsw']"] * 2


def test_a_look_at_the_status_loads_no_part_of_the_engine_that_it_does_not_ask(demo: Demo) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOW.replace(repr(HEAVY), repr(PARTS)), "status"],
        cwd=demo.folder,
        env={**os.environ, **demo.env, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "loaded: []\n"), done


@pytest.mark.parametrize("what", ["tui.app", "tui.screens.overview.page", "tui.screens.topics.page"])
def test_the_console_loads_nothing_heavy_before_its_first_paint(what: str) -> None:
    names: tuple[str, ...] = (*LIBRARIES, "engine.services.engine", "re2", "yaml", "tiktoken")
    if what != "tui.screens.topics.page":
        names = (*names, "engine.topics", "engine.sessions")
    code = f"import {what}, sys; print([name for name in {names!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[]\n", done


def test_help_loads_no_engine_beyond_its_errors(demo: Demo) -> None:
    script = SHOW.replace(
        repr(HEAVY), "('engine.services.engine', 'engine.compactor.plan', 'engine.workspace.scanner', 'yaml')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--help"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "loaded: []\n"), done
