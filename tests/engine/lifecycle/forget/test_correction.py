"""What holds takes the place of what a line says; the old one stays marked, and the past as it was said (D62)."""

from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.extraction.rows import row_parts
from engine.lifecycle.requests import CorrectRequest
from engine.plans.plan import Move, RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.engine import Engine
from engine.tree.cycle.idle import TreeRequest
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
        assert now["memory/2026-03-10.md"] == FILES["memory/2026-03-10.md"]
        assert now["memory/daily/2026-03-10.md"] == f"# Day\n\n- {OLD} (superseded: 2026-03-20 {NEW})\n"
        assert f"(instead of: {OLD}.; it moved)" in (folder / "memory/2026-03-20.md").read_text()
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


def test_d62_a_shard_that_says_the_fact_in_other_words_is_a_place_of_the_plan(folder: Path) -> None:
    shard = "Title: Port\nContext: x\nDurable Insight: Billing listens on port 5433. Ana knows it well.\n"
    other = "- Billing listens on port 5433 for mail\n- Billing does not listen on port 5433 at night\n"
    write(folder, {"memory/semantic/x.md": shard, "knowledge/reference/mail.md": f"# Mail\n\n{other}"})
    with Engine.open(folder, clock=lambda: NOW) as console:
        made = correct(console, "MEMORY.md:3")
        assert made.plan is not None
        reasons = {change.path: change.reason for change in made.plan.changes if not isinstance(change, Move)}
        assert reasons["memory/semantic/x.md"].endswith("(it moved), where it is said in other words")
        assert "other words" not in reasons["MEMORY.md"]
        applied(console, made)
    assert (folder / "memory/semantic/x.md").read_text() == shard.replace("Billing listens on port 5433.", NEW)
    assert other in (folder / "knowledge/reference/mail.md").read_text(), "another address, and a negation"


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


def test_d62_what_was_made_from_a_line_is_made_anew_with_its_correction(tmp_path: Path, own_home: Path) -> None:
    """ROOT shortens a line: its words are found all the same. Nodes keep what their day said, marked, and a ROOT that
    is made from them later says what holds."""
    body = (
        "# 2026-03-{0}\n\n## Billing [project]\n{1}- outcome: the invoices of day {0} went out without a difference\n"
    )
    said = {
        10: "- decisions: the port of billing is 5433\n",
        16: "- decisions: the port of billing stays 5433 for mail\n",
    }
    write(tmp_path / "agent", {f"memory/2026-03-{day}.md": body.format(day, said.get(day, "")) for day in (10, 16)})
    nodes = [f"memory/{name}.md" for name in ("daily/2026-03-10", "weekly/2026-W11", "monthly/2026-03")]
    with Engine.open(tmp_path / "agent", clock=lambda: NOW) as console:
        tree = PlanRequest(TreeRequest(drain=True))
        applied(console, console.plans.make("tree", tree))
        applied(console, correct(console, "memory/2026-03-10.md:4", "The port of billing is 5434"))
        for path in nodes:
            assert (
                "is 5433 (superseded: 2026-03-20 The port of billing is 5434)"
                in (tmp_path / "agent" / path).read_text()
            )
        root = tmp_path / "agent/memory/ROOT.md"
        assert "billing is 5433" not in root.read_text() and "The port of billing is 5434" in root.read_text()
        applied(console, console.plans.make("tree", tree))
    later = [line for line in root.read_text().splitlines() if "543" in line]
    assert all("stays 5433 for mail" in line or "is 5434 (instead of" in line for line in later) and len(later) == 2


def test_d62_a_node_that_a_model_wrote_is_due_again(folder: Path) -> None:
    told = "---\ntype: daily\nstatus: fixed\nsummary: claude test\n---\n- billing listens on port 5433 now\n"
    (folder / "memory/daily/2026-03-10.md").write_text(told)
    with Engine.open(folder, clock=lambda: NOW) as console:
        applied(console, correct(console, "memory/2026-03-10.md:3"))
    assert (folder / "memory/daily/2026-03-10.md").read_text() == told.replace("fixed", "tentative")
