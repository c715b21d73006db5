"""What holds takes the place of what a line says; the old one stays marked, and the past as it was said (D62)."""

from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.extraction.rows import row_parts
from engine.lifecycle.requests import CorrectRequest
from engine.plans.plan import RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.engine import Engine
from tests.engine.approved import applied, undone
from tests.engine.history.repos import write
from tests.engine.lifecycle.forget.planted import NOW

OLD, NEW = "The port of billing is 5433", "The port of billing is 5434."
ROW = f"- 2026-03-10: {OLD} <!-- x:0123456789 -->"
FILES = {
    "MEMORY.md": f"# Memory\n\n- {OLD}.\n- kept\n",
    "memory/ROOT.md": f"# Root\n\n- {OLD.lower()}\n",
    "memory/journal/2026-03-10.md": f"# Day\n\n{ROW}\n- kept\n",
    "memory/semantic/x.md": f"Title: Port\nContext: x\nDurable Insight: {OLD}.\n",
    "memory/2026-03-10.md": f"# 2026-03-10\n\n- 10:01 Ana: {OLD}.\n",
    "memory/daily/2026-03-10.md": f"# Day\n\n- {OLD}\n",
}


def correct(console: Engine, line: str, value: str = NEW, why: str = "it moved") -> PlanOutcome:
    asked = CorrectRequest(take=(line,) if line else (), value=value, why=why)
    return console.plans.make("correct", PlanRequest(asked))


@pytest.fixture
def folder(tmp_path: Path, own_home: Path) -> Path:
    write(tmp_path / "agent", FILES)
    return tmp_path / "agent"


def test_d62_a_line_is_corrected_wherever_it_is_said_now(folder: Path) -> None:
    with Engine.open(folder, clock=lambda: NOW) as console:
        made = correct(console, "MEMORY.md:3")
        assert made.plan is not None and made.plan.risk_tier is RiskTier.C
        done = applied(console, made)
        now = {path: (folder / path).read_text() for path in FILES}
        assert now["MEMORY.md"] == f"# Memory\n\n- {NEW}\n- {OLD}. (superseded: 2026-03-20 it moved)\n- kept\n"
        assert now["memory/ROOT.md"] == f"# Root\n\n- {NEW}\n"
        assert f"Durable Insight: {NEW}\n" in now["memory/semantic/x.md"]
        for past in ("memory/2026-03-10.md", "memory/daily/2026-03-10.md"):
            assert now[past] == FILES[past]
        undone(console, done)
    assert {path: (folder / path).read_text() for path in FILES} == FILES


def test_a_line_that_was_seen_earlier_is_found_where_it_stands_now(folder: Path) -> None:
    with Engine.open(folder, clock=lambda: NOW) as console:
        find = console.receipts.line_now
        assert find("MEMORY.md", 3) == ("MEMORY.md:3", f"{OLD}.")
        assert find("MEMORY.md", 1, "- kept") == ("MEMORY.md:4", "kept")
        assert find("MEMORY.md", 3, "- something of last week") == ("", "something of last week")
        assert find("", 0, "vault code: 77123") == ("", "vault code: 77123")
        with pytest.raises(UsageError):
            find("MEMORY.md", 2, "")


def test_the_row_of_an_entry_is_superseded_by_an_entry(folder: Path) -> None:
    with Engine.open(folder, clock=lambda: NOW) as console:
        applied(console, correct(console, "memory/journal/2026-03-10.md:3"))
    _, _, new, old, kept = (folder / "memory/journal/2026-03-10.md").read_text().splitlines()
    parts, before = row_parts(new), row_parts(old)
    assert parts is not None and before is not None and before.superseded is not None and kept == "- kept"
    assert parts.quote == NEW and parts.day == before.superseded.since == "2026-03-20" and before.superseded.by in new


def test_a_line_of_the_past_gets_its_successor_in_the_log_of_today(folder: Path) -> None:
    with Engine.open(folder, clock=lambda: NOW) as console:
        applied(console, correct(console, "memory/2026-03-10.md:3"))
        for line, value in (("", NEW), ("MEMORY.md:3", "!"), ("MEMORY.md:9", NEW)):
            with pytest.raises(UsageError):
                correct(console, line, value)
    log = (folder / "memory/2026-03-20.md").read_text()
    assert log == f"# 2026-03-20\n\n- decisions: {NEW} (instead of: {OLD}.; it moved)\n"
    assert (folder / "memory/2026-03-10.md").read_text() == FILES["memory/2026-03-10.md"]
