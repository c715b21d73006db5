"""`apply` and `undo`: what is asked, in which order, and that nothing but typing on a terminal says yes (G11)."""

import msgspec
import pytest

from engine.errors import Stale
from engine.plans.operation import OperationState
from engine.plans.plan import Confirmation, PlanState, QualityGate, RiskTier
from tests.tui.cli.conftest import Ran, Run, Typist
from tests.tui.cli.fake import FakeConsole, applied, with_confirmation
from tests.values import append_plan, compaction

B_PLAN, C_PLAN = compaction(1).id, append_plan(2).id


def test_tier_b_wants_a_yes(run: Run, fake: FakeConsole, typist: Typist) -> None:
    typist.types("y\n")
    ran = run("apply", B_PLAN)
    count = len(fake.plans[B_PLAN].changes)
    assert ran.code == 0 and f"Apply {count} changes? [y/N] " in typist.shown()
    assert ran.out.startswith(f"applied {B_PLAN} as o-20260315-0001")
    (approval,) = fake.approvals
    assert approval.target == fake.plans[B_PLAN].digest
    assert approval.numbers == tuple(change.n for change in fake.plans[B_PLAN].changes)
    assert approval.witness.channel == "terminal" and approval.witness.tty == typist.name


def test_tier_c_wants_the_word(run: Run, fake: FakeConsole, typist: Typist) -> None:
    typist.types("APPROVED\n")
    assert run("apply", C_PLAN).code == 0
    assert "Type APPROVED to apply: " in typist.shown()
    assert fake.approvals[0].risk_tier is RiskTier.C


@pytest.mark.parametrize("typed", ["", "n", "N", "no", "yes please", "APPROVED", "maybe", "1", "\x04", "yy"])
def test_anything_but_a_yes_refuses_tier_b(run: Run, fake: FakeConsole, typist: Typist, typed: str) -> None:
    typist.types(typed + "\n")
    _refused(run("apply", B_PLAN), fake)


@pytest.mark.parametrize("typed", ["", "y", "yes", "approved", "Approved", " APPROVED", "APPROVED ", "APPROVE", "ОK"])
def test_anything_but_the_word_refuses_tier_c(run: Run, fake: FakeConsole, typist: Typist, typed: str) -> None:
    typist.types(typed + "\n")
    _refused(run("apply", C_PLAN), fake)


@pytest.mark.parametrize(
    "typed", ["\x1b[200~APPROVED\x1b[201~\n", "\x1b[200~APPROVED\n\x1b[201~", "APP\x1b[200~ROVED\x1b[201~\n"]
)
def test_a_bracketed_paste_is_refused(run: Run, fake: FakeConsole, typist: Typist, typed: str) -> None:
    typist.types(typed)
    ran = run("apply", C_PLAN)
    _refused(ran, fake)
    assert "pasted" in ran.err


@pytest.mark.parametrize("end", ["\x1b[201~", "\x1b[201~\r", "\nuname\x1b[201~\n"])
def test_the_rest_of_a_refused_paste_is_left_to_nobody(run: Run, fake: FakeConsole, typist: Typist, end: str) -> None:
    typist.types("\x1b[200~APPROVED\rtouch pwned\r" + "x" * 2000 + "\rls" + end)
    _refused(run("apply", C_PLAN), fake)
    typist.types("typed by hand\n")
    assert typist.reads() == "typed by hand\n"


@pytest.mark.parametrize("flag", ["--yes", "-y", "--force", "--approved", "--no-input"])
def test_no_flag_can_say_yes(run: Run, fake: FakeConsole, no_terminal: None, flag: str) -> None:
    assert run("apply", C_PLAN, flag).code == 2 and fake.approvals == []


def test_no_environment_can_say_yes(
    run: Run, fake: FakeConsole, no_terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MEMDECK_APPROVED", "MEMDECK_YES", "CI", "APPROVED"):
        monkeypatch.setenv(name, "APPROVED")
    _refused(run("apply", C_PLAN), fake)


def test_the_terminal_is_asked_to_mark_pastes_only_while_we_ask(run: Run, fake: FakeConsole, typist: Typist) -> None:
    typist.types("y\n")
    run("apply", B_PLAN)
    shown = typist.shown()
    assert shown.index("\x1b[?2004h") < shown.index("digest") and shown.endswith("\x1b[?2004l")


def test_a_dumb_terminal_gets_no_escape_codes(
    run: Run, fake: FakeConsole, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    typist.answers("[y/N] ", "y\n")
    assert run("apply", B_PLAN).code == 0
    assert "\x1b" not in typist.shown()


@pytest.mark.parametrize("ahead", ["y\n", "y\ny\ny\n", "y\nreason\ny\n", "y", "\x1b[200~y\n\x1b[201~"])
def test_what_was_typed_ahead_on_a_terminal_that_marks_no_paste_approves_nothing(
    run: Run, fake: FakeConsole, typist: Typist, monkeypatch: pytest.MonkeyPatch, ahead: str
) -> None:
    """G11: it may be a paste that nobody can tell from typing."""
    monkeypatch.setenv("TERM", "dumb")
    typist.types(ahead)
    typist.answers("[y/N] ", "\n")
    _refused(run("apply", B_PLAN), fake)


def test_lines_behind_an_answer_on_such_a_terminal_answer_no_further_question(
    run: Run, fake: FakeConsole, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    fake.plans[B_PLAN] = with_confirmation(fake.plans[B_PLAN])
    typist.answers("been backed up? [y/N] ", "y\na reason\ny\n")
    typist.answers("Reason: ", "\n")
    _refused(run("apply", B_PLAN), fake)


def test_a_terminal_that_marks_no_paste_cannot_approve_tier_c(
    run: Run, fake: FakeConsole, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G11: a paste is refused; where none can be told from typing, the word is not asked for."""
    monkeypatch.setenv("TERM", "dumb")
    typist.types("APPROVED\n")
    ran = run("apply", C_PLAN)
    _refused(ran, fake)
    assert "TERM" in ran.err and "\x1b" not in typist.shown()


def test_confirmations_come_first_each_with_its_reason(run: Run, fake: FakeConsole, typist: Typist) -> None:
    fake.plans[C_PLAN] = with_confirmation(fake.plans[C_PLAN])
    typist.types("y\nbacked up this morning\nAPPROVED\n")
    assert run("apply", C_PLAN).code == 0
    shown = typist.shown()
    asked = ["been backed up? [y/N] ", "Reason: ", "Type APPROVED to apply: "]
    places = [shown.index(question) for question in asked]
    assert places == sorted(places)
    assert [(answer.id, answer.reason) for answer in fake.approvals[0].answers] == [
        ("first_run", "backed up this morning")
    ]


@pytest.mark.parametrize("typed", ["n\n", "y\n\n", "y\n  \n", "y\nreason\nno\n"])
def test_a_confirmation_without_yes_or_reason_refuses(run: Run, fake: FakeConsole, typist: Typist, typed: str) -> None:
    fake.plans[C_PLAN] = with_confirmation(fake.plans[C_PLAN])
    typist.types(typed)
    _refused(run("apply", C_PLAN), fake)


def test_what_was_typed_ahead_is_used_and_what_is_left_stays(run: Run, fake: FakeConsole, typist: Typist) -> None:
    """CLI.md: these prompts drop no input."""
    typist.types("y\nls\n")
    assert run("apply", B_PLAN).code == 0
    assert fake.approvals


def test_the_diff_is_shown_before_the_question(run: Run, fake: FakeConsole, typist: Typist) -> None:
    typist.types("n\n")
    run("apply", B_PLAN)
    shown = typist.shown()
    for change in fake.plans[B_PLAN].changes:
        assert change.path in shown
    assert shown.index("+# Compiled:") < shown.index("Apply ")


def test_the_diff_goes_to_the_terminal_and_json_to_stdout(run: Run, fake: FakeConsole, typist: Typist) -> None:
    import json

    typist.types("y\n")
    ran = run("apply", B_PLAN, "--json")
    assert json.loads(ran.out)["state"] == "done" and ran.err == ""
    assert "Apply " in typist.shown()


def test_no_terminal_is_refused_whatever_stdin_says(
    run: Run, fake: FakeConsole, no_terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("y\nAPPROVED\n"))
    for arguments in (("apply", B_PLAN), ("apply", C_PLAN)):
        ran = run(*arguments)
        _refused(ran, fake)
        assert "terminal" in ran.err


def test_only_some_changes_with_the_tier_computed_anew(run: Run, fake: FakeConsole, typist: Typist) -> None:
    typist.types("y\n")
    assert run("apply", B_PLAN, "--only", "1,2").code == 0
    assert fake.approvals[0].numbers == (1, 2)
    assert "Apply 2 changes? [y/N] " in typist.shown()


@pytest.mark.parametrize("only", ["", "0", "99", "1,,2", "a", "-1", "1-3", "²", "1,99"])
def test_numbers_that_name_no_change_are_wrong_usage(run: Run, fake: FakeConsole, no_terminal: None, only: str) -> None:
    ran = run("apply", B_PLAN, "--only", only)
    assert ran.code == 2 and ran.err.count("\n") == 1 and not fake.approvals


def test_a_move_without_its_summary_is_wrong_usage(run: Run, fake: FakeConsole, no_terminal: None) -> None:
    plan = fake.plans[B_PLAN]
    number = next(change.n for change in plan.changes if change.requires)
    ran = run("apply", B_PLAN, "--only", str(number))
    assert ran.code == 2 and f"change {number} needs {number - 1} ·" in ran.err


def test_a_change_that_needs_any_of_several_says_so(run: Run, fake: FakeConsole, no_terminal: None) -> None:
    plan = fake.plans[B_PLAN]
    last = msgspec.structs.replace(plan.changes[-1], requires=(), requires_any=(1, 3))
    fake.plans[B_PLAN] = msgspec.structs.replace(plan, changes=(*plan.changes[:-1], last))
    ran = run("apply", B_PLAN, "--only", str(last.n))
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
    run: Run, fake: FakeConsole, typist: Typist, state: PlanState, code: int
) -> None:
    fake.set_state(B_PLAN, state, "memory/working/a.md changed")
    ran = run("apply", B_PLAN)
    assert ran.code == code and not fake.approvals
    assert "[y/N]" not in typist.shown()
    if state is PlanState.STALE:
        assert "memory/working/a.md" in ran.err


def test_a_plan_that_went_stale_while_it_was_read_gives_4(run: Run, fake: FakeConsole, typist: Typist) -> None:
    fake.fails = Stale("changed after the plan was made", where="memory/working/a.md", hint="plan again")
    typist.types("y\n")
    ran = run("apply", B_PLAN)
    assert ran.code == 4 and ran.err == "memdeck: memory/working/a.md: changed after the plan was made · plan again\n"


def test_a_partial_operation_gives_4(
    run: Run, fake: FakeConsole, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    import msgspec

    whole = fake._operation

    def torn(*arguments: object) -> object:
        done = whole(*arguments)  # type: ignore[arg-type]
        return msgspec.structs.replace(done, state=OperationState.PARTIAL, problems=("a.md: another program",))

    monkeypatch.setattr(fake, "_operation", torn)
    typist.types("y\n")
    ran = run("apply", B_PLAN)
    assert ran.code == 4 and "another program" in ran.err


def test_read_only_approves_nothing(run: Run, fake: FakeConsole, typist: Typist) -> None:
    typist.types("y\ny\n")
    _refused(run("apply", B_PLAN, "--read-only"), fake)
    applied(fake, B_PLAN)
    _refused(run("--read-only", "undo"), fake)


def test_a_gate_that_failed_gives_6_before_anyone_is_asked(run: Run, fake: FakeConsole, typist: Typist) -> None:
    import msgspec

    failed = QualityGate("coverage", False, "memory/working/a.md is neither taken nor skipped")
    fake.plans[B_PLAN] = msgspec.structs.replace(fake.plans[B_PLAN], gates=(failed,))
    ran = run("apply", B_PLAN)
    assert ran.code == 6 and "coverage" in ran.err and not fake.approvals
    assert "[y/N]" not in typist.shown()


def test_a_subset_is_asked_only_what_is_about_it(run: Run, fake: FakeConsole, typist: Typist) -> None:
    import msgspec

    question = Confirmation("cooldown", "Inside the cooldown: go on?", changes=(3,))
    fake.plans[B_PLAN] = msgspec.structs.replace(fake.plans[B_PLAN], confirmations=(question,))
    typist.types("y\n")
    assert run("apply", B_PLAN, "--only", "1,2").code == 0
    assert "cooldown" not in typist.shown().partition("changes")[2]


def test_g20_undo_wants_one_yes(run: Run, fake: FakeConsole, typist: Typist) -> None:
    applied(fake, B_PLAN)
    typist.types("y\n")
    ran = run("undo")
    assert (ran.code == 0 and "undid" in ran.out) or "applied" in ran.out
    assert "changes? [y/N] " in typist.shown() and "-# Compiled" in typist.shown()


def test_undo_is_refused_without_a_yes_or_a_terminal(run: Run, fake: FakeConsole, typist: Typist) -> None:
    applied(fake, B_PLAN)
    typist.types("n\n")
    assert run("undo").code == 3
    assert not fake.approvals


def test_undo_with_nothing_to_take_back(run: Run, fake: FakeConsole, no_terminal: None) -> None:
    ran = run("undo")
    assert (ran.code == 3 and "nothing" in ran.err) or "no operation" in ran.err


def _refused(ran: Ran, fake: FakeConsole) -> None:
    assert (ran.code, ran.out, ran.err.count("\n")) == (3, "", 1), ran
    assert fake.approvals == [] and not any(call.startswith("apply") for call in fake.calls)
