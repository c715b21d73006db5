"""A message that asks for two things wakes two topics; a word of the operator's own counts for its topic."""

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.topics.contest import LONGEST, MOST, readings
from engine.topics.decision import GateRule, TriggerEvidence
from engine.topics.topic import Priority, Topic
from engine.topics.trigger import PatternTrigger
from tests.engine.topics.building import SayingGate, matcher, said, topic

NOW = datetime(2026, 3, 15, tzinfo=UTC)
MAIL = topic(
    "mail",
    PatternTrigger(match=r"\b(mail|email|inbox)\b"),
    text="# Email triage\n\nTriage the email in the inbox.\nAnswer the mail.\nSort urgent email first.",
)
CALENDAR = topic(
    "cal",
    PatternTrigger(match="calendar|meeting|appointment"),
    text="# Calendar\n\nPut the meeting into the calendar.\nReschedule an appointment or a meeting.",
)
INVOICES = topic(
    "invoices",
    PatternTrigger(match="Rechnung|invoice|SEPA|Storno"),
    title="Invoices",
    text="# Invoices\n\nFind invoices in the billing folder, check their amount.\nSay who has to pay invoices.",
)
SHOP = topic("shop", PatternTrigger(match="shop"), text="# Shop\n\nWatch the orders of the shop in October.")


def woken(text: str, *topics: Topic) -> tuple[str, ...]:
    return matcher(topics).match(said(text), NOW).active


@pytest.mark.parametrize(
    "text",
    [
        "triage the urgent email in my inbox and reschedule the meeting appointment in my calendar",
        "answer the mail and put the meeting into the calendar",
        "answer the mail. Then put the meeting into the calendar!",
    ],
)
def test_the_offline_gate_wakes_as_many_topics_as_are_asked_for(text: str) -> None:
    assert woken(text, MAIL, CALENDAR, INVOICES) == ("cal", "mail")


def test_one_request_wakes_the_nearest_topic_alone() -> None:
    assert woken("put the meeting about the mail into the calendar", MAIL, CALENDAR) == ("cal",)
    assert woken("answer the mail, and thanks", MAIL, CALENDAR) == ("mail",)


def test_two_topics_by_their_instructions_alone_wake_by_a_request_each() -> None:
    alone = [topic(each.id, text=each.instructions, similarity_only=True) for each in (MAIL, CALENDAR, INVOICES)]
    assert woken("answer the mail and put the meeting into the calendar", *alone) == ("cal", "mail")


def test_a_word_of_the_triggers_that_the_topics_text_has_not_counts_as_its_title() -> None:
    assert woken("Where are the Rechnung of October?", INVOICES, MAIL) == ("invoices",)
    assert woken("Where are the invoices of October?", INVOICES, MAIL) == ("invoices",)


def test_a_short_word_of_many_senses_is_nobodys_own() -> None:
    must = topic(
        "cook", PatternTrigger(match="must|Rechnung"), title="Cooking time", text="# Cooking\n\nBoil the eggs."
    )
    assert woken("how long must i wait", must) == ()
    (decision,) = matcher([must]).match(said("how long must i wait"), NOW).decisions
    assert decision.rule is GateRule.MEDIUM_DROP


def test_another_word_than_was_said_never_passes_by_the_gate() -> None:
    high = msgspec.structs.replace(INVOICES, priority=Priority.HIGH)
    gate = SayingGate(False)
    made = matcher([high, MAIL], gate)
    (decision,) = made.match(said("the Rechnung of October"), NOW).decisions
    assert (decision.rule, decision.activated, len(gate.asked)) == (GateRule.HIGH_GATE, False, 1)
    (decision,) = made.match(said("the invoices of October"), NOW).decisions
    assert decision.rule is GateRule.HIGH_SURE


def test_a_word_that_other_triggers_have_too_is_nobodys_own() -> None:
    evidence = {
        name: (TriggerEvidence(trigger="pattern", what="x", start=10, end=18),) for name in ("invoices", "shop")
    }
    topics = {each.id: each for each in (INVOICES, SHOP)}
    assert readings("where are Rechnung", evidence, topics, alone=False) == ()


def test_a_long_message_is_read_once() -> None:
    text = "answer the mail and put the meeting into the calendar. " + "x" * LONGEST
    evidence = {
        "mail": (TriggerEvidence(trigger="pattern", what="mail", start=11, end=15),),
        "cal": (TriggerEvidence(trigger="pattern", what="meeting", start=28, end=35),),
    }
    topics = {each.id: each for each in (MAIL, CALENDAR)}
    assert readings(text, evidence, topics, alone=False) == ()
    assert len(readings(text[:LONGEST], evidence, topics, alone=False)) == 2


@given(st.text(max_size=200), st.booleans())
def test_readings_are_pieces_of_the_message_and_few(text: str, alone: bool) -> None:
    found = readings(text, {}, {}, alone=alone)
    assert len(found) <= MOST and all(each.text in text for each in found)
    assert not found or alone
