"""The flush of followed sessions as a plan: places, numbers, gates, repetition, and what 5,000 turns keep."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from engine.errors import Blocked, Refused, Stale
from engine.flush.items import FlushCategory, FlushSession
from engine.flush.log_block import demoted
from engine.flush.plan import FLUSH_OK
from engine.flush.promotions import extract
from engine.flush.quality_gates import coverage, every_item, size
from engine.lifecycle.requests import FlushRequest
from engine.plans.memory_integrity import integrity_problem
from engine.plans.plan import Append, Create, Plan, PlanState, Replace, RiskTier
from engine.plans.planning import PlanRequest
from engine.plans.prediction import contents_after
from engine.plans.queue import Queue
from engine.plans.records.operations import Operations
from engine.services.engine import Engine
from engine.services.flush_sessions import saved_turns
from engine.state.workspace_lock import owner
from tests.engine.flush.spoken import spoken
from tests.engine.sessions.window_logs import answer, said
from tests.engine.tree.test_idle import approved
from tests.turn import TURN, part

LATER = "2026-03-16T10:00:00Z"
TALK = """\
Decision: keep blue-green for the depot | Rationale: rollback is one command
Decision: maybe Kafka
Fact: the port is 5432 | Source: config.yml | Confidence: 90%
Fact: the queue is slow
Config: retries = 3
- [x] migrate the depot
- [ ] announce it
- drain the queue [CURATE]
  - then migrate
- only now [TEMPORARY]
- the contract stands in /legal [NEVER_PRUNE]

We talked about the weather for a while.
"""


class Place:
    """A workspace beside a followed session file."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "agent"
        self.log = folder / "claude" / "s-1.jsonl"
        self.env = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("STATE", "CONFIG", "CACHE")}
        self.root.mkdir()
        self.log.parent.mkdir()

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file

    def say(self, *lines: str) -> None:
        with self.log.open("a", encoding="utf-8") as file:
            file.write("".join(lines))

    def open(self) -> Engine:
        engine = Engine.open(self.root, env=self.env)
        if self.log.parent not in engine.sessions.followed().there:
            engine.sessions.follow(self.log.parent)
        return engine


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    made.say(said("go"), answer("m1", (0, 9_000, 0), text=TALK))
    yield made


def flushed(engine: Engine, **more: object) -> Plan:
    outcome = engine.plans.make("flush", PlanRequest(asked=msgspec.convert(more, FlushRequest)))
    assert outcome.plan is not None, outcome.reason_no_action
    return outcome.plan


def apply(engine: Engine, plan: Plan) -> None:
    engine.plans.apply(plan, approved(plan, tuple(change.n for change in plan.changes), engine.now()))


def after(engine: Engine, plan: Plan, path: str) -> str:
    found = contents_after(plan, engine._opened.root.read)[path]
    assert found is not None
    return found.decode()


def test_a_preview_is_the_plan_that_would_be_queued_and_leaves_nothing_behind(place: Place) -> None:
    place.write("MEMORY.md", "# Memory\n")
    with place.open() as engine:
        seen = engine.plans.preview("flush").plan
        assert seen is not None and not engine.plans.queue()
        assert after(engine, seen, "MEMORY.md") == after(engine, flushed(engine), "MEMORY.md")


def test_b17_with_daily_logs_lasting_items_go_to_memory_and_the_rest_to_the_log(place: Place) -> None:
    place.write("MEMORY.md", "# Memory\n\n- an old lesson\n")
    (place.root / "DailyLogs").mkdir()
    with place.open() as engine:
        plan = flushed(engine)
        memory, log = after(engine, plan, "MEMORY.md"), after(engine, plan, "DailyLogs/2026-03-15.md")
    assert memory.startswith("# Memory\n\n- an old lesson\n")
    section = memory[memory.index("<!-- memdeck:flush:start -->") :]
    assert section == (
        "<!-- memdeck:flush:start -->\n## Saved from sessions\n"
        "- drain the queue\n  - then migrate\n"
        "- 2026-03-15 DEC-001: keep blue-green for the depot | Rationale: rollback is one command\n"
        "- 2026-03-15 FACT-001: the port is 5432 | Source: config.yml | Confidence: 0.9\n"
        "<!-- memdeck:flush:end -->\n"
    )
    assert log == (
        "# 2026-03-15\n\n## Memory Flush: 2026-03-15 09:00 UTC\n\nSession s-1, turns 1-2\n\n"
        "### Decisions Made\n- DEC-002: maybe Kafka\n- DEC-001 → MEMORY.md\n\n"
        "### Facts Learned\n- FACT-002: the queue is slow\n- FACT-001 → MEMORY.md\n\n"
        "### Configurations Changed\n- CONFIG-001: retries = 3\n\n"
        "### Learnings\n- 2 lines → MEMORY.md\n\n"
        "### Session Progress\n- Completed: migrate the depot\n- In Progress: announce it\n\n"
        "### Kept\n- the contract stands in /legal [NEVER_PRUNE]\n\n"
        "### Summary\n> **09:00 user**\n> go\n\n> **09:00 agent**\n> We talked about the weather for a while.\n\n"
    )
    assert plan.risk_tier is RiskTier.C, "the section is put in for the first time"
    (reason,) = (change.reason for change in plan.changes if change.path == "MEMORY.md")
    assert reason == "3 lasting items into our section, which is put in for the first time"
    gates = {gate.id: gate.detail for gate in plan.gates}
    assert all(gate.passed for gate in plan.gates) and gates["coverage"] == "1 of 1 [CURATE] entries captured"
    assert gates["completeness"] == "1 open: DEC-002 maybe Kafka"
    assert any("only now" in line for change in plan.changes for line in change.dropped)


def test_b17_with_knowledge_decisions_go_to_their_project_and_events_to_the_journal(place: Place) -> None:
    place.write("knowledge/projects/depot/context.md", "# Depot\n")
    place.write("knowledge/memory/MEMORY.md", "# Core Memory\n")
    place.say(said("more"), answer("m2", (0, 9_500, 0), text="Decision: use SQLite because it is one file"))
    with place.open() as engine:
        plan = flushed(engine)
        assert after(engine, plan, "knowledge/projects/depot/context.md") == (
            "# Depot\n\n- 2026-03-15 DEC-001: keep blue-green for the depot | Rationale: rollback is one command\n"
        )
        memory = after(engine, plan, "knowledge/memory/MEMORY.md")
        assert "drain the queue" in memory and "FACT-001" in memory and "DEC-" not in memory
        journal = after(engine, plan, "knowledge/journal/2026-03-15.md")
        assert journal.startswith("---\ntype: journal\ndate: 2026-03-15\nsessions: [s-1]\n---\n")
        assert "DEC-003: use SQLite | Rationale: it is one file" in journal
        assert "no project is known: DEC-003 use SQLite" in plan.warnings


def test_b17_else_everything_stands_in_the_raw_log(place: Place) -> None:
    place.write("memory/2026-03-15.md", "# 2026-03-15\n\nmorning\n")
    with place.open() as engine:
        plan = flushed(engine)
        (change,) = plan.changes
        assert isinstance(change, Append) and change.path == "memory/2026-03-15.md"
        assert plan.risk_tier is RiskTier.B and "DEC-001: keep blue-green" in change.content
        assert change.content.count("drain the queue") == 1, "one item, one place"


def test_d60_what_is_promoted_goes_to_the_memory_md_that_a_platform_loads(place: Place) -> None:
    for path in ("SOUL.md", "MEMORY.md", "knowledge/memory/MEMORY.md"):
        place.write(path, "# Ours\n")
    with place.open() as engine:
        plan = flushed(engine)
        assert "drain the queue" in after(engine, plan, "MEMORY.md")
        assert not [one for one in plan.warnings if "not loaded" in one]


def test_d60_a_file_that_no_platform_loads_is_told(place: Place) -> None:
    place.write("SOUL.md", "# Soul\n")
    place.write("knowledge/memory/MEMORY.md", "# Core Memory\n")
    with place.open() as engine:
        assert "knowledge/memory/MEMORY.md: not loaded by OpenClaw" in flushed(engine).warnings


def test_d60_beside_raw_logs_alone_a_loaded_memory_md_takes_what_lasts(place: Place) -> None:
    for path in ("SOUL.md", "MEMORY.md", "memory/2026-03-15.md"):
        place.write(path, "# Ours\n")
    with place.open() as engine:
        assert "drain the queue" in after(engine, flushed(engine), "MEMORY.md")


def test_b7_numbers_go_on_across_the_workspace_and_b8_contradictions_stand_side_by_side(place: Place) -> None:
    place.write("memory/2026-03-01.md", "- DEC-041: old\n- FACT-007: the port is 3306\n- CONFIG-002: retries = 3\n")
    with place.open() as engine:
        plan = flushed(engine)
        (change,) = plan.changes
        assert isinstance(change, Create)
        assert "DEC-042: keep blue-green" in change.content and "FACT-008: the port is 5432" in change.content
        assert "CONFIG-" not in change.content, "it stands there already"
        consistency = next(gate for gate in plan.gates if gate.id == "consistency")
        assert "memory/2026-03-01.md: FACT-007: the port is 3306 ⟷ turn 2: FACT-008: the port is 5432" in (
            consistency.detail
        )


def test_b18_run_twice_changes_nothing_and_a_session_goes_on_from_there(place: Place) -> None:
    place.write("memory/2026-03-15.md", "# day\n")
    with place.open() as engine:
        plan = flushed(engine)
        assert flushed(engine).id == plan.id, "the same turns are the same plan"
        apply(engine, plan)
        outcome = engine.plans.make("flush")
        assert (outcome.plan, outcome.reason_no_action) == (None, FLUSH_OK)
        place.say(said("on", at=LATER), answer("m3", (0, 9_900, 0), text="Decision: stop here because done", at=LATER))
        later = flushed(engine)
        assert later.facts["sessions"][0]["first"] == 3 and later.facts["sessions"][0]["last"] == 4
        assert "DEC-003: stop here" in after(engine, later, "memory/2026-03-16.md")


def test_b18_nothing_worth_keeping_is_flush_ok(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.say(said("hello"), answer("m1", (0, 900, 0), text="Hello."))
    with place.open() as engine:
        outcome = engine.plans.make("flush")
        assert (outcome.plan, outcome.reason_no_action) == (None, FLUSH_OK)


def test_b2_promoted_spans_are_taken_out_before_the_rest_is_summarised(place: Place) -> None:
    place.write("memory/2026-03-15.md", "# day\n")
    talk = "\n".join(f"We looked at shard {n} of the depot and found {n * 7} rows in it." for n in range(80))
    place.say(said("and"), answer("m2", (0, 9_900, 0), text=f"{talk}\n- the shards are even [CURATE]\n"))
    with place.open() as engine:
        plan = flushed(engine)
        (change,) = plan.changes
        assert isinstance(change, Append)
        summary = change.content.partition("### Summary")[2]
        assert "shard" in summary and "the shards are even" not in summary
        assert engine._opened.counter.count(summary) <= 500, "B15"
        detail = next(gate.detail for gate in plan.gates if gate.id == "size")
        assert "tokens became" in detail and "% less" in detail, "B10, B22"


def test_b13_aggressive_summarises_what_a_plain_flush_keeps(place: Place) -> None:
    place.write("memory/2026-03-15.md", "# day\n")
    with place.open() as engine:
        plain = flushed(engine)
        hard = flushed(engine, aggressive=True)
    before, now = (next(iter(plan.changes)) for plan in (plain, hard))
    assert isinstance(before, Append) and isinstance(now, Append)
    assert "> We talked about the weather" in before.content and "> We talked" not in now.content
    assert "- Completed: 1\n- In Progress: 1" in now.content
    assert "counted, as --aggressive asks: progress: migrate the depot" in now.dropped
    assert not any("no room" in line for line in now.dropped), "it says the true reason"
    for kept in ("drain the queue", "[NEVER_PRUNE]", "DEC-001"):
        assert kept in before.content and kept in now.content


def test_b21_b26_progress_shares_the_500_tokens_and_every_other_item_is_written(place: Place) -> None:
    place.write("memory/2026-03-15.md", "# day\n")
    facts = [f"the shard {n} has {n * 31} rows and {n * 17} keys and {n} replicas" for n in range(60)]
    tasks = [f"counted the rows of the shard {n} and wrote them down" for n in range(60)]
    text = "\n".join([*(f"Fact: {one}" for one in facts), "Config: depth = 4", *(f"- [x] {one}" for one in tasks)])
    place.say(answer("m2", (0, 9_900, 0), text=text))
    with place.open() as engine:
        plan = flushed(engine)
    (change,) = plan.changes
    assert isinstance(change, Append)
    assert [one for one in facts if one not in change.content] == [] and "depth = 4" in change.content
    left = [one for one in tasks if one not in change.content]
    assert 0 < len(left) < 60
    assert [line for line in change.dropped if "counted" in line] == [f"no room: progress: {one}" for one in left]
    assert "Progress that the log does not name" in plan.report
    gates = {gate.id: gate for gate in plan.gates}
    assert gates["items"].passed and gates["items"].detail == "130 of 130 items have a place"


def lasting(number: int) -> str:
    return "\n".join(f"Fact: port {n} is {5_000 + n} | Source: c.yml | Confidence: 0.9" for n in range(number))


def test_b26_promotions_fill_memory_md_by_priority_and_the_rest_stands_in_the_log(place: Place) -> None:
    """At 191 lines, 3 of them our section, MEMORY.md takes what fits in 9: facts before lessons."""
    section = "<!-- memdeck:flush:start -->\n## Saved from sessions\n<!-- memdeck:flush:end -->\n"
    old = "".join(f"- 2025-01-02 an old lesson {n}\n" for n in range(187))
    place.write("MEMORY.md", f"# Memory\n{old}{section}")
    (place.root / "DailyLogs").mkdir()
    lessons = "\n".join(f"- lesson {n} [CURATE]" for n in range(3))
    place.say(answer("m2", (0, 9_500, 0), text=f"{lessons}\n{lasting(5)}"))
    with place.open() as engine:
        outcome = engine.plans.make("flush")
        plan = outcome.plan
        assert plan is not None
        memory, log = after(engine, plan, "MEMORY.md"), after(engine, plan, "DailyLogs/2026-03-15.md")
        assert memory.count("\n") == 200 and memory.count(" FACT-") == 6 and memory.count("DEC-001: keep") == 1
        assert "drain the queue\n  - then migrate" in memory, "two lines, and two were left"
        assert "- FACT-001, FACT-003, FACT-004" in log and "lesson" not in memory.replace("old lesson", "")
        assert all(f"\n- lesson {n}\n" in log for n in range(3))
        assert all(gate.passed for gate in plan.gates)
        assert sorted(one["item"] for one in plan.facts["waiting"]) == [f"learning: - lesson {n}" for n in range(3)]
        assert "  turn 3, 1 of 200 lines of MEMORY.md asked for and 0 left: learning: - lesson 0\n" in plan.report
        (prune,) = outcome.also
        assert any("planned along" in line for line in plan.warnings) and plan.also == (prune.id,)
        assert engine.plans.make("flush").also == (prune,), "planned twice, they are the same"
        assert {entry.state for entry in engine.plans.queue()} == {PlanState.PENDING}
        apply(engine, engine.plans.load(prune.id))
        again = engine.plans.make("flush")
        assert again.plan is not None and "waiting" not in again.plan.facts and again.also == ()
        apply(engine, again.plan)
        pruned = (place.root / "MEMORY.md").read_text()
        assert pruned.count("\n") <= 200 and "lesson 2" in pruned and "old lesson 186" in pruned


def test_b26_a_short_memory_md_and_a_long_session_lose_nothing(place: Place) -> None:
    """3 lines, 300 lasting items: what was measured promoted none and dropped the facts."""
    place.write("MEMORY.md", "# Memory\n\n- an old lesson\n")
    (place.root / "DailyLogs").mkdir()
    settings = "\n".join(f"Config: key_{n} = {n}" for n in range(40))
    place.say(*(answer(f"n{n}", (0, 9_500 + n, 0), text=f"- lesson {n} [CURATE]") for n in range(48)))
    place.say(answer("m2", (0, 9_900, 0), text=f"{settings}\n{lasting(252)}"))
    with place.open() as engine:
        plan = flushed(engine)
        memory, log = after(engine, plan, "MEMORY.md"), after(engine, plan, "DailyLogs/2026-03-15.md")
        assert memory.count("\n") == 200
        both = memory + log
        assert [n for n in range(252) if f"port {n} is {5_000 + n} |" not in both] == []
        assert [n for n in range(48) if f"lesson {n}\n" not in both] == []
        assert [n for n in range(40) if f"key_{n} = {n}\n" not in log] == []
        assert any(line.startswith("no prune of MEMORY.md is planned along") for line in plan.warnings)
        apply(engine, plan)
        assert engine.plans.make("flush").reason_no_action == FLUSH_OK


def test_b26_no_part_of_a_flush_is_applied_without_the_others(place: Place) -> None:
    """Its turns count as saved once any of it is applied."""
    place.write("MEMORY.md", "# Memory\n")
    (place.root / "DailyLogs").mkdir()
    with place.open() as engine:
        plan = flushed(engine)
        assert len(plan.changes) == 2
        for change in plan.changes:
            with pytest.raises(Refused, match="needs change"):
                engine.plans.apply(plan, approved(plan, (change.n,), engine.now()))


def test_d23_a_full_memory_md_does_not_grow_and_promotions_stay_in_the_log(place: Place) -> None:
    place.write("MEMORY.md", "# Memory\n" + "- a lesson\n" * 199)
    (place.root / "DailyLogs").mkdir()
    with place.open() as engine:
        plan = flushed(engine)
        (change,) = plan.changes
        assert change.path == "DailyLogs/2026-03-15.md" and isinstance(change, Create)
        assert "drain the queue" in change.content and "FACT-001: the port is 5432" in change.content
        assert any("3 lasting items stand in the log" in line for line in plan.warnings)


@pytest.mark.parametrize(("head", "why"), [(b"\xff", "not UTF-8"), (b"\0GITCRYPT\0", "locked by git-crypt")])
@pytest.mark.parametrize("path", ["MEMORY.md", "DailyLogs/2026-03-15.md"])
def test_a_file_that_cannot_be_read_is_told_at_planning_and_stays_as_it_is(
    place: Place, path: str, head: bytes, why: str
) -> None:
    """Planned as if there were none, the flush said "decodes" and could never be applied."""
    (place.root / "DailyLogs").mkdir()
    bad = place.write(path, "")
    bad.write_bytes(head + b"\n- a\n")
    with place.open() as engine:
        plan = flushed(engine)
        integrity = next(gate.detail for gate in plan.gates if gate.id == "integrity")
        told = [integrity] if path == "MEMORY.md" else plan.warnings
        assert any(why in one for one in told) and all(gate.passed for gate in plan.gates)
        apply(engine, plan)
    assert bad.read_bytes() == head + b"\n- a\n"
    written = "".join(file.read_text("utf-8", "replace") for file in place.root.rglob("*.md"))
    assert "FACT-001: the port is 5432" in written and "drain the queue" in written


def test_g18_a_flush_planned_under_a_what_if_clock_applies_under_the_same(place: Place) -> None:
    what_if = datetime(2026, 5, 1, tzinfo=UTC)
    with place.open():
        pass
    with Engine.open(place.root, env=place.env, now=what_if) as engine:
        plan = flushed(engine)
        assert plan.simulated_clock and plan.now == what_if
        assert plan.targets() == {"memory/2026-03-15.md"}, "the log is that of the session's day"
        engine.plans.apply(plan, approved(plan, (1,), engine.real_now()))
        assert engine.plans.make("flush").plan is None


# ── gates ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_b9_coverage_looks_at_what_will_be_written() -> None:
    session = FlushSession(
        source="s",
        session="s",
        turns=(spoken(1, "agent", "- keep me [CURATE]\n- and me [CURATE]"),),
    )
    found = extract(session)
    assert coverage([session], [found], ["- keep me\n- and me\n"]).passed
    gate = coverage([session], [found], ["- keep me\n"])
    assert not gate.passed and gate.detail == "not captured after 2 retries: turn 1: - and me [CURATE]"
    unread = msgspec.structs.replace(session, left_out=9)
    assert not coverage([unread], [found], ["- keep me\n- and me\n"]).passed


def test_b26_every_item_is_looked_up_in_what_will_be_written() -> None:
    turn = spoken(1, "agent", "Fact: a is 1\nDecision: b because c\n- [ ] d\n- e [CURATE]\n  - f")
    found = extract(FlushSession(source="s", session="s", turns=(turn,)))
    task = next(item for item in found.items if item.category is FlushCategory.PROGRESS)
    whole = ["- FACT-001: a is 1\n", "- DEC-001: b | Rationale: c\n- e\n  - f\n"]
    assert every_item([found], whole, {task}).passed
    for path, name in ((whole[:1], "decision: b"), (whole[1:], "fact: a is 1"), (["", whole[1]], "fact: a is 1")):
        gate = every_item([found], path, {task})
        assert not gate.passed and f"turn 1: {name}" in gate.detail
    assert not every_item([found], [whole[0], whole[1].replace("c\n", "\n")], {task}).passed, "a reason went"
    assert not every_item([found], [whole[0], whole[1].replace("f\n", "\n")], {task}).passed, "a line below went"
    assert not every_item([found], whole, set()).passed


@pytest.mark.parametrize(("before", "now", "words"), [(100, 70, "30 % less"), (100, 71, "29 % less, less than 30 %")])
def test_b10_b22_a_summary_that_saves_little_is_told_and_never_fails(before: int, now: int, words: str) -> None:
    gate = size(before, now)
    assert gate.passed and gate.detail.endswith(words)


@pytest.mark.parametrize(
    ("before", "now", "problem"),
    [
        (b"# M\n- a\n", b"# M\n- a\n- b\n", ""),
        (b"# M\n- a\n- b\n", b"# M\n- a\n", "an entry was lost: - b"),
        (b"# M\n", b"# M\n\xff\n", "not UTF-8"),
        (b"# M\n", b"# M\n| a | b |\n|---|\n", "a table lost its columns"),
        (b"| a | b |\n|---|\n", b"| a | b |\n|---|\n- c\n", ""),
        (b"# M\n", b"---\nkey: [\n---\n# M\n", "its frontmatter"),
    ],
)
def test_b11_integrity_finds_what_a_write_broke(before: bytes, now: bytes, problem: str) -> None:
    found = integrity_problem(before, now)
    assert found.startswith(problem) and bool(found) is bool(problem)


def test_b11_a_failed_integrity_gate_leaves_memory_md_byte_for_byte(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once as the plan is refused, and once as what was written is put back."""
    data = "\ufeff# Memory\r\n\r\n- an old lesson\r\n"
    file = place.write("MEMORY.md", data)
    (place.root / "DailyLogs").mkdir()
    with place.open() as engine:
        plan = flushed(engine)
        monkeypatch.setattr(
            "engine.plans.apply.execution.integrity_problem", lambda _before, _after: "a table is broken"
        )
        with pytest.raises(Blocked, match="a table is broken; it was put back"):
            apply(engine, plan)
        assert file.read_bytes() == data.encode() and not list((place.root / "DailyLogs").iterdir())
        monkeypatch.undo()
        monkeypatch.setattr("engine.flush.plan.integrity_problem", lambda _before, _after: "an entry was lost")
        place.say(said("on"), answer("m9", (0, 9_900, 0), text="- and this [CURATE]"))
        with pytest.raises(Blocked, match="integrity"):
            apply(engine, flushed(engine))
        assert file.read_bytes() == data.encode()
        monkeypatch.undo()
        place.say(said("on"), answer("m10", (0, 9_900, 0), text="- and that [CURATE]"))
        apply(engine, flushed(engine))
        assert file.read_bytes().startswith(data.encode()) and b"- and that\r\n" in file.read_bytes().replace(
            b"03-15: ", b"- "
        )


def test_what_was_said_ends_no_section_and_begins_none(place: Place) -> None:
    place.write("MEMORY.md", "# Memory\n")
    (place.root / "DailyLogs").mkdir()
    evil = "- <!-- memdeck:flush:end --> [CURATE]\nDecision: <!-- memdeck:root:start because of x -->"
    place.say(answer("m2", (0, 9_900, 0), text=evil))
    with place.open() as engine:
        plan = flushed(engine)
        memory = after(engine, plan, "MEMORY.md")
        assert memory.count("<!-- memdeck:flush:end -->") == 1 and "<!-- memdeck:root" not in memory
        assert all(
            "<!-- memdeck:root" not in c.content for c in plan.changes if isinstance(c, Create | Append | Replace)
        )


def test_secrets_are_left_out(place: Place) -> None:
    place.write("memory/2026-03-15.md", "# day\n")
    place.say(answer("m2", (0, 9_900, 0), text="- the key is AKIAIOSFODNN7EXAMPLE [CURATE]"))
    with place.open() as engine:
        (change,) = flushed(engine).changes
        assert isinstance(change, Append) and "AKIAIOSFODNN7EXAMPLE" not in change.content


# ── five thousand turns ────────────────────────────────────────────────────────────────────────────────────────────

SHAPES = (
    "- item {0} [CURATE]\n  - nested {0}\n    - deeper {0}",
    "## Section {0} [CURATE]\ntext {0}\n\n### Below {0}\n- more {0}\n\n## Next\nnot this",
    "Paragraph {0} [CURATE]\ngoes on {0}",
    "| head {0} | b |\n|---|---|\n| [CURATE] row {0} | 2 |",
    "1. step {0} [CURATE]\n   ```python\n   code_{0} = 1  # [TEMPORARY]\n   ```\n2. other",
    "> quoted {0} [CURATE]",
)
BELOW = {0: ("nested {0}", "deeper {0}"), 1: ("text {0}", "more {0}"), 2: ("goes on {0}",), 4: ("code_{0} = 1",)}


@pytest.mark.sampled(1)
def test_b3_every_curated_item_of_five_thousand_turns_is_kept(tmp_path: Path) -> None:
    """A tenth of them at a commit, another at each."""
    chance = random.Random(TURN)
    turns, wanted = [], []
    for number in part(range(1, 5_001)):
        text = f"We looked at part {number} and it was fine."
        if chance.random() < 0.06:
            shape = chance.randrange(len(SHAPES))
            text += "\n\n" + SHAPES[shape].format(number)
            wanted += [line.format(number) for line in BELOW.get(shape, ())]
            wanted += [
                line.replace("[CURATE]", "") for line in SHAPES[shape].format(number).split("\n") if "[CURATE]" in line
            ]
        turns.append(spoken(number, "agent", text))
    session = FlushSession(source="s", session="s", turns=tuple(turns))
    found = extract(session)
    place = Place(tmp_path)
    place.write("memory/2026-03-15.md", "# day\n")
    place.say(*(answer(f"m{turn.number}", (0, 10 * turn.number, 0), text=turn.text, blocks=1) for turn in turns))
    with place.open() as engine:
        plan = flushed(engine)
        (change,) = plan.changes
    assert isinstance(change, Append) and found.missing == []
    written = " ".join(change.content.replace("#", "").split())
    assert [line for line in wanted if " ".join(line.replace("#", "").split()) not in written] == []
    assert "not this" not in change.content.partition("### Summary")[0]
    assert all(gate.passed for gate in plan.gates)


def test_headings_of_what_was_marked_move_below_those_of_the_log() -> None:
    assert demoted(["# A", "```", "# code", "```", "### B"]) == ["#### A", "```", "# code", "```", "###### B"]


def test_b18_a_session_followed_by_its_file_and_by_its_folder_is_flushed_once(place: Place) -> None:
    with place.open() as engine:
        engine.sessions.follow(place.log)
        plan = flushed(engine)
        assert [one["last"] for one in plan.facts["sessions"]] == [2]
        (made,) = contents_after(plan, engine._opened.root.read).values()
        assert made is not None and made.count(b"drain the queue") == 1
        assert len(engine.windows.sessions()) == len(engine.sessions.files()) == 1


def test_b18_a_session_that_a_hook_captured_is_flushed_once_and_what_was_approved_of_it_not_again(place: Place) -> None:
    """Its transcript says the same turns; an entry of extraction is what a flush would promote a second time."""
    place.write("MEMORY.md", "# Memory\n\n- 2026-03-15: keep blue-green for the depot. <!-- x:0123456789 -->\n")
    head = "---\nsession_id: s-1\nstarted: 2026-03-15T08:00:00Z\n---\n\n# go\n\n## 08:00 — agent\n"
    place.write("raw/conversations/2026/03/15/0800-s_1_0a0b0c0d-go.md", f"{head}{TALK}\n")
    with place.open() as engine:
        plan = flushed(engine)
        assert [one["source"].endswith(".jsonl") for one in plan.facts["sessions"]] == [True]
    assert any(warning.startswith("said again, written before: keep blue-green") for warning in plan.warnings)


NEXT_DAY = "2026-03-17T00:10:00Z"


def test_b18_a_flush_of_the_next_day_takes_the_place_of_one_that_waits(place: Place) -> None:
    """They write the logs of two days, so that none of their files is the same."""
    with place.open() as engine:
        first = flushed(engine)
        place.say(said("after midnight", at=NEXT_DAY), answer("m2", (0, 9_500, 0), text="on it", at=NEXT_DAY))
        second = flushed(engine)
        assert not first.targets() & second.targets()
        states = {entry.id: entry.state for entry in engine.plans.queue()}
        assert states == {first.id: PlanState.SUPERSEDED, second.id: PlanState.PENDING}
        apply(engine, second)
        assert engine.plans.make("flush").plan is None


def test_b18_turns_that_another_flush_saved_meanwhile_are_not_saved_again(place: Place) -> None:
    with place.open() as engine:
        first = flushed(engine)
        place.say(said("after midnight", at=NEXT_DAY), answer("m2", (0, 9_500, 0), text="on it", at=NEXT_DAY))
        apply(engine, flushed(engine))
        with pytest.raises(Stale, match="were flushed since"):
            apply(engine, first)


def test_b18_two_processes_that_apply_at_once_cannot_both_save_a_turn(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was saved is asked under the lock: another flush is either done by then, or waits for this one."""
    held = []

    with place.open() as engine:

        def asked(operations: Operations, queue: Queue) -> dict[str, int]:
            held.append(owner(engine._opened.state) is not None)
            return saved_turns(operations, queue)

        plan = flushed(engine)
        monkeypatch.setattr("engine.services.flush_sessions.saved_turns", asked)
        apply(engine, plan)
    assert held == [True]


SECTIONS = (
    *("Decisions Made", "Facts Learned", "Configurations Changed"),
    *("Learnings", "Session Progress", "Summary"),
)


def test_b14_every_section_of_the_template_stands_and_an_empty_one_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.say(said("go"), answer("m1", (0, 9_000, 0), text="- drain the queue first [CURATE]\n"))
    with place.open() as engine:
        (made,) = contents_after(flushed(engine), engine._opened.root.read).values()
    assert made is not None
    block = made.decode().partition("## Memory Flush")[2]
    parts = [part.split("\n", 1) for part in block.split("\n### ")[1:]]
    assert tuple(heading for heading, _ in parts) == SECTIONS
    texts = {heading: text.strip() for heading, text in parts}
    assert texts["Learnings"] == "- drain the queue first"
    assert {texts[name] for name in SECTIONS[:3]} == {"(none)"}


def test_b12_a_flush_is_read_from_the_session_and_writes_no_turn_of_the_agent(place: Place) -> None:
    before = place.log.read_bytes()
    with place.open() as engine:
        plan = flushed(engine)
        apply(engine, plan)
    assert place.log.read_bytes() == before
    assert all(not path.startswith("raw/") for path in plan.targets())
