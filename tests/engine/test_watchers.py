"""Topics behind the one door: live, replayed, judged and tuned, on a real workspace."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.errors import MemdeckError, UsageError
from engine.plans.plan import Replace
from engine.services.engine import Engine
from engine.sessions.feed import Begin
from engine.topics.decision_log import Useful
from engine.topics.messages import CronEvent, WebhookEvent
from tests.engine.sessions.rig import add, claude, turns

NOW = datetime(2026, 3, 15, 12, 0, tzinfo=UTC)
MAIL = """---
type: topic
triggers:
  - type: pattern
    match: "invoice|newsletter"
subscriptions: [knowledge/reference/sepa.md]
activation: auto
priority: high
---
# Invoices

Invoices in cents.
"""


@pytest.fixture
def space(tmp_path: Path) -> Path:
    folder = tmp_path / "space"
    for name in ("topics", "knowledge/reference", "raw/conversations/2026/03/14"):
        (folder / name).mkdir(parents=True)
    (folder / "topics/invoices.md").write_text(MAIL)
    (folder / "knowledge/reference/sepa.md").write_text("x" * 700)
    said = [("user", f"invoice {n} please") for n in range(5)] + [
        ("agent", f"read our newsletter {n}") for n in range(5)
    ]
    add(folder / "raw/conversations/2026/03/14/0900-ses_1-mail.md", turns(*said))
    return folder


@pytest.fixture
def console(space: Path, tmp_path: Path) -> Iterator[Engine]:
    env = {
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "HOME": str(tmp_path),
    }
    with Engine.open(space, env=env, clock=lambda: NOW) as opened:
        yield opened


def test_a_replay_decides_at_the_sessions_own_time_and_logs_nothing(console: Engine) -> None:
    (session,) = console.sessions.files()
    assert session.source == "raw/conversations/2026/03/14/0900-ses_1-mail.md"
    entries = console.sessions.replay(session.source)
    assert [bool(entry.result.active) for entry in entries] == [True] * 5 + [False] * 5
    (active,) = entries[0].woken.active
    assert entries[0].said_at is not None and active.until == entries[0].said_at + timedelta(minutes=15)
    assert [file.path for file in active.files] == ["topics/invoices.md", "knowledge/reference/sepa.md"]
    assert console.topics.recent(10) == ()


def test_a_log_that_cannot_be_read_is_an_error_and_no_empty_log(console: Engine, tmp_path: Path) -> None:
    entry = console.sessions.replay(console.sessions.files()[0].source)[0]
    console.topics.judge(entry, "invoices", Useful.NO)
    (file,) = (tmp_path / "state").rglob("state.db")
    console.topics.close()
    for place in (file, file.with_name("state.db-wal")):
        if place.exists():
            place.write_bytes(b"no database" * 500)
    with pytest.raises(MemdeckError) as failed:
        console.topics.recent(10)
    assert failed.value.where == str(file)


def test_what_is_judged_in_a_replay_comes_into_the_log_with_it(console: Engine) -> None:
    entry = console.sessions.replay(console.sessions.files()[0].source)[0]
    console.topics.judge(entry, "invoices", Useful.NO)
    assert [one.key for one in console.topics.recent(10)] == [entry.key]
    assert [(one.message, one.useful) for one in console.topics.judgements()] == [(entry.key, Useful.NO)]


def test_a_session_outside_can_be_replayed_and_a_folder_cannot(console: Engine, tmp_path: Path) -> None:
    add(tmp_path / "s.jsonl", claude("an invoice"))
    assert console.sessions.replay(str(tmp_path / "s.jsonl"))[0].result.active == ("invoices",)
    for bad in (str(tmp_path), str(tmp_path / "none.jsonl"), "raw/conversations/none.md"):
        with pytest.raises(UsageError):
            console.sessions.replay(bad)


def test_events_stand_in_the_log_as_what_they_are(console: Engine, space: Path) -> None:
    triggers = '  - {type: webhook, source: mail, event: new}\n  - {type: cron, schedule: "* * * * *"}\n'
    (space / "topics/due.md").write_text(f"---\ntype: topic\ntriggers:\n{triggers}activation: auto\n---\n# Due\n")
    with console.topics.stream() as stream:
        stream.event(WebhookEvent(id="w", source="mail", event="new"), NOW)
        stream.event(CronEvent(id="c", since=NOW - timedelta(minutes=2), until=NOW), NOW)
        stream.event(CronEvent(id="n", since=NOW, until=NOW), NOW)
    told = [(one.role, one.text) for one in console.topics.recent(10)]
    assert told == [("webhook", "mail new"), ("cron", "due: due"), ("cron", "nothing was due")]
    assert [active.session for one in console.topics.recent(10) for active in one.woken.active] == ["webhook", "cron"]


def test_what_is_followed_can_be_replayed_and_links_in_it_cannot(console: Engine, tmp_path: Path) -> None:
    others = tmp_path / "others"
    others.mkdir()
    add(others / "s.jsonl", claude("an invoice"))
    add(tmp_path / "secret.jsonl", claude("an invoice"))
    (others / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    before = len(console.sessions.files())
    assert console.sessions.follow(others).there == (others,)
    sources = [one.source for one in console.sessions.files()]
    assert len(sources) == before + 1 and f"{others}/s.jsonl" in sources
    assert console.sessions.replay(f"{others}/s.jsonl")[0].result.active == ("invoices",)
    with pytest.raises(UsageError):
        console.sessions.replay(f"{others}/link.jsonl")
    with pytest.raises(UsageError):
        console.sessions.replay(f"{others}/")
    assert console.sessions.unfollow(others).there == ()


def test_the_monitor_hears_the_workspaces_own_transcripts(console: Engine, space: Path) -> None:
    monitor = console.sessions.monitor(begin=Begin.START)
    reading = monitor.step(NOW)
    assert len(reading.fresh) == 9  # the last turn is not over yet
    later = monitor.step(NOW + timedelta(seconds=3))
    assert len(later.fresh) == 1 and later.today.messages == 10
    monitor.close()
    again = console.sessions.monitor()
    assert again.step(NOW + timedelta(seconds=5)).fresh == ()
    again.close()


def test_judgements_become_a_plan_for_the_topic_file(console: Engine, space: Path) -> None:
    for entry in console.sessions.replay(console.sessions.files()[0].source):
        if entry.role == "user":
            console.topics.judge(entry, "invoices", Useful.YES)
    add(
        space / "raw/conversations/2026/03/14/1000-ses_2-news.md",
        turns(*[("user", f"newsletter {n}") for n in range(5)]),
    )
    for entry in console.sessions.replay(console.sessions.files()[0].source):
        console.topics.judge(entry, "invoices", Useful.NO if "newsletter" in entry.text else Useful.YES)
    outcome = console.plans.make("tune")
    assert outcome.plan is not None
    change, exemplars = sorted(outcome.plan.changes, key=lambda one: "exemplars" in one.path)
    assert exemplars.path == "topics/_invoices.exemplars.md"
    assert isinstance(change, Replace) and change.path == "topics/invoices.md"
    assert "recall 100 → 100 %" in change.reason and "→ 100 %" in change.reason
    assert (space / "topics/invoices.md").read_text() == MAIL
    assert [entry.system for entry in console.plans.queue()] == ["tune"]
