"""Rows beside each other: each from its own workspace, read again by what changed, held up by nobody."""

import os
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest

from engine.fleet import fleet as fleet_module
from engine.fleet import kept_row
from engine.fleet.configuration import FleetAgent
from engine.fleet.pool import answers
from engine.fleet.row import FleetBand, FleetRow
from engine.services.engine import Engine
from tests.engine.fleet.places import Places

LONG = "# Memory\n" + "".join(f"- entry {number} of a long list\n" for number in range(231))


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places(tmp_path)
    for name, memory in (("calm", "# Memory\n- one\n"), ("full", LONG)):
        made.agent(name, memory)
    made.list_them("agents:\n- path: ~/agents/calm\n- path: ~/agents/full\n- path: ~/agents/gone\n")
    return made


def row_of(rows: tuple[FleetRow, ...], name: str) -> FleetRow:
    return next(row for row in rows if row.agent == name)


def test_a_row_says_what_status_says_and_the_worst_comes_first(places: Places) -> None:
    rows = places.looked().rows()
    assert [row.agent for row in rows] == ["full", "gone", "calm"]
    full, gone, calm = rows
    with Engine.open(Path(full.workspace), env=places.env) as engine:
        status = engine.status.read()
    assert (full.band, full.headline, full.alarms) == (FleetBand.BLOCKED, status.headline, len(status.alarms))
    assert full.falling == 32 and calm.falling == 0 and calm.band is FleetBand.OK
    assert gone.read_at is None and "gone" in gone.problem


def test_what_did_not_change_is_not_read_again(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    places.looked()
    read: list[str] = []
    whole = kept_row._row

    def counted(engine: Engine, agent: FleetAgent) -> object:
        read.append(agent.name)
        return whole(engine, agent)

    monkeypatch.setattr(kept_row, "_row", counted)
    before = places.looked().rows()
    assert read == []
    file = places.home / "agents" / "calm" / "MEMORY.md"
    file.write_text(file.read_text("utf-8").replace("one", "two"), "utf-8")  # of the same length
    os.utime(file, ns=(1, 1))
    after = places.looked().rows()
    assert read == ["calm"]
    assert row_of(after, "full").band is row_of(before, "full").band


def test_a_plan_that_waits_is_in_the_row_once_it_is_queued(places: Places) -> None:
    folder = places.home / "agents" / "calm"
    (folder / "memory" / "2026-11-01.md").write_text("# 2026-11-01\n- we chose blue-green deploys\n", "utf-8")
    assert row_of(places.looked().rows(), "calm").plans == ()
    with Engine.open(folder, env=places.env) as engine:
        plan = engine.plans.make("tree").plan
    assert plan is not None
    row = row_of(places.looked().rows(), "calm")
    assert [(one.id, one.digest, one.inputs) for one in row.plans] == [(plan.id, plan.digest, ())]
    assert row.waits == {plan.risk_tier: 1} and row.oldest == row.plans[0].made_at and row.heartbeat is not None


def test_what_is_kept_is_shown_at_once_and_a_damaged_file_of_it_is_none(places: Places) -> None:
    places.looked()
    assert row_of(places.fleet().rows(), "full").band is FleetBand.BLOCKED
    kept = places.home / "state" / "memdeck" / "fleet"
    kept.write_bytes(kept.read_bytes()[:-9])
    assert row_of(places.fleet().rows(), "full").read_at is None


def test_many_tasks_that_hang_hold_up_none_of_the_others() -> None:
    hang = Event()

    def waits() -> str:
        hang.wait(20)
        return "late"

    def fails() -> str:
        raise ValueError("odd")

    tasks = [waits] * 6 + [lambda: "answer"] * 30 + [fails]
    start = monotonic()
    told = dict(answers(tasks, 3))
    hang.set()
    assert [told[number] for number in range(6, 36)] == ["answer"] * 30 and isinstance(told[36], ValueError)
    assert not told.keys() & set(range(6)) and monotonic() - start < 10


def test_one_that_is_still_read_is_not_begun_again_and_its_late_answer_counts(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = list[str](), Event()

    def slow(agent: FleetAgent, *given: object, **named: object) -> kept_row.KeptRow:
        begun.append(agent.name)
        if agent.name == "full":
            go_on.wait(60)
        return whole(agent, *given, **named)  # type: ignore[arg-type]

    whole = kept_row.looked_at
    monkeypatch.setattr(fleet_module, "looked_at", slow)
    fleet = places.fleet().refresh(2).refresh(2)
    assert begun.count("full") == 1 and row_of(fleet.rows(), "full").problem == "no answer yet"
    go_on.set()
    until = monotonic() + 60
    while row_of(fleet.rows(), "full").problem and monotonic() < until:
        sleep(0.02)
    assert row_of(fleet.rows(), "full").band is FleetBand.BLOCKED
