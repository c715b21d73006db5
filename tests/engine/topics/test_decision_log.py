"""Every decision is kept with its evidence; the operator judges; nothing grows without bound (autopoiesis §5.5)."""

from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from engine.errors import Damaged, MemdeckError
from engine.state.database import StateDatabase
from engine.topics.decision import GateAnswer, GateRule, MatchResult, TriggerEvidence
from engine.topics.decision_log import DecisionLog, LogEntry, Useful
from engine.topics.rates import Pacer, Tally
from tests.engine.topics.waking import NOON, decision, woke


def entry(key: str, *names: str, text: str = "", minutes: int = 0, result: MatchResult | None = None) -> LogEntry:
    at = NOON + timedelta(minutes=minutes)
    return LogEntry(
        key=key,
        at=at,
        session="s",
        source="a.jsonl",
        role="user",
        text=text or f"text of {key}",
        result=result or woke(*names, key=key),
    )


def test_what_is_decided_is_kept_with_its_evidence_and_read_back(tmp_path: Path) -> None:
    evidence = TriggerEvidence(trigger="pattern", what="PR|review", line=4, start=3, end=5, found="PR")
    full = decision("pr", rule=GateRule.HIGH_GATE, gate=GateAnswer.YES, evidence=(evidence,), cost_usd=0.001)
    result = msgspec.structs.replace(woke("pr", key="m1"), decisions=(full,))
    log = DecisionLog(StateDatabase(tmp_path))
    assert [one.key for _, one in log.add([entry("m1", result=result), entry("m2")])] == ["m1", "m2"]
    log.close()
    again = DecisionLog(StateDatabase(tmp_path)).last(10)
    assert [one.key for _, one in again] == ["m1", "m2"]
    assert again[0][1].decisions == (full,)


def test_a_message_is_kept_once_whoever_heard_it(tmp_path: Path) -> None:
    here, there = DecisionLog(StateDatabase(tmp_path)), DecisionLog(StateDatabase(tmp_path))
    assert len(here.add([entry("m1", "pr")])) == 1
    assert there.add([entry("m1", "pr")]) == ()
    assert there.tally().messages == 1


def test_the_last_judgement_counts_and_none_is_lost(tmp_path: Path) -> None:
    log = DecisionLog(StateDatabase(tmp_path))
    log.add([entry("m1", "pr"), entry("m2", "pr")])
    log.judge("m1", "pr", Useful.YES, NOON)
    log.judge("m1", "pr", Useful.NO, NOON + timedelta(minutes=1))
    log.judge("m2", "missed", Useful.YES, NOON)
    found = {(one.message, one.topic): one.useful for one in log.judgements()}
    assert found == {("m1", "pr"): Useful.NO, ("m2", "missed"): Useful.YES}
    assert [one.key for one in log.judged_entries()] == ["m1", "m2"]


def test_the_oldest_go_but_for_what_was_judged_and_the_counts_stay(tmp_path: Path) -> None:
    log = DecisionLog(StateDatabase(tmp_path), most=50)
    log.add([entry("first", "pr")])
    log.judge("first", "pr", Useful.YES, NOON)
    for start in range(0, 300, 20):
        log.add([entry(f"m{n}", "pr") for n in range(start, start + 20)])
    kept = [one.key for _, one in log.last(10_000)]
    assert kept[0] == "first" and kept[-1] == "m299" and 50 <= len(kept) <= 121
    assert log.tally().messages == 301


def test_counts_are_by_hour(tmp_path: Path) -> None:
    log = DecisionLog(StateDatabase(tmp_path))
    log.add([entry("m1", "pr"), entry("m2", minutes=90)])
    assert log.tally(NOON + timedelta(hours=1)).messages == 1
    assert log.tally().candidates == 1


def test_no_secret_is_kept(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    evidence = TriggerEvidence(trigger="pattern", what="ghp", start=4, end=9, found=secret)
    result = msgspec.structs.replace(woke("pr", key="m"), decisions=(decision("pr", evidence=(evidence,)),))
    log = DecisionLog(StateDatabase(tmp_path))
    log.add([entry("m", text=f"key {secret} end", result=result)])
    log.close()
    assert secret not in b"".join(file.read_bytes() for file in tmp_path.iterdir()).decode("utf-8", "replace")
    ((_, kept),) = DecisionLog(StateDatabase(tmp_path)).last(1)
    assert kept.decisions[0].evidence[0].end == 0


def test_the_log_is_private_and_follows_no_link(tmp_path: Path) -> None:
    log = DecisionLog(StateDatabase(tmp_path))
    log.add([entry("m")])
    assert (tmp_path / "state.db").stat().st_mode & 0o077 == 0
    other = tmp_path / "other"
    other.mkdir()
    (other / "state.db").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MemdeckError, match="link"):
        DecisionLog(StateDatabase(other)).add([entry("m")])
    assert not (tmp_path / "elsewhere").exists()


def test_a_damaged_log_is_said_and_never_written_over(tmp_path: Path) -> None:
    garbage = b"not a database, but long enough to be taken for one " * 40
    (tmp_path / "state.db").write_bytes(garbage)
    log = DecisionLog(StateDatabase(tmp_path))
    assert log.last(5) == () and "damaged" in log.problem
    with pytest.raises(Damaged):
        log.add([entry("m1")])
    assert (tmp_path / "state.db").read_bytes() == garbage


def test_a_judgement_is_on_disk_when_it_is_made(tmp_path: Path) -> None:
    log = DecisionLog(StateDatabase(tmp_path))
    log.judge("m1", "pr", Useful.YES, NOON)
    with log.database.transaction() as connection:
        assert (connection.pragma("journal_mode"), connection.pragma("synchronous")) == ("wal", 2)


def test_reading_makes_no_file(tmp_path: Path) -> None:
    log = DecisionLog(StateDatabase(tmp_path))
    assert (log.last(5), log.judgements(), log.tally(), log.newest()) == ((), (), Tally(), 0)
    assert list(tmp_path.iterdir()) == []


def test_a_share_is_of_what_could_wake_anything() -> None:
    tally = Tally(messages=110, injected=10, candidates=20)
    assert (tally.heard, tally.passed(tally.candidates), Tally().passed(0)) == (100, 0.2, 0.0)


def test_the_pace_is_of_the_last_minute() -> None:
    pacer = Pacer()
    for second in range(90):
        pacer.add(woke("pr"), NOON + timedelta(seconds=second))
    pace = pacer.pace(NOON + timedelta(seconds=89))
    assert pace.per_minute == 60
    assert pace.p50_ms == pytest.approx(0.3)
    assert pacer.pace(NOON + timedelta(hours=1)).per_minute == 0


def test_what_others_added_is_read_without_what_is_known(tmp_path: Path) -> None:
    log = DecisionLog(StateDatabase(tmp_path))
    assert log.added(0, (), 10) == ()
    numbers = {one.key: number for number, one in log.add([entry(f"m{n}") for n in range(6)])}
    own = {numbers["m2"], numbers["m4"]}
    assert [one.key for _, one in log.added(numbers["m0"], own, 10)] == ["m1", "m3", "m5"]
    assert [one.key for _, one in log.added(numbers["m0"], own, 3)] == ["m3", "m5"]
    assert log.added(numbers["m5"], own, 10) == ()
