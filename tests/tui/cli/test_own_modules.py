"""A command imports of our modules only what it needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ready_demo import Demo

ROOT = Path(__file__).parents[3]
LISTED = """
import json, sys
from tui.cli.main import main
main(sys.argv[1:])
own = sorted(name for name in sys.modules if name.partition(".")[0] in ("engine", "tui"))
print(json.dumps(own), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("most", "command"),
    [
        (150, ("queue",)),
        (150, ("queue", "--json")),
        (240, ("status",)),
        (230, ("search", "backup")),
        (60, ("keys",)),
        (230, ("--now", "2026-03-15T09:30", "plan", "prune")),
    ],
)
def test_a_command_imports_no_more_of_our_modules_than_it_needs(
    demo: Demo, most: int, command: tuple[str, ...]
) -> None:
    with demo.open_today() as engine:
        engine.status.read()  # the numbers are those of a folder that was looked at before
        engine.flags.look(10**9)
    ran = subprocess.run(
        [sys.executable, "-c", LISTED, "-w", str(demo.folder), *command],
        env={**demo.env, "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    own = json.loads(ran.stderr.splitlines()[-1])
    assert len(own) <= most, own
