"""Webhooks and schedules: exact, in the workspace's zone, once for what was missed (decisions D15, G5)."""

from datetime import UTC, datetime

import pytest

from engine.topics.decision import GateRule
from engine.topics.messages import CronEvent, WebhookEvent
from engine.topics.patterns.schedules import fell_due, schedule_problem
from engine.topics.topic import Activation, CronTrigger, Priority, WebhookTrigger
from tests.engine.topics.building import SayingGate, matcher, said, topic

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("source", "event", "found"),
    [("email", "new_message", True), ("email", "deleted", False), ("github", "new_message", False)],
)
def test_a_webhook_wakes_who_named_it(source: str, event: str, found: bool) -> None:
    made = matcher([topic("mail", WebhookTrigger(source="email", event="new_message"), activation=Activation.AUTO)])
    result = made.event(WebhookEvent(id="e", source=source, event=event), NOW)
    assert result.active == (("mail",) if found else ())


def test_a_webhook_without_an_event_is_any_of_its_source() -> None:
    made = matcher([topic("mail", WebhookTrigger(source="email"), activation=Activation.AUTO)])
    assert made.event(WebhookEvent(id="e", source="email", event="x"), NOW).active == ("mail",)


@pytest.mark.parametrize(
    ("priority", "rule", "asks"),
    [
        (Priority.LOW, GateRule.LOW_GATE, True),
        (Priority.MEDIUM, GateRule.MEDIUM_GATE, True),
        (Priority.HIGH, GateRule.HIGH_SURE, False),
        (Priority.CRITICAL, GateRule.CRITICAL, False),
    ],
)
def test_an_event_is_certain_and_goes_through_the_table_as_such(priority: Priority, rule: GateRule, asks: bool) -> None:
    gate = SayingGate(yes=False)
    made = matcher([topic("mail", WebhookTrigger(source="email"), priority=priority)], gate)
    (decision,) = made.event(WebhookEvent(id="e", source="email", event="x", text="a subject"), NOW).decisions
    assert (decision.rule, decision.activated) == (rule, not asks)
    assert [each.message for each in gate.asked] == (["a subject"] if asks else [])
    offline = matcher([topic("mail", WebhookTrigger(source="email"), priority=priority)])
    assert offline.event(WebhookEvent(id="e", source="email"), NOW).active == ("mail",)


def test_messages_wake_no_event_triggers() -> None:
    made = matcher([topic("t", WebhookTrigger(source="email"), CronTrigger(schedule="* * * * *"))])
    assert made.match(said("email email:new * * * * *"), NOW).candidates == ()


@pytest.mark.parametrize(
    ("since", "until", "zone", "due"),
    [
        ("2026-03-15T06:59:00+00:00", "2026-03-15T07:00:00+00:00", "Europe/Berlin", "2026-03-15T08:00:00+01:00"),
        ("2026-03-15T06:59:00+00:00", "2026-03-15T07:00:00+00:00", "UTC", None),
        ("2026-03-15T08:00:00+00:00", "2026-03-15T09:00:00+00:00", "UTC", None),
        ("2026-03-15T07:59:59+00:00", "2026-03-15T08:00:00+00:00", "UTC", "2026-03-15T08:00:00+00:00"),
        ("2026-03-01T00:00:00+00:00", "2026-03-15T00:00:00+00:00", "UTC", "2026-03-01T08:00:00+00:00"),
        ("2026-03-15T09:00:00+00:00", "2026-03-15T07:00:00+00:00", "UTC", None),
        ("2026-03-29T00:00:00+00:00", "2026-03-29T06:00:00+00:00", "Europe/Berlin", "2026-03-29T08:00:00+02:00"),
    ],
)
def test_schedules_go_by_the_zone_and_its_summer_time(since: str, until: str, zone: str, due: str | None) -> None:
    found = fell_due("0 8 * * *", at(since), at(until), zone)
    assert (found.isoformat() if found else None) == due


def test_a_schedule_missed_many_times_wakes_once() -> None:
    made = matcher([topic("daily", CronTrigger(schedule="0 8 * * *"), activation=Activation.AUTO)])
    result = made.event(CronEvent(id="c", since=at("2026-01-01T00:00:00+00:00"), until=NOW), NOW)
    assert result.active == ("daily",) and len(result.decisions) == 1
    assert result.decisions[0].evidence[0].found.startswith("2026-01-01T08:00")


@pytest.mark.parametrize(
    "schedule", ["", "x", "* * * *", "* * * * * *", "61 * * * *", "0 0 30 2 *", "0 0 * * 9", "a" * 300]
)
def test_what_is_no_schedule_is_said(schedule: str) -> None:
    assert schedule_problem(schedule)


@pytest.mark.parametrize("schedule", ["* * * * *", "0 8 * * 1-5", "*/15 6-20 1 */2 *", "0 0 L * *", "0 0 29 2 *"])
def test_what_is_a_schedule_is_taken(schedule: str) -> None:
    assert schedule_problem(schedule) == ""
