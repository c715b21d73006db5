"""The number by which samples rotate: another at each commit, and the same for everybody who tests that commit."""

import os
import subprocess
from pathlib import Path

NAME = "MEMDECK_TEST_TURN"
"""Draws the samples of another commit again."""
ROOT = Path(__file__).parents[1]


def turn_of_commit() -> int:
    """The count of commits up to here; 0 where there is no repository."""
    asked = ["git", "rev-list", "--count", "HEAD"]
    try:
        ran = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return 0
    return int(ran.stdout) if ran.returncode == 0 else 0


TURN = int(os.environ[NAME]) if NAME in os.environ else turn_of_commit()
