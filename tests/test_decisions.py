"""Each row of the decisions that is built has a test that names it, so that none is forgotten."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DECISIONS = TESTS.parents[1] / "shared" / "spec" / "DECISIONS.md"
BUILT = ("## 1. For all of them", "## 2. Compactor", "## 3. Window", "## 4. Tree")
TOPICS = ("D15", "D16", "D17", "D18", "D19", "D20", "D31", "D37", "D38")
"""Of §5 what topics are about."""
SEARCH = ("D6", "D8", "D9", "D10", "D11", "D12", "D13", "D14")
"""Of §5 what search is about; D7 is about what a pruner may take away."""
LIFECYCLE = ("D21", "D33", "D42", "D43", "D44", "D49")
"""Of §5 what capture and extraction are about."""
CONTEXT = ("D1", "D2", "D3", "D4", "D5", "D23", "D36", "D39", "D40", "D41")
"""Of §5 what the context is about."""


def _rows() -> list[str]:
    if not DECISIONS.is_file():
        return []
    sections = re.split(r"(?m)^(?=## )", DECISIONS.read_text("utf-8"))
    built = "".join(section for section in sections if section.startswith(BUILT))
    rows = re.findall(r"(?m)^\| ([GACD]\d+) \|", "".join(sections))
    return re.findall(r"(?m)^\| ([GABC]\d+) \|", built) + [
        row for row in rows if row in (*TOPICS, *SEARCH, *LIFECYCLE, *CONTEXT)
    ]


def _named() -> str:
    files = (file for file in TESTS.rglob("test_*.py") if file != Path(__file__))
    return "\n".join(file.read_text("utf-8") for file in files)


def test_every_decision_that_is_built_has_a_test_that_names_it() -> None:
    rows = _rows()
    if not rows:
        pytest.skip(f"the decisions are not at {DECISIONS}")
    assert len(rows) >= 100 and {"B1", "B24"} <= set(rows)
    text = _named()
    missing = [row for row in rows if not re.search(rf"(?i)(?<![a-z0-9]){row}(?![0-9])", text)]
    assert missing == []
