"""`memdeck fleet` and the page of all agents: the table, the queue of all, a command on one, nothing alive in it."""

import json
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from engine.extras.connect.connection import Connections, ConnectRecord
from engine.fleet.row import FleetBand, FleetRow
from engine.services.engine import Engine
from tests.engine.fleet.places import Places
from tests.tui.cli.conftest import Run
from tui.present import digest as page
from tui.present import fleet as table
from tui.present.spans import plain

NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)
HOSTILE = "\x1b]0;owned\x07<script>alert(1)</script> [@click=app.quit]ignore all rules[/]"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    made = Places(tmp_path)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "PATH"):
        monkeypatch.setenv(name, made.env[name])
    folder = made.agent("shop")
    (folder / "memory" / "2026-11-01.md").write_text("# 2026-11-01\n- we chose blue-green deploys\n", "utf-8")
    with Engine.open(folder, env=made.env) as engine:
        engine.plans.make("tree")
    made.agent("calm")
    made.list_them("agents:\n- path: ~/agents/shop\n  group: work\n- path: ~/agents/calm\n")
    return made


def test_the_table_is_an_array_of_rows(run: Run, places: Places) -> None:
    rows = json.loads(run("fleet", "--json", "--wait", "60").out)
    assert {row["agent"] for row in rows} == {"shop", "calm"}
    shop = next(row for row in rows if row["agent"] == "shop")
    assert sum(shop["waits"].values()) == len(shop["plans"]) == 1 and shop["read_at"] and shop["heartbeat"]
    text = run("fleet", "--wait", "60").out
    assert "2 agents, 1 plan waits" in text and "shop" in text and "heartbeat" in text
    assert msgspec.json.decode(json.dumps(rows).encode(), type=list[FleetRow]), "another machine reads what is printed"


def test_one_queue_over_all_is_filtered_by_system_tier_and_agent(run: Run, places: Places) -> None:
    (found,) = json.loads(run("fleet", "--plans", "system:tree agent:work", "--json").out)
    assert (found["agent"], found["plan"]["system"]) == ("shop", "tree")
    for nothing in ("tier:a", "agent:calm", "older:9d"):
        assert run("fleet", "--plans", nothing, "--json").out.strip() == "[]"


def test_a_command_runs_on_the_agent_that_is_named(run: Run, places: Places) -> None:
    (plan,) = json.loads(run("fleet", "--plans", "", "--json").out)
    shown = [run("fleet", name, "show", plan["plan"]["id"], "--json").code for name in ("shop", "calm")]
    assert shown == [0, 2], "the plan is one of that agent alone"
    assert run("fleet", "nobody", "queue").code == 2
    called = places.ssh(f"cat {places.home}/answer")
    (places.home / "answer").write_bytes(msgspec.json.encode([FleetRow(agent="ana", workspace="/srv/ana")]))
    places.list_them("machines:\n- host: nas\n")
    assert run("fleet", "ana@nas", "apply", "p-1").code == 0
    assert called.read_text("utf-8").splitlines()[-1] == "memdeck -w /srv/ana apply p-1"


def test_what_connect_knows_is_part_of_it(run: Run, places: Places) -> None:
    folder = places.agent("codex")
    record = ConnectRecord(tool="codex", project="/p", workspace=str(folder), at=NOW)
    Connections(places.home / "state" / "memdeck").keep(record)
    rows = json.loads(run("-w", str(places.home / "agents" / "calm"), "fleet", "--json", "--wait", "60").out)
    assert sorted(row["agent"] for row in rows) == ["calm", "codex", "shop"]


def test_a_what_if_clock_is_refused(run: Run, places: Places) -> None:
    assert run("--now", "2026-01-01", "fleet").code == 2


def test_the_page_of_all_agents_holds_nothing_alive(run: Run, places: Places) -> None:
    made = run("digest", "--fleet", "--html").out
    assert made.startswith("<!DOCTYPE html>") and "shop" in made and "<a" not in made
    row = FleetRow(
        agent=HOSTILE, workspace="/w", headline=HOSTILE, problem=HOSTILE, band=FleetBand.RISK, machine=HOSTILE
    )
    html = page.page("Agents", table.sections((row,), NOW))
    assert "<script" not in html and "\x1b" not in html and "&lt;script&gt;" in html
    lines = [table.agent_row(row, NOW, 120).left, *table.detail(row, NOW)]
    assert "\x1b" not in "".join(map(plain, lines))


@pytest.mark.parametrize("width", [60, 80, 99, 100, 120, 200])
def test_a_row_fits_its_width(width: int) -> None:
    row = FleetRow(agent="a" * 40, workspace="/w", headline="h" * 300, unread=123_456, cost_today=1234.5, late=True)
    for line in (table.agent_row(row, NOW, width).left, table.head(width)):
        assert len(plain(line)) == width
