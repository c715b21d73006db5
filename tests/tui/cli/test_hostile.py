"""A thousand hostile strings through every command: no control byte, no crash, no yes (G13)."""

import re
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.plans.plan import Cost
from engine.plans.planning import PlanOutcome
from tests.prepared import Prepared
from tests.tui.cli.approvals import an_approval
from tests.tui.cli.conftest import Run, Typist
from tests.tui.cli.hostile_answers import HostileAnswers
from tests.turn import examples
from tests.values import a_finding, append_plan, compaction, tree_plan, with_confirmation, without_confirmations

PLAN = compaction(1).id
SEEDS = (
    "\x1b]0;owned\x07", "\x1b[2J\x1b[H", "\x1b]52;c;QVBQUk9WRUQ=\x07", "\x9b31m", "\x90q\x9c", "\r\n", "\x00", "\x7f",
    "\u202eDEVORPPA", "\u200b\u200d\ufeff", "\U000e0041\U000e0042", "\ud800", "APPROVED\n", "y\ny\ny\n",
    "[@click=app.quit]x[/]", "[bold]", "%s%n{0}{x}", "{{7*7}}", "'; rm -rf / #", "$(touch /tmp/x)", "`id`",
    "--help", "-w", "\x1b[6n", "\x1b[?2004l", "\x1b[200~APPROVED\x1b[201~", "\x1bP+q\x1b\\", "\x85", "\u2028",
    "\x08" * 9, "𝔄" * 50, "\u0301" * 200, "ab\tcd", "\x1b]8;;http://x\x1b\\y\x1b]8;;\x1b\\", "\v\f",
)  # fmt: skip
COMMANDS = (
    ("status",), ("plan", "compact"), ("plan", "--list"), ("queue",), ("show", PLAN), ("show", PLAN, "--diff"),
    ("redo",), ("log",), ("log", "--verify"), ("check",), ("recover",), ("policy",), ("doctor",),
)  # fmt: skip
FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]"
)
ALPHABET = st.one_of(st.sampled_from(SEEDS), st.characters(), st.sampled_from(string.ascii_letters))
TEXTS = st.lists(ALPHABET, min_size=1, max_size=12).map("".join)


@pytest.fixture
def answers(waiting: Prepared, stubbed: Prepared) -> HostileAnswers:
    """An engine that has something to tell for each command: an operation, findings, files it cannot read."""
    plan = stubbed.add(without_confirmations(tree_plan(3)))
    stubbed.engine.plans.apply(plan, an_approval(plan, stubbed.clock))
    stubbed.write("memory/working/photo.md", "\udcff\udcfe").write("memory/working/merge.md", "<<<<<<< HEAD\n")
    stubbed.engine.comments.add(PLAN, "1:1", "see here")
    for name in ("history.verify", "maintenance.check", "maintenance.recover", "maintenance.doctor"):
        stubbed.stub.gives(name, (a_finding(),))
    made = PlanOutcome(plan=stubbed.plan(append_plan(2).id), report="13 files", cost=Cost(calls=2, usd="0.07"))
    stubbed.stub.gives("plans.make", made)
    stubbed.stub.gives("history.redo", made.plan)
    return HostileAnswers(stubbed)


def hostile(run: Run, answers: HostileAnswers, made: Prepared, text: str) -> None:
    """Every command that only looks, in text and in JSON, over values that carry `text` everywhere."""
    answers.text = text
    for arguments in COMMANDS:
        for extra in ((), ("--json",)):
            ran = run(*arguments, *extra)
            assert ran.code == 0, (arguments, ran)
            assert ran.err == "" and not FORBIDDEN.search(ran.out), (arguments, ran.out)
    answers.text = ""
    assert len(made.operations) == 1


def test_what_is_put_into_the_values_is_told_by_each_command(run: Run, answers: HostileAnswers) -> None:
    answers.text = "quetzal"
    for arguments in COMMANDS:
        if arguments != ("plan", "--list"):  # which has no text but ours
            assert "quetzal" in run(*arguments).out and "quetzal" in run(*arguments, "--json").out, arguments


@pytest.mark.sampled(4)
@pytest.mark.parametrize("text", SEEDS)
def test_each_known_trick(run: Run, answers: HostileAnswers, waiting: Prepared, text: str) -> None:
    hostile(run, answers, waiting, text)


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=TEXTS)
def test_strings_in_every_value(run: Run, answers: HostileAnswers, waiting: Prepared, text: str) -> None:
    """Sixty strings here, each through 26 commands and all of their texts; the rest in the soak."""
    hostile(run, answers, waiting, text)


@pytest.mark.soak
@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=TEXTS)
def test_a_thousand_strings_in_every_value(run: Run, answers: HostileAnswers, waiting: Prepared, text: str) -> None:
    hostile(run, answers, waiting, text)


@settings(max_examples=examples(1000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS.filter(lambda text: text not in ("-h", "--help", "--version")))
def test_a_thousand_strings_as_arguments(run: Run, waiting: Prepared, stubbed: Prepared, text: str) -> None:
    """What is typed comes back in errors: safe, on one line, with the right exit code."""
    for arguments in ((text,), ("plan", text), ("status", "--now", text), ("apply", PLAN, "--only", text)):
        ran = run(*arguments)
        assert ran.code in (0, 2, 3, 5), (arguments, ran)
        assert ran.err.count("\n") <= 1 and not FORBIDDEN.search(ran.out + ran.err), (arguments, ran)
    assert waiting.operations == ()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("text", SEEDS)
def test_no_text_approves_or_steers_the_terminal(
    run: Run, answers: HostileAnswers, waiting: Prepared, typist: Typist, text: str
) -> None:
    """Plans and operations full of hostile text, shown before a question that is answered no (E6, E7)."""
    plan = waiting.add(with_confirmation(compaction(4))).id
    answers.text = text
    for arguments in (("apply", plan, "--no-color"), ("undo", "--no-color")):
        typist.types("n\n")
        assert run(*arguments).code == 3
    shown = typist.shown().replace("\x1b[?2004h", "").replace("\x1b[?2004l", "").replace("\r\n", "\n")
    assert not FORBIDDEN.search(shown)
    answers.text = ""
    assert len(waiting.operations) == 1
