"""A full window calls for its flush: bands, backups, compactions saved or not, hooks (B1, B18, B19, B24)."""

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.errors import MemdeckError
from engine.plans.plan import PlanState
from engine.services.engine import Engine
from engine.sessions.backups import KEPT, SessionBackups
from engine.sessions.folder import SessionFolder
from engine.state.private_files import hooked, write_private
from tests.engine.flush.test_plan import Place, apply, flushed
from tests.engine.sessions.window_logs import answer, compacted, said
from tests.turn import examples
from tui.cli.main import main

KEEP = "- drain the queue first [CURATE]"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    made.write("memory/2026-03-15.md", "# day\n")
    made.say(said("go"), answer("m1", (0, 100_000, 0), text=KEEP))
    yield made


def grown(place: Place, tokens: int, text: str = "on it") -> None:
    place.say(said("on"), answer(f"t{tokens}", (0, tokens, 0), text=text))


def plans_of(engine: Engine) -> list[str]:
    return [entry.trigger for entry in engine.plans.queue() if entry.state is PlanState.PENDING]


def test_b1_b18_a_window_calls_for_its_flush_once_and_again_after_5_percent(place: Place) -> None:
    with place.open() as engine:
        grown(place, 140_000)
        assert engine.flushes.look() == () and plans_of(engine) == [], "a warning calls for none"
        grown(place, 151_000)
        assert len(engine.flushes.look()) == 1 and plans_of(engine) == ["compact"]
        grown(place, 159_000)
        assert engine.flushes.look() == ()
        grown(place, 160_000)
        assert len(engine.flushes.look()) == 1
        assert engine.flushes.backups.all() == ()
        grown(place, 163_000)
        assert len(engine.flushes.look()) == 1 and plans_of(engine) == ["emergency"]
        assert [one.lines for one in engine.flushes.backups.all()] == [len(place.log.read_bytes().splitlines())]
        assert engine.flushes.look() == ()


def test_b18_flush_ok_asks_again_after_5_percent(tmp_path: Path) -> None:
    place = Place(tmp_path)
    grown(place, 180_000, "hello")
    with place.open() as engine:
        (outcome,) = engine.flushes.look()
        assert outcome.plan is None and str(outcome.reason_no_action).startswith("FLUSH_OK")
        grown(place, 185_000, "hello")
        assert engine.flushes.look() == ()
        grown(place, 190_000, KEEP)
        (outcome,) = engine.flushes.look()
        assert outcome.plan is not None


def test_b19_a_flush_planned_from_the_backup_equals_the_one_planned_then(place: Place) -> None:
    grown(place, 196_000)
    with place.open() as engine:
        (outcome,) = engine.flushes.look()
        before = outcome.plan
        assert before is not None
        data = place.log.read_bytes()
        place.log.unlink()
        later = flushed(engine, band="emergency")
        assert later.digest == before.digest and later.id == before.id
        (backup,) = engine.flushes.backups.all()
        kept = engine._opened.state.path / "session-backups" / backup.file
        assert kept.read_bytes() == data and not kept.is_relative_to(place.root)
        assert [hit.line for _, hit in engine.flushes.backups.find("DRAIN queue")] == [2]
        assert not list(engine.flushes.backups.find("nobody said this"))


def test_b19_backups_are_verified_and_kept_thirty_days(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with place.open() as engine:
        parts, now = engine._opened, engine.real_now()
        backups, log = SessionBackups(parts.state.path, parts.database), SessionFolder.open(place.log.parent)
        first = backups.make(log, "s-1.jsonl", now - KEPT)
        assert backups.make(log, "s-1.jsonl", now) == first, "the same bytes are the same backup"
        grown(place, 110_000)
        assert len(backups.all()) == 1
        backups.make(log, "s-1.jsonl", now)
        assert len(backups.all()) == 2
        grown(place, 120_000)
        backups.make(log, "s-1.jsonl", now + KEPT / 2)
        assert [one.at for one in backups.all()] == [now, now + KEPT / 2]
        assert len(list((parts.state.path / "session-backups").iterdir())) == 2
        grown(place, 130_000)
        monkeypatch.setattr("engine.sessions.backups.write_private", lambda path, data: write_private(path, data[:-1]))
        with pytest.raises(MemdeckError, match="not what was written"):
            backups.make(log, "s-1.jsonl", now)
        log.close()


def test_compactions_are_saved_saved_late_or_not_saved(place: Place) -> None:
    with place.open() as engine:
        place.say(compacted(100_000), said("on"), answer("n1", (0, 9_000, 0), text="- and that [CURATE]"))
        (seen,) = engine.flushes.compactions()
        assert (seen.saved, seen.turns, seen.before, seen.after) == ("not saved", 1, 100_000, 9_000)
        (alarm,) = [one for one in engine.status.read().degraded if one.id == "flush"]
        assert "s-1" in alarm.what and "not saved" in alarm.what
        apply(engine, flushed(engine))
        (seen,) = engine.flushes.compactions()
        assert seen.saved == "saved late" and seen.by.startswith("o")
        assert [one for one in engine.status.read().degraded if one.id == "flush"] == []
        later = "2099-01-01T00:00:00Z"
        place.say(compacted(9_000, uuid="c").replace("2026-03-15T09:00:00Z", later), answer("n2", (0, 500, 0)))
        assert [one.saved for one in engine.flushes.compactions()] == ["saved", "saved late"]


# ── hooks ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def call(place: Place, event: str, monkeypatch: pytest.MonkeyPatch, **more: str) -> int:
    """Calls the hook as Claude Code does: the event as JSON on stdin."""
    told = {"hook_event_name": event, "session_id": "s-1", "transcript_path": str(place.log), "cwd": "/", **more}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(told).encode())))
    for name, value in place.env.items():
        monkeypatch.setenv(name, value)
    return main(["-w", str(place.root), "--json", "hook", "compact"])


def test_b24_before_a_compaction_the_session_is_saved_and_afterwards_it_is_proved(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(place, "PreCompact", monkeypatch, trigger="auto") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["plan"] and told["held"] is False
    place.say(compacted(100_000).replace("2026-03-15T09", "2099-03-15T09"), answer("n1", (0, 9_000, 0)))
    assert call(place, "PostCompact", monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)["saved"] == "saved"
    with place.open() as engine:
        assert plans_of(engine) == ["compact"] and len(engine.flushes.backups.all()) == 1


def test_b24_without_the_first_hook_the_second_saves_late(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place.say(compacted(100_000), answer("n1", (0, 9_000, 0)))
    assert call(place, "PostCompact", monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)["saved"] == "saved late"


def hold_clock(monkeypatch: pytest.MonkeyPatch, sleep: Callable[[float], None], monotonic: Callable[[], float]) -> None:
    """Gives the hold a clock of its own: locks and databases wait by the machine's."""
    monkeypatch.setattr("tui.cli.compaction_events.time", SimpleNamespace(sleep=sleep, monotonic=monotonic))


@pytest.mark.parametrize(
    ("hold", "trigger", "held"),
    [("off", "manual", False), ("manual", "auto", False), ("manual", "manual", True), ("always", "auto", True)],
)
def test_b24_a_compaction_is_held_on_request_alone_and_let_go_in_time(
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    hold: str,
    trigger: str,
    held: bool,
) -> None:
    waited: list[float] = []
    hold_clock(monkeypatch, waited.append, lambda: float(len(waited)))
    config = Path(place.env["XDG_CONFIG_HOME"]) / "memdeck"
    config.mkdir(parents=True, mode=0o700)
    (config / "policy.yaml").write_text(f"context: {{hold_compaction: {hold}, hold_seconds: 5}}\n", encoding="utf-8")
    assert call(place, "PreCompact", monkeypatch, trigger=trigger) == 0
    assert json.loads(capsys.readouterr().out)["held"] is held
    assert len(waited) == (5 if held else 0)


def test_b24_a_held_compaction_goes_on_once_the_plan_is_decided(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def decide(_seconds: float) -> None:
        with place.open() as engine:
            engine.plans.reject(engine.plans.queue()[-1].id, "no")

    hold_clock(monkeypatch, decide, time.monotonic)
    config = Path(place.env["XDG_CONFIG_HOME"]) / "memdeck"
    config.mkdir(parents=True, mode=0o700)
    (config / "policy.yaml").write_text("context: {hold_compaction: always}\n", encoding="utf-8")
    assert call(place, "PreCompact", monkeypatch, trigger="auto") == 0
    assert json.loads(capsys.readouterr().out)["held"] is True


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"hook_event_name": "PreCompact", "transcript_path": "x.md"}'])
def test_what_is_no_event_changes_nothing_and_stops_nobody(
    place: Place, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    for name, value in place.env.items():
        monkeypatch.setenv(name, value)
    assert main(["-w", str(place.root), "hook", "compact"]) == 0, "the tool goes on"


def killed_at(place: Place, point: int) -> bool:
    """Runs the hook's work in another process that dies at its `point`-th write; tells whether it came that far."""
    child = os.fork()
    if child == 0:  # pragma: no cover — the process that is killed
        left = [point]

        def die(_step: str) -> None:
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)

        try:
            with hooked(die), place.open() as engine:
                engine.flushes.before_compaction(str(place.log))
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


@pytest.mark.sampled(1)
def test_b24_killed_anywhere_the_hook_leaves_whole_records_and_flushes_nothing_twice(tmp_path: Path) -> None:
    """A hundred points, or a tenth of them, over fresh places and over those that earlier deaths left."""
    deaths, number = 0, 0
    while deaths < examples(100):
        number += 1
        (tmp_path / f"p{number}").mkdir()
        place = Place(tmp_path / f"p{number}")
        place.write("memory/2026-03-15.md", "# day\n")
        place.say(said("go"), answer("m1", (0, 190_000, 0), text=KEEP))
        point = 0
        while killed_at(place, point) and point < 60:
            deaths, point = deaths + 1, point + 1
        with place.open() as engine:
            engine.flushes.before_compaction(str(place.log))
            assert len(plans_of(engine)) == 1 and len(engine.flushes.backups.all()) == 1
            apply(engine, engine.plans.load(engine.plans.queue()[-1].id))
            assert engine.plans.make("flush").plan is None, "nothing is flushed twice"
        assert place.write("memory/2026-03-16.md", "").parent.joinpath("2026-03-15.md").read_text().count("drain") == 1


def test_b22_how_much_smaller_the_window_was_is_read_at_its_next_answer(place: Place) -> None:
    with place.open() as engine:
        place.say(compacted(100_000))
        (seen,) = engine.flushes.compactions()
        assert seen.smaller is None and not seen.is_small, "no answer tells the window yet"
        place.say(answer("n1", (0, 31_000, 0)), compacted(31_000, uuid="c"), answer("n2", (0, 21_701, 0)))
        later, first = engine.flushes.compactions()
        assert (first.smaller, first.is_small) == (69, False)
        assert (later.smaller, later.is_small) == (29, True), "a warning, never a failure"
