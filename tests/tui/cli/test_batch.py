"""`approve`: several plans by filter, every diff shown, their number typed on a terminal, never of tier C (G11)."""

import io
import json
from datetime import timedelta

import msgspec
import pytest

from engine.plans.plan import Move, Plan, QualityGate, RiskTier
from tests.prepared import Prepared
from tests.tui.cli.conftest import Ran, Run, Typist
from tests.values import append_plan, compaction, flagged_plan, tree_plan, with_confirmation, without_confirmations

B_ONE, GRAVE, A_ONE, B_TWO = compaction(1).id, append_plan(2).id, tree_plan(3).id, compaction(4).id


def second() -> Plan:
    """A plan of tier B like the first, for the notes of the days that follow."""
    return compaction(4, first=13)


@pytest.fixture
def queue(workspace: Prepared) -> Prepared:
    """Two plans of tier B, one of A, one of C."""
    for plan in (compaction(1), append_plan(2), tree_plan(3), second()):
        workspace.add(without_confirmations(plan))
    return workspace


def digests(made: Prepared, *plans: str) -> set[str]:
    return {made.plan(plan).digest for plan in plans}


def applied(made: Prepared) -> set[str]:
    return {approval.target for approval in made.approvals}


def refused(ran: Ran, made: Prepared) -> None:
    assert ran.code == 3 and ran.err.count("\n") == 1 and not made.approvals


def agent_goes_on(made: Prepared, plan_id: str) -> None:
    """Writes to a note of which the plan knows the bytes."""
    note = next(change.path for change in made.plan(plan_id).changes if isinstance(change, Move))
    made.write(note, "the agent went on\n")


def test_the_plans_of_a_tier_are_shown_whole_and_applied_each_for_its_own_digest(
    run: Run, queue: Prepared, typist: Typist
) -> None:
    typist.types("2\n")
    ran = run("approve", "--tier", "B")
    assert ran.code == 0 and applied(queue) == digests(queue, B_ONE, B_TWO)
    shown = typist.shown()
    assert "Type 2 to apply 2 plans: " in shown
    for plan in map(queue.plan, (B_ONE, B_TWO)):
        assert plan.digest in shown and all(change.path in shown for change in plan.changes)
        assert all(gate.id in shown for gate in plan.gates)
    assert [approval.risk_tier for approval in queue.approvals] == [RiskTier.B, RiskTier.B]
    assert len({approval.nonce for approval in queue.approvals}) == 2
    assert {approval.witness.channel for approval in queue.approvals} == {"terminal"}
    assert ran.out.count("applied p-") == 2


@pytest.mark.parametrize(
    "arguments", [(B_TWO, B_ONE), ("--system", "compact"), ("--filter", "system:compact tier:b"), ("--filter", "notes")]
)
def test_plans_are_chosen_by_name_by_system_and_by_the_filter_of_the_console(
    run: Run, queue: Prepared, typist: Typist, arguments: tuple[str, ...]
) -> None:
    if arguments[-1] == "notes":
        arguments = ("--filter", queue.plan(B_ONE).trigger)
    typist.types("2\n")
    assert run("approve", *arguments).code == 0
    assert applied(queue) == digests(queue, B_ONE, B_TWO)


def test_tier_c_stays_out_and_it_says_so(run: Run, queue: Prepared, typist: Typist) -> None:
    typist.types("3\n")
    assert run("approve", B_ONE, GRAVE, A_ONE, B_TWO).code == 0
    assert f"{GRAVE}: risk tier C: each is approved alone" in typist.shown()
    assert applied(queue) == digests(queue, B_ONE, A_ONE, B_TWO)


def test_tier_c_is_refused_before_anyone_is_asked(run: Run, queue: Prepared, typist: Typist) -> None:
    ran = run("approve", GRAVE, B_ONE)
    refused(ran, queue)
    assert "only one plan" in ran.err and "risk tier C" in ran.err and f"memdeck apply {B_ONE}" in ran.err
    assert run("approve", "--tier", "C").code == 2
    assert typist.shown() == ""


@pytest.mark.parametrize("change", ["stale", "gate", "snoozed"])
def test_what_is_stale_put_off_or_failed_a_gate_stays_out(
    run: Run, queue: Prepared, typist: Typist, change: str
) -> None:
    left_out = B_TWO
    match change:
        case "stale":
            agent_goes_on(queue, B_TWO)
        case "snoozed":
            queue.engine.queue.snooze(B_TWO, queue.clock + timedelta(days=1))
        case _:
            failed = (QualityGate(id="coverage", passed=False, detail="3 lost"),)
            left_out = queue.add(msgspec.structs.replace(compaction(5, first=13), gates=failed)).id
    typist.types("2\n")
    assert run("approve", B_ONE, A_ONE, left_out).code == 0
    assert "omitted" in typist.shown() and f"{left_out}: " in typist.shown()
    assert applied(queue) == digests(queue, B_ONE, A_ONE)


@pytest.mark.parametrize("typed", ["", "y", "yes", "APPROVED", "3", "02", " 2", "2 ", "two", "\x1b[200~2\x1b[201~"])
def test_anything_but_their_number_refuses(run: Run, queue: Prepared, typist: Typist, typed: str) -> None:
    typist.types(typed + "\n")
    refused(run("approve", "--tier", "b"), queue)


def test_no_pipe_answers(run: Run, queue: Prepared, no_terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("2\n"))
    ran = run("approve", "--tier", "B")
    refused(ran, queue)
    assert "terminal" in ran.err


def test_read_only_refuses(run: Run, queue: Prepared, typist: Typist) -> None:
    refused(run("approve", "--tier", "B", "--read-only"), queue)


def test_each_different_question_is_asked_once(run: Run, workspace: Prepared, typist: Typist) -> None:
    for plan in (compaction(1), second()):
        workspace.add(with_confirmation(plan))
    typist.types("y\nbacked up\n2\n")
    assert run("approve", "--tier", "B").code == 0
    assert typist.shown().count("Reason: ") == 1
    assert [[answer.reason for answer in one.answers] for one in workspace.approvals] == [["backed up"]] * 2


def test_what_one_refuses_stops_no_other(run: Run, queue: Prepared, typist: Typist) -> None:
    typist.answers("to apply 2 plans: ", "2\n", lambda: agent_goes_on(queue, B_ONE))
    ran = run("approve", "--tier", "B", "--json")
    assert ran.code == 4 and B_ONE in ran.err
    first, second = sorted(json.loads(ran.out), key=lambda one: one["plan"] != B_ONE)
    assert first["operation"] is None and "changed" in first["error"]
    assert second["plan"] == B_TWO and second["error"] is None


def test_what_stands_against_a_commit_is_told_with_its_plan(
    run: Run, queue: Prepared, stubbed: Prepared, typist: Typist
) -> None:
    problem = "not committed: a merge is under way"
    stubbed.stub.alters("plans.apply", lambda operation: msgspec.structs.replace(operation, problems=(problem,)))
    typist.types("2\n")
    ran = run("approve", "--tier", "B")
    assert ran.code == 0 and sorted(ran.err.splitlines()) == [
        f"memdeck: {plan}: {problem}" for plan in sorted((B_ONE, B_TWO))
    ]


@pytest.mark.parametrize("arguments", [(), ("p-none",), ("--filter", "older:"), ("--tier", "C")])
def test_what_chooses_nothing_is_wrong_usage(
    run: Run, queue: Prepared, no_terminal: None, arguments: tuple[str, ...]
) -> None:
    ran = run("approve", *arguments)
    assert ran.code == 2 and ran.err.count("\n") == 1


def test_flagged_lines_keep_a_plan_out_and_it_says_why(run: Run, workspace: Prepared, typist: Typist) -> None:
    for plan in (compaction(1), flagged_plan(), second()):
        workspace.add(without_confirmations(plan))
    typist.types("2\n")
    assert run("approve", "--tier", "B").code == 0
    assert applied(workspace) == digests(workspace, B_ONE, B_TWO)
    assert f"{flagged_plan().id}: flagged lines: it is approved alone" in typist.shown()


def test_a_queue_that_hides_the_flags_opens_no_batch(run: Run, stubbed: Prepared, typist: Typist) -> None:
    for plan in (compaction(1), flagged_plan()):
        stubbed.add(without_confirmations(plan))
    stubbed.stub.alters("plans.queue", lambda queue: tuple(msgspec.structs.replace(one, flagged=0) for one in queue))
    ran = run("approve", B_ONE, flagged_plan().id)
    refused(ran, stubbed)
    assert "flagged lines: it is approved alone" in ran.err
