"""The number by which samples rotate: another at each commit, and the same for everybody who tests that commit."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from hypothesis import settings

NAME = "MEMDECK_TEST_TURN"
"""Draws the samples of another commit again."""
_Row = TypeVar("_Row")
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

PARTS = 10
"""The examples of a property are drawn in so many parts: a commit has one, `make soak` as many as all of them."""
WHOLE = "fresh"
"""The profile of hypothesis under which a property has all of its examples."""


def _is_whole() -> bool:
    return settings.get_current_profile_name() == WHOLE


def examples(whole: int) -> int:
    """How many examples of a property this run draws, of as many in all."""
    return whole if _is_whole() else max(whole // PARTS, min(whole, 10))


def part(whole: Sequence[_Row], parts: int = PARTS) -> Sequence[_Row]:
    """The tenth of a long table that the commit draws; all of it in `make soak`, for a test marked `sampled(1)`.

    For one marked `sampled(N)`, a number of parts without a common factor with N: else some part is never drawn.
    """
    return whole if _is_whole() else whole[TURN % parts :: parts]


def is_drawn(number: int, one_in: int) -> bool:
    """Tells whether the case of this number is one that the commit draws."""
    return (number + TURN) % one_in == 0
