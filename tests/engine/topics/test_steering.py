"""Output steering: cooldown, cap, and that nothing injected triggers (decision D20, autopoiesis §4.3)."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from engine.topics.decision import Correction
from engine.topics.messages import Direction
from engine.topics.output_hints import COOLDOWN, MOST_PER_TURN, HintOutcome, Steering, blanked
from tests.engine.topics.waking import NOON, message

OUT = Direction.OUTPUT


def test_a_hint_is_given_once_and_then_waits_for_its_cooldown_d20() -> None:
    steering, said = Steering(), message("print 'x'", direction=OUT)
    hint = Correction("code-quality", "Use Python 3 syntax.")
    verdicts = [
        steering.steer(said, [hint], NOON + after)[0].verdict
        for after in (timedelta(0), COOLDOWN - timedelta(seconds=1), COOLDOWN)
    ]
    assert verdicts == [HintOutcome.GIVEN, HintOutcome.COOLDOWN, HintOutcome.GIVEN]


def test_cooldowns_of_topics_and_of_sessions_are_their_own() -> None:
    steering = Steering()
    one, other = Correction("a", "mind your a"), Correction("b", "mind your b")
    assert steering.steer(message("x", session="1"), [one], NOON)[0].verdict is HintOutcome.GIVEN
    assert steering.steer(message("x", session="1"), [other], NOON)[0].verdict is HintOutcome.GIVEN
    assert steering.steer(message("x", session="2"), [one], NOON)[0].verdict is HintOutcome.GIVEN


def test_a_turn_takes_only_so_many_hints_and_the_user_ends_it_d20() -> None:
    steering = Steering()
    hints = [Correction(f"t{n}", f"mind the rule {n}") for n in range(MOST_PER_TURN + 1)]
    first = steering.steer(message("x", direction=OUT), hints, NOON)
    assert [one.verdict for one in first] == [HintOutcome.GIVEN] * MOST_PER_TURN + [HintOutcome.CAP]
    assert steering.steer(message("y", direction=OUT), hints[-1:], NOON)[0].verdict is HintOutcome.CAP
    steering.hear(message("an injected word ends nothing", injected=True))
    assert steering.steer(message("y", direction=OUT), hints[-1:], NOON)[0].verdict is HintOutcome.CAP
    steering.hear(message("go on"))
    assert steering.steer(message("z", direction=OUT), hints[-1:], NOON)[0].verdict is HintOutcome.GIVEN


def test_one_topic_gives_one_hint_per_message() -> None:
    hints = [Correction("a", "mind the first"), Correction("a", "mind the second")]
    assert [one.verdict for one in Steering().steer(message("x"), hints, NOON)] == [
        HintOutcome.GIVEN,
        HintOutcome.REPEATED,
    ]


def test_a_hint_that_was_given_never_triggers_where_the_agent_repeats_it_d20() -> None:
    steering = Steering()
    steering.steer(message("print 'x'", direction=OUT), [Correction("py", "Write print() with brackets.")], NOON)
    heard = steering.hear(message('Right: "write PRINT() with brackets." So: print 1', direction=OUT))
    assert heard.text == 'Right: "                            " So: print 1'
    other = message("Write print() with brackets.", direction=OUT, session="another")
    assert steering.hear(other) == other


def test_instructions_that_were_pulled_in_never_trigger_where_they_are_quoted_d20() -> None:
    steering = Steering()
    steering.inject("s", "# Email\n\n- If urgent: notify the user immediately\n- ok\n")
    quoted = message("> * If urgent:  notify the user immediately\nan urgent mail came", direction=OUT)
    heard = steering.hear(quoted).text
    assert heard.splitlines()[0].strip() == "" and heard.splitlines()[1] == "an urgent mail came"
    assert steering.hear(message("- ok", direction=OUT)).text == "- ok"


def test_a_user_who_says_what_stands_in_an_active_topic_is_heard_d20() -> None:
    steering = Steering()
    steering.inject("s", "# Payday\n\nActivate when the user asks about:\n- direct deposit\n- the next payday\n")
    assert steering.hear(message("Direct deposit")).text == "Direct deposit"
    injected = steering.hear(message("- direct deposit\n- the next payday\nand more")).text
    assert injected.split() == ["and", "more"]


@given(st.text(), st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_blanking_keeps_every_place_in_the_text(text: str, hints: list[str]) -> None:
    folded = {hint.casefold() for hint in hints}
    done = blanked(text, folded, folded)
    assert len(done) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, done, strict=True))
