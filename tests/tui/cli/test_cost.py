"""`cost` and `plan --estimate`: the ledger and the forecast on a terminal and as JSON, for an operator's eyes."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.models.cost_ledger import CostLedger, LedgerLine
from engine.services.engine import Engine
from tui.cli.root import cli

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    (tmp_path / "notes").mkdir()
    with Engine.open(tmp_path / "notes") as console:
        file = console._opened.state.path / "ledger.jsonl"
    ledger = CostLedger(file)
    for role, usd in (("gate", 0.001), ("summarise", 0.02)):
        at = datetime(2026, 3, 15, tzinfo=UTC)
        line = LedgerLine(time=at, role=role, plan="compact 1", model="m", input=900, output=20, usd=usd)
        ledger.book(ledger.reserve(line), line)

    def run(*words: str) -> str:
        result = CliRunner().invoke(cli, ["-w", str(tmp_path / "notes"), *words])
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def test_costs_are_printed_by_role_by_day_and_by_dry_run(run: Run) -> None:
    told = run("cost")
    assert "gate" in told and "$0.0010" in told and "$0.0210" in told and "█" in told
    assert "2026-03-15" in run("cost", "--by", "day") and "compact 1" in run("cost", "--by", "plan")
    found = json.loads(run("--json", "cost"))
    assert [(one["name"], one["calls"]) for one in found] == [("gate", 1), ("summarise", 1), ("total", 2)]


def test_the_forecast_has_three_levels(run: Run) -> None:
    assert [one["level"] for one in json.loads(run("--json", "cost", "--forecast"))] == ["light", "medium", "heavy"]
    assert "a month" in run("cost", "--forecast")


def test_an_estimate_of_an_offline_dry_run_is_nothing(run: Run) -> None:
    assert run("plan", "compact", "--estimate").strip() == "nothing is asked of Claude"
    assert json.loads(run("--json", "plan", "compact", "--estimate"))["calls"] == 0


def test_a_preview_shows_the_diffs_and_queues_nothing(run: Run) -> None:
    before = run("--json", "queue")
    shown = run("plan", "init", "--preview")
    assert "+++ b/" in shown and shown.endswith("nothing was queued\n")
    assert json.loads(run("--json", "plan", "compact", "--preview"))["plan"] is None
    assert run("--json", "queue") == before
