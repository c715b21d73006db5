"""From the session file to the log: every message once, also over restarts, refusing disks and other programs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from engine.errors import MemdeckError
from engine.sessions.feed import Feed
from engine.sessions.folder import SessionFolder
from engine.sessions.follows import ReadMarkStore
from engine.sessions.monitor import Monitor, MonitorStep
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table
from engine.topics.decision_log import DecisionLog, LogEntry
from engine.topics.topic import TopicSet
from tests.engine.sessions.rig import START, add, claude
from tests.engine.topics.waking import NamingMatcher, topic

TOPICS = {name: topic(name) for name in ("mail", "pr", "morning")}


class NamedTopics:
    """The topics in force, which never change."""

    def __init__(self) -> None:
        self.matcher = NamingMatcher()
        self.topics = TOPICS
        self.set = TopicSet(topics=tuple(TOPICS.values()))

    def refresh(self, now: datetime) -> bool:
        return False


class Watch:
    """A monitor over one folder, with its log and marks in another."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder, state = tmp_path / "sessions", tmp_path / "state"
        self.folder.mkdir(exist_ok=True)
        state.mkdir(exist_ok=True)
        self.log = DecisionLog(StateDatabase(state))
        live = NamedTopics()
        self.matcher = live.matcher
        feed = Feed((SessionFolder.open(self.folder),), ReadMarkStore(StateDatabase(state), "watch"))
        self.monitor = Monitor(feed, live, self.log, size_of=lambda path: 100, zone=UTC)
        self.now = START
        self.reading = MonitorStep()

    def step(self, seconds: float = 0.5, most: int = 200) -> list[str]:
        self.now += timedelta(seconds=seconds)
        self.reading = self.monitor.step(self.now, most)
        return [entry.text for entry in self.reading.fresh]

    def add(self, *texts: str, role: str = "user") -> None:
        add(self.folder / "s.jsonl", "".join(claude(text, role=role) for text in texts))


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    made = Watch(tmp_path)
    made.step()
    return made


def test_a_message_becomes_an_entry_an_activation_and_a_count(watch: Watch) -> None:
    watch.add("look at my #mail", "nothing")
    assert watch.step(2) == ["look at my #mail", "nothing"]
    reading = watch.reading
    assert [one.topic for one in reading.active] == ["mail"]
    assert (reading.today.messages, reading.today.active, reading.pace.per_minute) == (2, 1, 2)
    assert [entry.key for _, entry in watch.log.last(9)] == [entry.key for entry in reading.fresh]


def test_nothing_is_decided_twice_over_a_restart(tmp_path: Path, watch: Watch) -> None:
    watch.add("one #pr")
    watch.step(2)
    watch.monitor.close()
    again = Watch(tmp_path)
    again.now = watch.now
    again.add("two")
    assert again.step() == ["two"]
    assert again.reading.today.messages == 2
    assert [one.topic for one in again.reading.active] == ["pr"]


def test_what_was_injected_is_shown_and_reaches_no_watcher_d20(watch: Watch) -> None:
    add(watch.folder / "s.jsonl", claude("#mail from a hook", isMeta=True))
    assert watch.step(2) == ["#mail from a hook"]
    assert watch.matcher.seen == [] and watch.reading.active == ()
    assert watch.reading.today.injected == 1


def test_a_hint_that_the_agent_repeats_triggers_nothing_d20(watch: Watch) -> None:
    watch.add("bad code !pr", role="assistant")
    watch.step(2)
    watch.add("mind the rules of pr", role="assistant")
    watch.step(2)
    assert watch.matcher.seen[-1].strip() == ""
    assert watch.reading.fresh[0].text == "mind the rules of pr"


def test_a_disk_that_refuses_loses_nothing(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(entries: object) -> tuple[tuple[int, LogEntry], ...]:
        raise MemdeckError("not saved: no space left")

    with monkeypatch.context() as patch:
        patch.setattr(watch.log, "add", refuse)
        watch.add("one", "two")
        assert watch.step(2) == ["one", "two"]
        assert "no space left" in watch.reading.problems[0]
    watch.add("three")
    assert watch.step(2) == ["three"]
    assert watch.reading.problems == ()
    assert [entry.text for _, entry in watch.log.last(9)] == ["one", "two", "three"]


def test_read_only_hears_all_and_keeps_nothing(tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = DecisionLog(StateDatabase(tmp_path / "none", read_only=True))
    monkeypatch.setattr(watch.monitor, "_log", closed)
    watch.add("one", "two")
    assert watch.step(2) == ["one", "two"]
    assert watch.step(2) == [] and not any("decisions" in problem for problem in watch.reading.problems)


def test_a_log_that_was_made_anew_is_followed_from_its_lower_numbers(watch: Watch) -> None:
    watch.add("mine", "and mine")
    watch.step(2)
    (mine, _) = watch.reading.fresh
    with Table(watch.log.database, StateTable.DECISIONS).change() as rows:
        rows.drop_numbers(rows.numbers(0, 9))
    other = DecisionLog(StateDatabase(watch.log.database.folder))
    other.add([msgspec.structs.replace(mine, key="first", text="the first")])
    watch.step(2)
    other.add([msgspec.structs.replace(mine, key="other", text="from a hook")])
    assert watch.step(2) == ["from a hook"]


def test_what_other_programs_log_is_shown_too(tmp_path: Path, watch: Watch) -> None:
    watch.add("mine")
    watch.step(2)
    (mine,) = watch.reading.fresh
    other = DecisionLog(StateDatabase(watch.log.database.folder))
    other.add([msgspec.structs.replace(mine, key="other", text="from a hook")])
    assert watch.step(2) == ["from a hook"]
    assert watch.step(2) == []
    assert watch.reading.today.messages == 2


def test_the_passing_of_time_is_an_event(watch: Watch) -> None:
    assert watch.step(60) == ["due: morning"]
    (event,) = watch.matcher.events
    assert [one.topic for one in watch.reading.active] == ["morning"]
    assert watch.step(1) == []
    assert event.id.startswith("cron@")


def test_a_burst_is_handled_piece_by_piece_with_its_lag_shown(watch: Watch) -> None:
    watch.add(*(f"m{n}" for n in range(1000)))
    heard: list[str] = []
    lags = []
    for _ in range(40):
        heard += watch.step(0.1, most=50)
        lags.append(watch.reading.feed.lag)
    assert heard == [f"m{n}" for n in range(1000)]
    assert max(lags) > timedelta(seconds=1) and lags[-1] == timedelta(0)
    assert watch.log.tally().messages == 1000
