"""Each row of the decisions has a test that names it, so that none is forgotten."""

import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DECISIONS = TESTS.parents[1] / "shared" / "spec" / "DECISIONS.md"
NOT_BUILT: tuple[str, ...] = ()
"""Rows that no test names yet, in the order of the page: who builds one takes its line out, in the same commit."""


@cache
def _rows() -> tuple[str, ...]:
    if not DECISIONS.is_file():
        pytest.skip(f"the decisions are not at {DECISIONS}")
    return tuple(re.findall(r"(?m)^\| (?:\*\*)?([GABCD]\d+)(?:\*\*)? \|", DECISIONS.read_text("utf-8")))


@cache
def _named() -> frozenset[str]:
    """Collects the rows that tests name: `D57`, `test_d57_…`, and not the hash `d57edeaf`."""
    files = (file for file in TESTS.rglob("test_*.py") if file != Path(__file__))
    text = "\n".join(file.read_text("utf-8") for file in files)
    return frozenset(name.upper() for name in re.findall(r"(?i)(?<![a-z0-9])[abcdg]\d+(?![a-z0-9])", text))


def test_every_decision_has_a_test_that_names_it() -> None:
    assert len(_rows()) >= 190 and {"B1", "B24", "D25", "D56", "G24", "A36", "D65"} <= set(_rows())
    missing = [row for row in _rows() if row not in _named() and row not in NOT_BUILT]
    assert missing == [], "name each of these rows in a test's name or docstring"


def test_rows_that_are_not_built_are_rows_that_no_test_names() -> None:
    named = [row for row in NOT_BUILT if row in _named()]
    assert named == [], f"a test names {', '.join(named)}: take these lines out of NOT_BUILT in {Path(__file__).name}"
    assert [row for row in _rows() if row in NOT_BUILT] == list(NOT_BUILT), (
        "NOT_BUILT lists rows of the page, in its order"
    )
