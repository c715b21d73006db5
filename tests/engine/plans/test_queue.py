"""The queue: ids, superseding, staleness, expiry, damage, crashes; and ten thousand plans."""

import os
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest

from engine.errors import Damaged, Refused, UsageError
from engine.plans.plan import Append, Create, Input, Move, Plan, PlanState, RiskTier
from engine.plans.queue import Queue
from engine.plans.queue_index import FiledPlan
from engine.workspace.values import WorkspaceIdentity

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
POLICY = "sha256:policy"


def make_plan(name: str = "a", *, now: datetime = NOW, system: str = "compact", path: str | None = None) -> Plan:
    return Plan(
        system=system,
        trigger="manual",
        workspace=WorkspaceIdentity("/w", 1, 2),
        now=now,
        zone="UTC",
        simulated_clock=False,
        made_at=now,
        policy_sha256=POLICY,
        tokenizer="o200k_base",
        inputs=(Input(f"memory/working/{name}.md", "1" * 64), Input(f"memory/episodic/{name}.md", None)),
        changes=(
            Create(n=1, path=path or f"memory/episodic/{name}.md", risk_tier=RiskTier.B, reason="r", content=name),
        ),
    )


def fresh(plan: Plan) -> dict[str, str | None]:
    return {item.path: item.sha256 for item in plan.inputs}


def test_a_plan_comes_back_as_it_was_put(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue")
    assert queue.entries() == ()
    put = queue.put(make_plan(), NOW)
    assert put.id == "p-20260315-0001"
    assert put.digest == make_plan().digest
    entry = Queue(tmp_path / "queue").entry(put.id)
    assert (entry.digest, entry.state, entry.changes) == (put.digest, PlanState.PENDING, 1)
    assert Queue(tmp_path / "queue").load("0001") == put
    with pytest.raises(UsageError, match="no such plan"):
        queue.entry("p-20260315-0002")


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        Queue(tmp_path).put(make_plan(), NOW)
    assert not (tmp_path / "elsewhere").exists()


def test_plans_with_odd_values_keep_their_digest(tmp_path: Path) -> None:
    odd = msgspec.structs.replace(
        make_plan(),
        now=NOW.astimezone(timezone(timedelta(hours=9))),
        facts={"b": (1, 2), "a": {"x": 1.5, "when": NOW}},
    )
    queue = Queue(tmp_path)
    put = queue.put(odd, NOW)
    assert queue.load(put.id).digest == put.digest == queue.entry(put.id).digest


def test_ids_count_within_the_utc_day_of_the_plan_and_never_go_back(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    east = NOW.astimezone(timezone(timedelta(hours=9))).replace(hour=2, minute=0)
    ids = [queue.put(make_plan(str(i), now=now), NOW).id for i, now in enumerate((NOW, NOW, east, NOW))]
    assert ids == ["p-20260315-0001", "p-20260315-0002", "p-20260314-0001", "p-20260315-0003"]
    assert [entry.id for entry in queue.entries()] == sorted(ids)


def test_an_identical_open_plan_is_not_filed_twice(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    first = queue.put(make_plan(), NOW)
    assert queue.put(make_plan(), NOW + timedelta(hours=1)).id == first.id
    queue.set_state(first.id, PlanState.REJECTED, "not now", NOW)
    assert queue.put(make_plan(), NOW).id != first.id


def test_a_new_plan_supersedes_older_ones_of_its_system_with_a_target_in_common(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    later = NOW + timedelta(days=1)
    old, other = queue.put(make_plan("a"), NOW), queue.put(make_plan("b"), NOW)
    foreign = queue.put(make_plan("a", system="flush"), NOW)
    approved = queue.put(make_plan("c", path="memory/episodic/c.md"), NOW)
    queue.set_state(approved.id, PlanState.APPROVED, "", NOW)
    moved = Move(n=1, path="memory/episodic/c.md", to="memory/episodic/a.md", risk_tier=RiskTier.B, reason="r")
    new = queue.put(msgspec.structs.replace(make_plan("new", now=later), changes=(moved,)), later)
    states = {entry.id: entry.state for entry in queue.entries()}
    assert states[old.id] is PlanState.SUPERSEDED
    assert states[other.id] is states[foreign.id] is states[new.id] is PlanState.PENDING
    assert states[approved.id] is PlanState.APPROVED
    assert queue.entry(old.id).state_reason == f"superseded by {new.id}"


def test_b18_a_flush_supersedes_an_older_one_whose_turns_it_saves_and_no_other(tmp_path: Path) -> None:
    queue = Queue(tmp_path)

    def flush(name: str, *turns: tuple[int, int], source: str = "s.jsonl") -> Plan:
        rows = [{"source": source, "first": first, "last": last} for first, last in turns]
        return queue.put(msgspec.structs.replace(make_plan(name, system="flush"), facts={"sessions": rows}), NOW)

    inside, before, other = flush("a", (3, 9)), flush("b", (1, 9)), flush("c", (3, 9), source="t.jsonl")
    none, behind = flush("d"), flush("e", (3, 11))
    new = flush("f", (2, 10))
    states = {entry.id: entry.state for entry in queue.entries()}
    assert states.pop(inside.id) is PlanState.SUPERSEDED
    assert states == dict.fromkeys((one.id for one in (before, other, none, behind, new)), PlanState.PENDING)


LATER = NOW + timedelta(minutes=59)


@pytest.mark.parametrize("looks", ["made", "opened"])
def test_what_is_made_with_nobody_there_supersedes_no_plan_that_a_person_looks_at(tmp_path: Path, looks: str) -> None:
    queue = Queue(tmp_path / "queue")
    old = queue.put(make_plan("a"), NOW, unattended=looks == "opened")
    if looks == "opened":
        queue.attend(old.id, NOW)
    new = queue.put(make_plan("b", path="memory/episodic/a.md"), LATER, unattended=True)
    states = [entry.state for entry in Queue(tmp_path / "queue").entries()]
    assert states == [PlanState.PENDING, PlanState.PENDING]
    third = queue.put(make_plan("c", path="memory/episodic/a.md"), LATER, unattended=True)
    assert queue.entry(old.id).state is PlanState.PENDING
    assert queue.entry(new.id).state_reason == f"superseded by {third.id}"
    queue.put(make_plan("d", path="memory/episodic/a.md"), NOW + timedelta(hours=2), unattended=True)
    assert queue.entry(old.id).state is PlanState.SUPERSEDED, "an hour later nobody looks at it any more"


def test_a_person_who_plans_anew_supersedes_what_is_looked_at_and_a_stale_plan_is_not_kept(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue")
    old = queue.put(make_plan("a"), NOW)
    queue.put(make_plan("b", path="memory/episodic/a.md"), NOW)
    assert queue.entry(old.id).state is PlanState.SUPERSEDED
    stale = queue.put(make_plan("c"), NOW)
    queue.mark_stale({}, POLICY, NOW)
    queue.put(make_plan("d", path="memory/episodic/c.md"), NOW, unattended=True)
    assert queue.entry(stale.id).state is PlanState.SUPERSEDED


def test_looking_keeps_a_plans_state_and_is_noted_once_in_a_while(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue")
    plan = queue.put(make_plan(), NOW, unattended=True)
    before = queue.entry(plan.id)
    size = (tmp_path / "queue/index").stat().st_size
    queue.attend(plan.id, NOW)
    noted = (tmp_path / "queue/index").stat().st_size
    queue.attend(plan.id, NOW + timedelta(minutes=1))
    assert size < noted == (tmp_path / "queue/index").stat().st_size
    assert queue.entry(plan.id) == msgspec.structs.replace(before, attended=NOW)
    queue.set_state(plan.id, PlanState.REJECTED, "no", NOW)
    queue.attend(plan.id, NOW + timedelta(hours=1))
    assert queue.entry(plan.id).attended == NOW, "what is over is not waited for"
    assert queue.put(make_plan("a"), NOW, unattended=True).id != plan.id


def test_g18_a_plan_for_a_supposed_instant_supersedes_none_for_the_real_one(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    real = queue.put(make_plan("a"), NOW)
    supposed = queue.put(
        msgspec.structs.replace(make_plan("b", path="memory/episodic/a.md"), simulated_clock=True), NOW
    )
    states = {entry.id: entry.state for entry in queue.entries()}
    assert states == {real.id: PlanState.PENDING, supposed.id: PlanState.PENDING}


def test_g10_a_changed_input_makes_a_plan_stale_and_is_named(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    plan = queue.put(make_plan(), NOW)
    closed = queue.put(make_plan("closed"), NOW)
    queue.set_state(closed.id, PlanState.REJECTED, "no", NOW)
    assert queue.mark_stale(fresh(plan), POLICY, NOW) == ()
    cases = {
        "memory/working/a.md changed": fresh(plan) | {"memory/working/a.md": "2" * 64},
        "memory/working/a.md is gone": {},
        "memory/episodic/a.md appeared": fresh(plan) | {"memory/episodic/a.md": "3" * 64},
    }
    for reason, current in cases.items():
        (entry,) = queue.mark_stale(current, POLICY, NOW)
        assert (entry.id, entry.state, entry.state_reason) == (plan.id, PlanState.STALE, reason)
        assert queue.mark_stale(current, POLICY, NOW) == ()
        (entry,) = queue.mark_stale(fresh(plan).get, POLICY, NOW)
        assert entry.state is PlanState.PENDING
    (entry,) = queue.mark_stale(fresh(plan), "sha256:other", NOW)
    assert entry.state_reason == "the policy changed"


def test_an_approved_plan_that_became_stale_needs_a_new_approval(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    plan = queue.put(make_plan(), NOW)
    queue.set_state(plan.id, PlanState.APPROVED, "", NOW)
    queue.mark_stale({}, POLICY, NOW)
    queue.mark_stale(fresh(plan), POLICY, NOW)
    assert queue.entry(plan.id).state is PlanState.PENDING


def test_many_changed_inputs_are_named_in_short(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    plan = msgspec.structs.replace(make_plan(), inputs=tuple(Input(f"{i}.md", "0" * 64) for i in range(9)))
    queue.put(plan, NOW)
    (entry,) = queue.mark_stale({}, POLICY, NOW)
    assert entry.state_reason == "0.md is gone, 1.md is gone, 2.md is gone and 6 more"


def test_g11_an_unused_approval_expires_after_ten_minutes_and_may_be_given_again(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    plan = queue.put(make_plan(), NOW)
    queue.set_state(plan.id, PlanState.APPROVED, "", NOW)
    assert queue.expire(NOW + timedelta(minutes=10)) == ()
    (entry,) = queue.expire(NOW + timedelta(minutes=10, seconds=1))
    assert entry.state is PlanState.EXPIRED
    assert queue.set_state(plan.id, PlanState.APPROVED, "", NOW).state is PlanState.APPROVED


def test_only_states_that_may_follow_do(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    plan = queue.put(make_plan(), NOW)
    for state in (PlanState.APPROVED, PlanState.APPLYING, PlanState.APPLIED):
        queue.set_state(plan.id, state, "", NOW, operation="o-20260315-0001" if state is PlanState.APPLYING else None)
    assert queue.entry(plan.id).operation == "o-20260315-0001"
    for state in (PlanState.REJECTED, PlanState.PENDING, PlanState.STALE, PlanState.APPROVED):
        with pytest.raises(Refused, match="is applied and cannot become") as refused:
            queue.set_state(plan.id, state, "", NOW)
        assert refused.value.hint == "memdeck undo o-20260315-0001 undoes it"
    queue.set_state(plan.id, PlanState.UNDONE, "", NOW)
    rejected = queue.put(make_plan("b"), NOW)
    queue.set_state(rejected.id, PlanState.REJECTED, "no", NOW)
    for state in PlanState:
        with pytest.raises(Refused):
            queue.set_state(rejected.id, state, "", NOW)


def test_an_altered_body_is_damage_and_never_a_crash(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    plan = queue.put(make_plan(), NOW)
    body = tmp_path / "bodies" / f"{plan.id}.json"
    whole = body.read_bytes()
    assert queue.damage() == ()
    for at in range(0, len(whole), 7):
        flipped = bytearray(whole)
        flipped[at] ^= 0x01
        body.write_bytes(bytes(flipped))
        with pytest.raises(Damaged):
            Queue(tmp_path).load(plan.id)
    assert [finding.where for finding in Queue(tmp_path).damage()] == [f"queue/{plan.id}"]
    queue.set_state(plan.id, PlanState.REJECTED, "damaged", NOW)
    assert Queue(tmp_path).damage() == ()


def test_a_missing_body_is_shown_as_damaged(tmp_path: Path) -> None:
    plan = Queue(tmp_path).put(make_plan(), NOW)
    (tmp_path / "bodies" / f"{plan.id}.json").unlink()
    (entry,) = Queue(tmp_path).entries()
    assert entry.damage == "its body is missing"
    with pytest.raises(Damaged):
        Queue(tmp_path).load(plan.id)
    assert Queue(tmp_path).put(make_plan(), NOW).id != plan.id


def test_a_crash_between_body_and_index_loses_no_plan(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    kept = queue.put(make_plan("a"), NOW)
    index = (tmp_path / "index").read_bytes()
    lost = queue.put(make_plan("b"), NOW)
    (tmp_path / "index").write_bytes(index)
    again = Queue(tmp_path)
    assert [(e.id, e.damage) for e in again.entries()] == [(kept.id, ""), (lost.id, "")]
    assert again.damage() == ()
    assert again.set_state(lost.id, PlanState.REJECTED, "no", NOW).state is PlanState.REJECTED
    assert Queue(tmp_path).entry(lost.id).state is PlanState.REJECTED


def test_a_torn_line_of_the_index_is_harmless(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    plan = queue.put(make_plan("a"), NOW)
    whole = (tmp_path / "index").read_bytes()
    queue.set_state(plan.id, PlanState.APPROVED, "", NOW)
    line = (tmp_path / "index").read_bytes()[len(whole) :]
    for size in range(len(line)):
        (tmp_path / "index").write_bytes(whole + line[:size])
        again = Queue(tmp_path)
        assert again.entry(plan.id).state is PlanState.PENDING
        again.set_state(plan.id, PlanState.EXPIRED, "", NOW)
        again = Queue(tmp_path)
        assert again.entry(plan.id).state is PlanState.EXPIRED
        assert again.damage() == ()


def test_a_damaged_index_is_found_and_rebuilt(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    plans = [queue.put(make_plan(name), NOW) for name in "abc"]
    whole = (tmp_path / "index").read_bytes()
    second = whole.index(b"\n") + 1
    for at in (second, second + 5, second + 60, second + 300):
        flipped = bytearray(whole)
        flipped[at] ^= 0x02
        (tmp_path / "index").write_bytes(bytes(flipped))
        again = Queue(tmp_path)
        assert {entry.id for entry in again.entries()} == {plan.id for plan in plans}
        assert "queue/index" in {finding.where for finding in again.damage()}
        assert again.repair(NOW)
        assert not again.repair(NOW)
        assert again.damage() == ()
        entry = Queue(tmp_path).entry(plans[1].id)
        assert (entry.state, entry.state_reason) == (PlanState.STALE, "its place in the queue was damaged")
    assert len(list(tmp_path.glob("index.damaged-*"))) == 4


def test_a_body_of_which_only_the_id_is_left_is_shown(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    queue.put(make_plan(), NOW)
    (tmp_path / "bodies" / "p-20260315-0009.json").write_bytes(b"\xff{")
    entry = Queue(tmp_path).entry("p-20260315-0009")
    assert (entry.digest, entry.state, bool(entry.damage)) == ("", PlanState.STALE, True)
    assert Queue(tmp_path).put(make_plan("b"), NOW).id == "p-20260315-0010"
    Queue(tmp_path).set_state(entry.id, PlanState.REJECTED, "damaged", NOW)
    assert Queue(tmp_path).damage() == ()


def test_history_is_compacted_without_changing_what_is_listed(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    plan = queue.put(make_plan(), NOW)
    for _ in range(520):
        queue.set_state(plan.id, PlanState.APPROVED, "", NOW)
        queue.set_state(plan.id, PlanState.EXPIRED, "late", NOW)
    assert (tmp_path / "index").read_bytes().count(b"\n") < 200
    assert Queue(tmp_path).entry(plan.id).state_reason == "late"


def test_several_processes_never_share_an_id(tmp_path: Path) -> None:
    def run(name: str) -> None:
        queue = Queue(tmp_path)
        for i in range(10):
            queue.put(make_plan(f"{name}{i}"), NOW)

    threads = [threading.Thread(target=run, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [entry.id for entry in Queue(tmp_path).entries()] == [f"p-20260315-{n:04d}" for n in range(1, 31)]


def test_ten_thousand_plans_are_listed_from_the_index_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(tmp_path)
    first = queue.put(make_plan("0"), NOW)
    (entry,) = queue.entries()
    filed = []
    for n in range(2, 10_001):
        plan_id = f"p-20260315-{n:04d}"
        filed.append(FiledPlan(msgspec.structs.replace(entry, id=plan_id, digest=plan_id, targets=(plan_id,)), ""))
    queue._index.append(filed)
    names = [f"{first.id}.json", *(f"{item.entry.id}.json" for item in filed)]  # making the files takes seconds
    monkeypatch.setattr(os, "listdir", lambda _: names)
    again = Queue(tmp_path)
    assert len(again.entries()) == 10_000
    assert len(again.entries()) == 10_000
    appended = Append(n=1, path="memory/semantic/openclaw.md", risk_tier=RiskTier.B, reason="r", content="x")
    assert again.put(msgspec.structs.replace(make_plan("z"), changes=(appended,)), NOW).id == "p-20260315-10001"
