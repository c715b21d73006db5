"""What stopped is told: late by twice its interval, with the clock as an argument."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.extras.connect.connection import ConnectedFile, Connections, ConnectRecord
from engine.extras.connect.settings_text import Wanted
from engine.extras.importers.originals import ImportedPlace, Original
from engine.schedule.due_times import INSTALLED, MachineRest, daily, due_job, last_at
from engine.schedule.heartbeat import FOLLOWER, Beat, TwinTimes, intervals, job_beats
from engine.services.engine import Engine
from engine.services.heartbeat import TWINS
from engine.state.folder import state_home
from engine.workspace.values import FindingKind
from tests.engine.history.repos import write
from tui.cli.maintenance import exit_code

MONDAY = datetime(2026, 3, 9, 12, tzinfo=UTC)
DAY = timedelta(days=1)


class Machine:
    """A workspace, its clock, and what its machine did."""

    def __init__(self, folder: Path) -> None:
        self.now, self.rest, self.folder = MONDAY, MachineRest(MONDAY - 30 * DAY, timedelta()), folder
        self.engine = Engine.open(folder, clock=lambda: self.now, rest=lambda: self.rest)

    def alarms(self) -> list[str]:
        """The alarms of what stopped or is late, each with its kind."""
        return [f"{one.id} {one.detail}" for one in self.engine.status.read().alarms]

    def code(self) -> int:
        return exit_code(self.engine.maintenance.doctor())


@pytest.fixture
def machine(tmp_path: Path, own_home: Path) -> Iterator[Machine]:
    write(tmp_path / "agent", {"memory/2026-03-01.md": "- a day\n"})
    made = Machine(tmp_path / "agent")
    with made.engine:
        yield made


@given(st.timedeltas(timedelta(minutes=1), 400 * DAY), st.timedeltas(-400 * DAY, 400 * DAY))
def test_a_thing_stopped_once_its_work_waited_for_twice_its_interval(every: timedelta, waited: timedelta) -> None:
    beat = Beat(title="", last=MONDAY, needed=MONDAY + waited, every=every, fix="")
    assert beat.stopped is (waited / every >= 2)


def test_a_week_with_a_dead_cron(machine: Machine) -> None:
    """The job runs on Monday and Tuesday, then the scheduler is dead: late on Thursday morning at the latest."""
    told: dict[int, list[str]] = {}
    codes = []
    machine.engine.heartbeat.beat(INSTALLED)
    for day in range(8):
        machine.now = MONDAY + day * DAY
        if day < 2:
            machine.engine.schedule.run("daily")
        told[day] = [line for line in machine.alarms() if "daily" in line]
        codes.append(machine.code())
    assert (told[0], told[1]) == ([], [])
    missed = "late daily dry run: missed 2026-03-11 04:30 UTC: the machine has not slept since 2026-02-07 12:00 UTC"
    assert told[2] == [f"{missed}, so the scheduler did not start it"]
    stopped = "stopped daily dry run: nothing since 2026-03-10 12:00 UTC, expected every 1 d: the machine has not slept"
    assert all(len(lines) == 1 and lines[0].startswith(stopped) for day, lines in told.items() if day > 2)
    assert codes == [0, 0, 0, 6, 6, 6, 6, 6]
    assert machine.engine.digest.make(MONDAY).alarms == machine.engine.status.read().alarms
    machine.engine.schedule.run("daily")
    assert not any("daily" in line for line in machine.alarms())


def test_a_schedule_that_the_machine_slept_through_says_so(machine: Machine) -> None:
    machine.engine.schedule.run("daily")
    machine.now = MONDAY + 3 * DAY
    machine.rest = MachineRest(machine.now - timedelta(hours=1), timedelta())
    assert "the machine was off or asleep, it is up since 2026-03-12 11:00 UTC" in machine.alarms()[0]
    machine.rest = MachineRest(MONDAY - DAY, timedelta(hours=62))
    assert "the machine slept 62.0 h since 2026-03-08 12:00 UTC" in machine.alarms()[0]
    job = daily("UTC")
    assert due_job(job, MONDAY, MONDAY + 3 * DAY).detail == "missed 2026-03-12 04:30 UTC", "nothing is made up"
    machine.engine.suppose(MONDAY + 30 * DAY)
    assert "machine" not in machine.alarms()[0]


def test_a_job_that_never_ran_is_expected_once_the_schedule_is_installed(machine: Machine) -> None:
    machine.now = MONDAY + 90 * DAY
    assert machine.alarms() == []
    machine.engine.heartbeat.beat(INSTALLED)
    machine.now += 2 * DAY
    assert [line.partition(":")[0] for line in machine.alarms()] == ["stopped daily dry run"]
    machine.now += 100 * DAY
    assert len(machine.alarms()) == 3
    machine.engine.heartbeat.ended(INSTALLED)
    assert machine.alarms() == []
    beat = next(job_beats([daily("Europe/Berlin")], {INSTALLED: MONDAY}, MONDAY))
    assert beat.every == DAY and last_at(daily("UTC"), MONDAY) < MONDAY


def connect(folder: Path, follow: Path, tool: str = "claude-code") -> None:
    """Connects a tool, as the settings that were written for it say."""
    follow.mkdir(parents=True, exist_ok=True)
    values = tuple(Wanted(("hooks",), f"memdeck -w x hook {event}", True) for event in ("prompt", "stop", "compact"))
    file = ConnectedFile("/none", "json", False, "", [], (), values)
    record = ConnectRecord(tool=tool, project="/p", workspace=str(folder), at=MONDAY, follow=str(follow), files=(file,))
    Connections(state_home(os.environ)).keep(record)


def session(folder: Path, at: datetime, name: str = "s.jsonl") -> None:
    file = folder / name
    file.write_text("{}\n")
    os.utime(file, (at.timestamp(), at.timestamp()))


def test_a_hook_is_late_once_sessions_went_on_without_it_and_never_in_an_idle_week(
    machine: Machine, tmp_path: Path
) -> None:
    place = tmp_path / "sessions"
    connect(machine.folder, place)
    for event in ("prompt", "stop"):
        machine.engine.heartbeat.beat(f"hook claude-code {event}")
    session(place, MONDAY)
    machine.now = MONDAY + 30 * DAY
    assert machine.alarms() == [], "nobody spoke with the agent"
    session(place, machine.now - timedelta(minutes=5))
    assert machine.alarms() == [], "a turn that has just begun may still be answered"
    machine.engine.heartbeat.beat("hook claude-code prompt")
    machine.now += DAY
    line = "stopped the hook `stop` of claude-code: nothing since 2026-03-09 12:00 UTC, expected every 1 d"
    assert machine.alarms() == [line] and machine.code() == 6
    assert "hook compact" not in intervals()


def test_a_follower_is_expected_until_it_is_ended(machine: Machine) -> None:
    machine.engine.heartbeat.beat(FOLLOWER)
    machine.now += timedelta(hours=1, minutes=59)
    assert machine.alarms() == []
    machine.now += timedelta(minutes=1)
    assert machine.alarms()[0].startswith("stopped memdeck topics watch --follow: nothing since")
    machine.engine.heartbeat.ended(FOLLOWER)
    assert machine.alarms() == []


def test_the_index_an_import_and_a_machine_are_told_by_their_own_work(machine: Machine, tmp_path: Path) -> None:
    machine.engine.search.find("day")
    noted = MONDAY - timedelta(hours=2)
    for name, at in (("memory.db", noted - 14 * DAY), ("memory.db-wal", noted - 14 * DAY)):
        if (machine.folder / name).exists():
            os.utime(machine.folder / name, (at.timestamp(), at.timestamp()))
    os.utime(machine.folder / "memory/2026-03-01.md", (noted.timestamp(), noted.timestamp()))
    place = tmp_path / "exports"
    place.mkdir()
    session(place, noted)
    imports = machine.engine.state_folder / "imports"
    imports.mkdir(parents=True)
    twice = {f"{n}": Original(path=f"{n}", sha256="", size=0, sessions=(), at=MONDAY - n * DAY) for n in (20, 30)}
    made = ImportedPlace(kind="codex", place=str(place), at=MONDAY - 20 * DAY, files=twice)
    list_of_it = imports / "codex-1.list"
    _keep(list_of_it, made)
    twins = {"nas": TwinTimes(asked=MONDAY, answered=MONDAY - 2 * DAY), "pi": TwinTimes(asked=MONDAY, answered=MONDAY)}
    (state_home(os.environ) / TWINS).write_bytes(msgspec.json.encode(twins))
    titles = [line.partition(":")[0] for line in machine.alarms()]
    assert titles == [
        "stopped the search index",
        "stopped the machine nas",
        f"stopped the import of codex from {place}",
    ]
    found = [one for one in machine.engine.maintenance.doctor() if one.kind is FindingKind.STOPPED]
    assert len(found) == 3 and all(one.fix for one in found)


def _keep(file: Path, place: ImportedPlace) -> None:
    from engine.extras.importers import originals

    file.with_name(f"codex-1{originals._LIST}").write_bytes(msgspec.json.encode(place))


def test_a_damaged_table_of_intervals_names_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(intervals()) >= {"hook start", "hook prompt", "hook stop", "follower", "index", "import", "twin"}
    assert all(timedelta() < every <= 31 * DAY for every in intervals().values())
