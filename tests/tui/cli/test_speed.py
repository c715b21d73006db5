"""What a command imports: the fast ones load nothing heavy (DESIGN §3)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.demo.conftest import Demo

HEAVY = ("textual", "rich", "sklearn", "scipy", "numpy", "anthropic", "watchfiles", "platformdirs", "asyncio")
SHOW = f"""
import sys
from tui.cli.main import main
code = main(sys.argv[1:])
print("loaded:", [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "arguments", [("status",), ("status", "--json"), ("queue",), ("log", "--verify"), ("policy",), ("--help",)]
)
def test_nothing_heavy_is_loaded(demo: Demo, arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOW, *arguments],
        cwd=demo.folder,
        env={**os.environ, **demo.env, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "loaded: []\n"), done


def test_help_loads_no_engine_beyond_its_errors(demo: Demo) -> None:
    script = SHOW.replace(repr(HEAVY), "('engine.console', 'engine.tiers.compact', 'engine.workspace.scan', 'yaml')")
    done = subprocess.run(
        [sys.executable, "-c", script, "--help"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "loaded: []\n"), done
