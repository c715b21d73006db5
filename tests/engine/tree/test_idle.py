"""A cycle that found nothing to do is answered from memory, and nothing that happens since is missed for it."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from engine.errors import MemdeckError, Refused
from engine.plans.grant import grant
from engine.plans.operation import Approval, Reversal
from engine.plans.plan import Plan, RiskTier
from engine.plans.planning import Planning, PlanOutcome, PlanRequest
from engine.plans.policy.values import Policy
from engine.services.engine import Engine
from engine.tree.cycle import plan as cycle
from engine.tree.cycle.idle import LastIdle, TreeRequest, made_from
from engine.tree.survey.records import TreeRecords
from tests.engine.tree.rig import WITNESS, TreeRig, entry

SUNDAY = datetime(2026, 3, 15, 12, tzinfo=UTC)
PLAIN = TreeRequest()
DAYS = ("2026-03-02", "2026-03-03", "2026-03-10", "2026-03-15")


@dataclass
class Desk:
    """An open console on a clock set by hand, whose tree is up to date. `cycles` counts those that were worked out."""

    folder: Path
    base: Path
    now: datetime = SUNDAY
    cycles: list[Planning] = field(default_factory=list)

    def open(self) -> Engine:
        env = {"XDG_STATE_HOME": str(self.base / "state"), "XDG_CONFIG_HOME": str(self.base), "HOME": str(self.base)}
        return Engine.open(self.folder, env=env, clock=lambda: self.now)

    def log(self, day: str, text: str) -> None:
        with (self.folder / f"memory/{day}.md").open("a", encoding="utf-8") as out:
            out.write(text)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Desk, Engine]]:
    desk = Desk(tmp_path / "workspace", tmp_path / "home")
    (desk.folder / "memory").mkdir(parents=True)
    (desk.folder / "MEMORY.md").write_text("# Memory\n")
    for day in DAYS:
        desk.log(day, entry(f"parser {day}", "the tests were run and found good", "a plan was made"))
    made = cycle.plan_tree

    def counted(planning: Planning, **named: Any) -> PlanOutcome:
        desk.cycles.append(planning)
        return made(planning, **named)

    monkeypatch.setattr("engine.tree.cycle.plan.plan_tree", counted)
    with desk.open() as console:
        settle(console)
        yield desk, console


def approved(what: Plan | Reversal, numbers: tuple[int, ...], now: datetime) -> Approval:
    typed = "APPROVED" if what.risk_tier is RiskTier.C else "y"
    return grant(
        target=what.digest,
        numbers=numbers,
        risk_tier=what.risk_tier,
        typed=typed,
        answers=(),
        witness=WITNESS,
        now=now,
        nonce=secrets.token_hex(8),
        shown="each",
    )


def settle(console: Engine) -> None:
    """Applies cycles until there is nothing new."""
    while (plan := console.plans.make("tree", PlanRequest(TreeRequest(drain=True))).plan) is not None:
        console.plans.apply(plan, approved(plan, tuple(change.n for change in plan.changes), console.now()))
    assert console.plans.make("tree").reason_no_action == "the tree is up to date"


def planned(console: Engine) -> Plan:
    plan = console.plans.make("tree").plan
    assert plan is not None
    return plan


def test_an_idle_cycle_is_worked_out_once(desk: tuple[Desk, Engine]) -> None:
    at, console = desk
    first, worked_out = console.plans.make("tree"), len(at.cycles)
    assert console.plans.make("tree") == first
    console.status.read()
    at.now += timedelta(hours=3)
    assert console.plans.make("tree") == first, "the same day"
    assert len(at.cycles) == worked_out


def _new_log(at: Desk) -> None:
    at.log("2026-03-14", entry("garden", "the roses were cut"))


def _late_lines(at: Desk) -> None:
    at.log("2026-03-03", entry("billing", "an invoice came late"))


def _other_words(at: Desk) -> None:
    log = at.folder / "memory/2026-03-15.md"
    log.write_text(log.read_text().replace("found good", "found weak"))


def _no_node(at: Desk) -> None:
    (at.folder / "memory/daily/2026-03-15.md").unlink()


def _no_week(at: Desk) -> None:
    (at.folder / "memory/weekly/2026-W10.md").unlink()


def _no_root(at: Desk) -> None:
    (at.folder / "memory/ROOT.md").unlink()


def _mirror(at: Desk) -> None:
    memory = at.folder / "MEMORY.md"
    memory.write_text(memory.read_text().replace("## Compaction Root", "## Changed by hand"))


def _day_passes(at: Desk) -> None:
    at.now += timedelta(days=1)


def _month_passes(at: Desk) -> None:
    at.now += timedelta(days=31)


CHANGES: dict[Callable[[Desk], None], str] = {
    _new_log: "memory/daily/2026-03-14.md",
    _late_lines: "memory/daily/2026-03-03.md",
    _other_words: "memory/daily/2026-03-15.md",
    _no_node: "memory/daily/2026-03-15.md",
    _no_week: "memory/weekly/2026-W10.md",
    _no_root: "memory/ROOT.md",
    _mirror: "MEMORY.md",
    _day_passes: "memory/daily/2026-03-15.md",
    _month_passes: "memory/monthly/2026-03.md",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_a_cycle_after_a_change_finds_what_a_new_console_finds(
    desk: tuple[Desk, Engine], change: Callable[[Desk], None]
) -> None:
    at, console = desk
    change(at)
    plan = planned(console)
    assert CHANGES[change] in {one.path for one in plan.changes}
    with at.open() as anew:
        assert planned(anew).changes == plan.changes
    settle(console)
    change(at)
    with at.open() as anew:
        expected = anew.plans.make("tree")
    found = console.plans.make("tree")
    assert (found.reason_no_action, found.facts) == (expected.reason_no_action, expected.facts)


def test_a_log_that_is_gone_and_a_node_changed_by_another_are_said(desk: tuple[Desk, Engine]) -> None:
    at, console = desk
    (at.folder / "memory/2026-03-02.md").unlink()
    assert "its raw log is gone: memory/2026-03-02.md" in console.plans.make("tree").report
    at.log("daily/2026-03-03", "- a line of another program\n")
    assert "memory/daily/2026-03-03.md is fixed in the operator's records" in console.plans.make("tree").report


def test_an_undo_is_found(desk: tuple[Desk, Engine]) -> None:
    at, console = desk
    at.log("2026-03-14", entry("garden", "the roses were cut"))
    settle(console)
    what = console.history.reversal()
    console.history.undo(what, approved(what, what.numbers, at.now))
    assert "memory/daily/2026-03-14.md" in {change.path for change in planned(console).changes}


def test_reopening_is_no_idle_cycle(desk: tuple[Desk, Engine]) -> None:
    _, console = desk
    plan = console.plans.make("tree", PlanRequest(TreeRequest(reopen=("2026-03-02",)))).plan
    assert plan is not None and "memory/daily/2026-03-02.md" in {change.path for change in plan.changes}


def test_the_day_is_that_of_the_zone(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("garden", "the roses were cut"))
    snapshot, records = rig.snapshot(), rig.records()
    late = datetime(2026, 3, 15, 23, tzinfo=ZoneInfo("UTC"))

    def key(
        zone: str, now: datetime, options: TreeRequest = PLAIN, made_at: datetime | None = None
    ) -> tuple[object, ...]:
        policy = Policy(zone=zone)
        planning = Planning(snapshot=snapshot, policy=policy, now=now, counter=rig.tokens, made_at=made_at)
        return made_from(planning, records, options)

    assert key("UTC", late) == key("UTC", late - timedelta(hours=9), made_at=late)
    assert key("UTC", late) != key("UTC", late + timedelta(hours=1))
    assert key("UTC", late)[0] != key("Asia/Tokyo", late)[0]
    assert key("UTC", late) != key("UTC", late, TreeRequest(drain=True))


def test_what_the_operators_records_say_of_the_same_files_counts(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("garden", "the roses were cut"))
    rig.cycle()
    planning = rig.planning()
    key = made_from(planning, rig.records(), PLAIN)
    assert key == made_from(rig.planning(), rig.records(), PLAIN)
    assert key != made_from(planning, TreeRecords(), PLAIN), "the nodes would be another program's"


def test_an_answer_made_without_a_file_is_not_kept(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("garden", "the roses were cut"))
    planning = rig.planning()
    idle, key = LastIdle(), made_from(planning, rig.records(), TreeRequest())
    answers: list[str] = []

    def refused(path: str) -> bytes:
        raise Refused("cannot be read", where=path)

    def changed(path: str) -> bytes:
        return b"other bytes"

    def answer(seen: Planning) -> PlanOutcome:
        try:
            seen.snapshot.content("memory/2026-03-15.md")
            answers.append("read")
        except MemdeckError:
            answers.append("not read")
        return PlanOutcome(plan=None, reason_no_action=answers[-1])

    for reader in (refused, changed, planning.snapshot.reader, refused):
        seen = msgspec.structs.replace(planning.snapshot, reader=reader)
        idle.outcome(key, msgspec.structs.replace(planning, snapshot=seen), answer)
    assert answers == ["not read", "not read", "read"], "the last one is the answer that was kept"
