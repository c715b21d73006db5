"""A message that asks for two things wakes two topics, a request each."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.topics.contest import LONGEST, MOST, readings
from engine.topics.decision import TriggerEvidence
from engine.topics.topic import PatternTrigger, Topic
from tests.engine.topics.building import matcher, said, topic

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


def test_a_long_message_is_read_once() -> None:
    text = "answer the mail and put the meeting into the calendar. " + "x" * LONGEST
    evidence = {
        "mail": (TriggerEvidence(trigger="pattern", what="mail", start=11, end=15),),
        "cal": (TriggerEvidence(trigger="pattern", what="meeting", start=28, end=35),),
    }
    assert list(readings(text, evidence, alone=False)) == []
    assert len(list(readings(text[:LONGEST], evidence, alone=False))) == 2


@given(st.text(max_size=200), st.booleans())
def test_readings_are_pieces_of_the_message_and_few(text: str, alone: bool) -> None:
    found = list(readings(text, {}, alone=alone))
    assert len(found) <= MOST and all(each.text in text for each in found)
    assert not found or alone
