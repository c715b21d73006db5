"""Each row of the decisions has a test that names it, so that none is forgotten."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DECISIONS = TESTS.parents[1] / "shared" / "spec" / "DECISIONS.md"


def _rows() -> list[str]:
    return re.findall(r"(?m)^\| ([GABCD]\d+) \|", DECISIONS.read_text("utf-8")) if DECISIONS.is_file() else []


def _named() -> str:
    files = (file for file in TESTS.rglob("test_*.py") if file != Path(__file__))
    return "\n".join(file.read_text("utf-8") for file in files)


def test_every_decision_has_a_test_that_names_it() -> None:
    rows = _rows()
    if not rows:
        pytest.skip(f"the decisions are not at {DECISIONS}")
    assert len(rows) >= 160 and {"B1", "B24", "D25", "D56"} <= set(rows)
    text = _named()
    named = {name.upper() for name in re.findall(r"(?i)(?<![a-z0-9])[abcdg]\d+(?![0-9])", text)}
    assert [row for row in rows if row not in named] == []
