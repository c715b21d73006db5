"""`apply` and `undo`: what is asked, in which order, and that nothing but typing on a terminal says yes (G11)."""

import io
import json
from typing import Any

import msgspec
import pytest

from engine.plans.operation import Operation, OperationState
from engine.plans.plan import Confirmation, Move, PlanState, QualityGate, RiskTier
from engine.services.plans import PlanService
from tests.prepared import Prepared
from tests.tui.cli.approvals import an_approval
from tests.tui.cli.conftest import Ran, Run, Typist
from tests.values import append_plan, compaction, with_confirmation
from tui.cli import prompt

B_PLAN, C_PLAN = compaction(1).id, append_plan(2).id


def test_tier_b_wants_a_yes(run: Run, waiting: Prepared, typist: Typist) -> None:
    typist.types("y\n")
    ran = run("apply", B_PLAN)
    count = len(waiting.plan(B_PLAN).changes)
    assert ran.code == 0 and f"Apply {count} changes? [y/N] " in typist.shown()
    (operation,) = waiting.operations
    assert ran.out.startswith(f"applied {B_PLAN} as {operation.id}")
    (approval,) = waiting.approvals
    assert approval.target == waiting.plan(B_PLAN).digest
    assert approval.numbers == tuple(change.n for change in waiting.plan(B_PLAN).changes)
    assert approval.witness.channel == "terminal" and approval.witness.tty == typist.name


def test_tier_c_wants_the_word(run: Run, waiting: Prepared, typist: Typist) -> None:
    typist.types("APPROVED\n")
    assert run("apply", C_PLAN).code == 0
    assert "Type APPROVED to apply: " in typist.shown()
    assert waiting.approvals[0].risk_tier is RiskTier.C


@pytest.mark.parametrize("typed", ["", "n", "N", "no", "yes please", "APPROVED", "maybe", "1", "\x04", "yy"])
def test_anything_but_a_yes_refuses_tier_b(run: Run, waiting: Prepared, typist: Typist, typed: str) -> None:
    typist.types(typed + "\n")
    _refused(run("apply", B_PLAN), waiting)


@pytest.mark.parametrize("typed", ["", "y", "yes", "approved", "Approved", " APPROVED", "APPROVED ", "APPROVE", "ОK"])
def test_anything_but_the_word_refuses_tier_c(run: Run, waiting: Prepared, typist: Typist, typed: str) -> None:
    typist.types(typed + "\n")
    _refused(run("apply", C_PLAN), waiting)


@pytest.mark.parametrize(
    "typed", ["\x1b[200~APPROVED\x1b[201~\n", "\x1b[200~APPROVED\n\x1b[201~", "APP\x1b[200~ROVED\x1b[201~\n"]
)
def test_a_bracketed_paste_is_refused(run: Run, waiting: Prepared, typist: Typist, typed: str) -> None:
    typist.types(typed)
    ran = run("apply", C_PLAN)
    _refused(ran, waiting)
    assert "pasted" in ran.err


@pytest.mark.parametrize("end", ["\x1b[201~", "\x1b[201~\r", "\nuname\x1b[201~\n"])
def test_the_rest_of_a_refused_paste_is_left_to_nobody(run: Run, waiting: Prepared, typist: Typist, end: str) -> None:
    typist.types("\x1b[200~APPROVED\rtouch pwned\r" + "x" * 2000 + "\rls" + end)
    _refused(run("apply", C_PLAN), waiting)
    typist.types("typed by hand\n")
    assert typist.reads() == "typed by hand\n"


@pytest.mark.parametrize("flag", ["--yes", "-y", "--force", "--approved", "--no-input"])
def test_no_flag_can_say_yes(run: Run, waiting: Prepared, no_terminal: None, flag: str) -> None:
    assert run("apply", C_PLAN, flag).code == 2 and waiting.approvals == ()


def test_no_environment_can_say_yes(
    run: Run, waiting: Prepared, no_terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MEMDECK_APPROVED", "MEMDECK_YES", "CI", "APPROVED"):
        monkeypatch.setenv(name, "APPROVED")
    _refused(run("apply", C_PLAN), waiting)


def test_the_terminal_is_asked_to_mark_pastes_only_while_we_ask(run: Run, waiting: Prepared, typist: Typist) -> None:
    typist.types("y\n")
    run("apply", B_PLAN)
    shown = typist.shown()
    assert shown.index("\x1b[?2004h") < shown.index("digest") and shown.endswith("\x1b[?2004l")


def test_a_dumb_terminal_gets_no_escape_codes(
    run: Run, waiting: Prepared, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    typist.answers("[y/N] ", "y\n")
    assert run("apply", B_PLAN).code == 0
    assert "\x1b" not in typist.shown()


@pytest.mark.parametrize("ahead", ["y\n", "y\ny\ny\n", "y\nreason\ny\n", "y", "\x1b[200~y\n\x1b[201~"])
def test_what_was_typed_ahead_on_a_terminal_that_marks_no_paste_approves_nothing(
    run: Run, waiting: Prepared, typist: Typist, monkeypatch: pytest.MonkeyPatch, ahead: str
) -> None:
    """G11: it may be a paste that nobody can tell from typing."""
    monkeypatch.setenv("TERM", "dumb")
    typist.types(ahead)
    typist.answers("[y/N] ", "\n")
    _refused(run("apply", B_PLAN), waiting)


def test_lines_behind_an_answer_on_such_a_terminal_answer_no_further_question(
    run: Run, waiting: Prepared, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    plan = waiting.add(with_confirmation(compaction(4))).id
    typist.answers("been backed up? [y/N] ", "y\na reason\ny\n")
    typist.answers("Reason: ", "\n")
    _refused(run("apply", plan), waiting)


def test_a_terminal_that_marks_no_paste_cannot_approve_tier_c(
    run: Run, waiting: Prepared, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G11: a paste is refused; where none can be told from typing, the word is not asked for."""
    monkeypatch.setenv("TERM", "dumb")
    typist.types("APPROVED\n")
    ran = run("apply", C_PLAN)
    _refused(ran, waiting)
    assert "TERM" in ran.err and "\x1b" not in typist.shown()


def test_confirmations_come_first_each_with_its_reason(run: Run, waiting: Prepared, typist: Typist) -> None:
    plan = waiting.add(with_confirmation(append_plan(4))).id
    typist.types("y\nbacked up this morning\nAPPROVED\n")
    assert run("apply", plan).code == 0
    shown = typist.shown()
    asked = ["been backed up? [y/N] ", "Reason: ", "Type APPROVED to apply: "]
    places = [shown.index(question) for question in asked]
    assert places == sorted(places)
    assert [(answer.id, answer.reason) for answer in waiting.approvals[0].answers] == [
        ("first_run", "backed up this morning")
    ]


@pytest.mark.parametrize("typed", ["n\n", "y\n\n", "y\n  \n", "y\nreason\nno\n"])
def test_a_confirmation_without_yes_or_reason_refuses(run: Run, waiting: Prepared, typist: Typist, typed: str) -> None:
    plan = waiting.add(with_confirmation(append_plan(4))).id
    typist.types(typed)
    _refused(run("apply", plan), waiting)


def test_what_was_typed_ahead_is_used_and_what_is_left_stays(run: Run, waiting: Prepared, typist: Typist) -> None:
    """CLI.md: these prompts drop no input."""
    typist.types("y\nls\n")
    assert run("apply", B_PLAN).code == 0
    assert waiting.approvals


def test_the_diff_is_shown_before_the_question(run: Run, waiting: Prepared, typist: Typist) -> None:
    typist.types("n\n")
    run("apply", B_PLAN)
    shown = typist.shown()
    for change in waiting.plan(B_PLAN).changes:
        assert change.path in shown
    assert shown.index("+# Compiled:") < shown.index("Apply ")


def test_the_diff_goes_to_the_terminal_and_json_to_stdout(run: Run, waiting: Prepared, typist: Typist) -> None:
    typist.types("y\n")
    ran = run("apply", B_PLAN, "--json")
    assert json.loads(ran.out)["state"] == "done" and ran.err == ""
    assert "Apply " in typist.shown()


def test_no_terminal_is_refused_whatever_stdin_says(
    run: Run, waiting: Prepared, no_terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nAPPROVED\n"))
    for arguments in (("apply", B_PLAN), ("apply", C_PLAN)):
        ran = run(*arguments)
        _refused(ran, waiting)
        assert "terminal" in ran.err


def test_only_some_changes_with_the_tier_computed_anew(run: Run, waiting: Prepared, typist: Typist) -> None:
    typist.types("y\n")
    assert run("apply", B_PLAN, "--only", "1,2").code == 0
    assert waiting.approvals[0].numbers == (1, 2)
    assert "Apply 2 changes? [y/N] " in typist.shown()


@pytest.mark.parametrize("only", ["", "0", "99", "1,,2", "a", "-1", "1-3", "²", "1,99"])
def test_numbers_that_name_no_change_are_wrong_usage(run: Run, waiting: Prepared, no_terminal: None, only: str) -> None:
    ran = run("apply", B_PLAN, "--only", only)
    assert ran.code == 2 and ran.err.count("\n") == 1 and not waiting.approvals


def test_a_move_without_its_summary_is_wrong_usage(run: Run, waiting: Prepared, no_terminal: None) -> None:
    plan = waiting.plan(B_PLAN)
    number = next(change.n for change in plan.changes if change.requires)
    ran = run("apply", B_PLAN, "--only", str(number))
    assert ran.code == 2 and f"change {number} needs {number - 1} ·" in ran.err


def test_a_change_that_needs_any_of_several_says_so(run: Run, waiting: Prepared, no_terminal: None) -> None:
    plan = compaction(4)
    last = msgspec.structs.replace(plan.changes[-1], requires=(), requires_any=(1, 3))
    waiting.add(msgspec.structs.replace(plan, changes=(*plan.changes[:-1], last)))
    ran = run("apply", plan.id, "--only", str(last.n))
    assert ran.code == 2 and f"change {last.n} needs one of 1,3 ·" in ran.err


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (PlanState.STALE, 4),
        (PlanState.CONFLICT, 4),
        (PlanState.APPLIED, 3),
        (PlanState.REJECTED, 3),
        (PlanState.SUPERSEDED, 3),
        (PlanState.UNDONE, 3),
        (PlanState.PARTIAL, 3),
    ],
)
def test_a_plan_that_cannot_be_applied_is_told_before_anyone_is_asked(
    run: Run, waiting: Prepared, typist: Typist, state: PlanState, code: int
) -> None:
    note = moved_note(waiting)
    if state is PlanState.STALE:
        waiting.write(note, "the agent went on\n")
    else:
        waiting.set_state(B_PLAN, state)
    ran = run("apply", B_PLAN)
    assert ran.code == code and not waiting.approvals
    assert "[y/N]" not in typist.shown()
    if state is PlanState.STALE:
        assert note in ran.err


def test_a_plan_that_went_stale_while_it_was_read_gives_4(run: Run, waiting: Prepared, typist: Typist) -> None:
    note = moved_note(waiting)
    typist.answers("[y/N] ", "y\n", lambda: waiting.write(note, "the agent went on\n"))
    ran = run("apply", B_PLAN)
    assert ran.code == 4 and ran.err.startswith(
        f"memdeck: {note}: changed since the plan was made; nothing was written"
    )
    assert waiting.entry(B_PLAN).state is PlanState.STALE and waiting.operations == ()


def test_a_partial_operation_gives_4(
    run: Run, waiting: Prepared, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = PlanService.apply

    def torn(*arguments: Any, **options: Any) -> Operation:
        done = whole(*arguments, **options)
        return msgspec.structs.replace(done, state=OperationState.PARTIAL, problems=("a.md: another program",))

    monkeypatch.setattr(PlanService, "apply", torn)
    typist.types("y\n")
    ran = run("apply", B_PLAN)
    assert ran.code == 4 and "another program" in ran.err


def test_read_only_approves_nothing(run: Run, waiting: Prepared, typist: Typist) -> None:
    typist.types("y\ny\n")
    _refused(run("apply", B_PLAN, "--read-only"), waiting)
    applied(waiting)
    refused = run("--read-only", "undo")
    assert (refused.code, refused.out, refused.err.count("\n")) == (3, "", 1)
    assert [one.state for one in waiting.operations] == [OperationState.DONE]


def test_a_gate_that_failed_gives_6_before_anyone_is_asked(run: Run, waiting: Prepared, typist: Typist) -> None:
    failed = QualityGate("coverage", False, "memory/working/a.md is neither taken nor skipped")
    plan = waiting.add(msgspec.structs.replace(compaction(4), gates=(failed,))).id
    ran = run("apply", plan)
    assert ran.code == 6 and "coverage" in ran.err and not waiting.approvals
    assert "[y/N]" not in typist.shown()


def test_a_subset_is_asked_only_what_is_about_it(run: Run, waiting: Prepared, typist: Typist) -> None:
    question = Confirmation("cooldown", "Inside the cooldown: go on?", changes=(3,))
    plan = waiting.add(msgspec.structs.replace(compaction(4), confirmations=(question,))).id
    typist.types("y\n")
    assert run("apply", plan, "--only", "1,2").code == 0
    assert "cooldown" not in typist.shown().partition("changes")[2]


def moved_note(waiting: Prepared) -> str:
    """A note of which the plan of tier B knows the bytes."""
    return next(change.path for change in waiting.plan(B_PLAN).changes if isinstance(change, Move))


def applied(waiting: Prepared) -> Operation:
    """Leaves an operation behind that can be taken back."""
    plan = waiting.plan(B_PLAN)
    return waiting.engine.plans.apply(plan, an_approval(plan, waiting.clock))


def test_g20_undo_wants_one_yes(run: Run, waiting: Prepared, typist: Typist) -> None:
    operation = applied(waiting)
    typist.types("y\n")
    ran = run("undo")
    assert ran.code == 0 and ran.out.startswith(f"undid {operation.id}")
    assert "changes? [y/N] " in typist.shown() and "-# Compiled" in typist.shown()
    assert waiting.entry(B_PLAN).state is PlanState.UNDONE


def test_undo_is_refused_without_a_yes_or_a_terminal(
    run: Run, waiting: Prepared, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = applied(waiting)
    typist.types("n\n")
    assert run("undo").code == 3
    monkeypatch.setattr(prompt, "TERMINAL", "/no-tty")
    assert run("undo").code == 3
    assert waiting.operations == (operation,)


def test_undo_with_nothing_to_take_back(run: Run, waiting: Prepared, no_terminal: None) -> None:
    ran = run("undo")
    assert ran.code == 3 and "there is no operation to undo" in ran.err


def _refused(ran: Ran, waiting: Prepared) -> None:
    assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 1), ran
    states = {entry.state for entry in waiting.engine.plans.queue()} - {PlanState.SUPERSEDED}
    assert waiting.operations == () and states == {PlanState.PENDING}
