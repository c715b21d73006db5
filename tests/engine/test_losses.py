"""Losses of files that platforms always load, told until they are answered (decision G26)."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.lifecycle.consolidation.sudden_losses import loss_in_words
from engine.plans.memory_status import Alarm
from engine.services.alarms import lasting_paths
from engine.services.engine import Engine
from tests.engine.approved import applied, undone
from tests.engine.history.repos import write
from tests.engine.monitoring.test_recall import claude

MEMORY = "MEMORY.md"
KINDS = ("billing", "invoice", "deploy", "backup", "ledger", "queue", "cluster", "rollout", "tenant", "export")
LARGE = "# Memory\n\n" + "".join(
    f"- {KINDS[n % 10]} rule {n} of {KINDS[(n * 7 + 3) % 10]} at port {9000 + n}\n" for n in range(1, 241)
)
SMALL = "- alpha\n- beta\n- gamma\n"


@pytest.fixture
def engine(tmp_path: Path, own_home: Path) -> Iterator[Engine]:
    workspace = tmp_path / "agent"
    write(workspace, {MEMORY: LARGE, "SOUL.md": "- kind\n- brief\n", "memory/2026-03-01.md": "- a day\n"})
    with Engine.open(workspace) as opened:
        assert losses(opened) == []
        yield opened


def losses(engine: Engine) -> list[Alarm]:
    return [alarm for alarm in engine.status.read().alarms if alarm.id == "loss"]


def test_g26_the_platforms_say_which_files_are_to_last() -> None:
    named = {MEMORY, "USER.md", "AGENTS.md", "SOUL.md", "IDENTITY.md", "CLAUDE.md", "memories/MEMORY.md", "GEMINI.md"}
    assert named <= set(lasting_paths())
    assert not {"WORKING.md", "HEARTBEAT.md", "memory/ROOT.md"} & set(lasting_paths())


def test_g26_an_overwritten_memory_is_an_alarm_until_it_is_taken_back(engine: Engine) -> None:
    """field.md H24: 242 lines overwritten with 3 were told as "3 lines, ok"."""
    write(engine.workspace, {MEMORY: SMALL})
    (alarm,) = losses(engine)
    assert alarm.path == MEMORY and alarm.detail.startswith("lost 240 of 240 entries, between ")
    assert alarm.detail.endswith("by whom is not known") and "memdeck revert MEMORY.md" in alarm.fix
    assert engine.status.read().headline == alarm.line
    assert engine.digest.make(engine.digest.since()).alarms[0] == alarm
    engine.review.looked(look=True)
    write(engine.workspace, {MEMORY: SMALL + "- delta\n"})
    assert losses(engine) == [alarm], "neither a look nor a further line is an answer"
    applied(engine, engine.revert.plan((MEMORY,)))
    assert (engine.workspace / MEMORY).read_text() == LARGE + "- delta\n" and losses(engine) == []


def test_g26_what_is_kept_as_it_is_is_no_alarm_any_more(engine: Engine) -> None:
    write(engine.workspace, {MEMORY: SMALL})
    assert losses(engine)
    engine.alarms.accept(MEMORY)
    assert losses(engine) == [] and (engine.workspace / MEMORY).read_text() == SMALL
    for wrong in (MEMORY, "none.md"):
        with pytest.raises(UsageError):
            engine.alarms.accept(wrong)


def _link(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/null")


WRECKS: dict[str, tuple[Callable[[Path], object], str]] = {
    "is empty": (lambda file: file.write_bytes(b" \n"), ""),
    "is gone": (lambda file: file.unlink(), ""),
    "is no text any more: UTF-16, not UTF-8": (lambda file: file.write_bytes(LARGE.encode("utf-16")), ""),
    "is a link": (_link, "move MEMORY.md away"),
    "lost 73 of 240": (lambda file: file.write_text("".join(LARGE.splitlines(keepends=True)[:169])), ""),
}


@pytest.mark.parametrize("what", WRECKS)
def test_g26_each_way_to_lose_a_file_is_told_and_taken_back_to_the_byte(engine: Engine, what: str) -> None:
    wreck, step = WRECKS[what]
    wreck(engine.workspace / MEMORY)
    (alarm,) = losses(engine)
    assert alarm.detail.startswith(what) and step in alarm.fix
    if step:
        assert "is a link" in str(engine.revert.plan((MEMORY,)).reason_no_action)
        (engine.workspace / MEMORY).unlink()
    applied(engine, engine.revert.plan((MEMORY,)))
    assert (engine.workspace / MEMORY).read_text() == LARGE and losses(engine) == []


def test_g26_less_than_three_in_ten_and_what_a_plan_did_are_no_alarm(engine: Engine) -> None:
    """What a person approved is no loss, nor is what an undo takes out again."""
    lines = LARGE.splitlines(keepends=True)
    write(engine.workspace, {MEMORY: "".join(lines[:-60])})
    assert losses(engine) == []
    write(engine.workspace, {MEMORY: "".join((*lines[:2], *reversed(lines[2:])))})
    assert losses(engine) == [], "a new order loses nothing"
    engine.review.looked(look=True)
    write(engine.workspace, {MEMORY: "".join((*lines[:2], *reversed(lines[2:]), *(f"- x{n}\n" for n in range(400))))})
    assert losses(engine) == []
    back = applied(engine, engine.revert.plan((MEMORY,)))
    assert losses(engine) == [], "400 of 640 entries went by a plan"
    undone(engine, back)
    assert losses(engine) == []


def test_g26_many_small_losses_until_the_operator_looks_are_one(engine: Engine) -> None:
    lines = LARGE.splitlines(keepends=True)
    write(engine.workspace, {MEMORY: "".join(lines[:200])})
    assert losses(engine) == []
    write(engine.workspace, {MEMORY: "".join(lines[:160])})
    assert [alarm.detail[:17] for alarm in losses(engine)] == ["lost 82 of 240 en"]


def test_g26_a_session_that_wrote_these_bytes_is_named_and_no_other(engine: Engine, tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    now = datetime.now(UTC).isoformat()
    (sessions / "s.jsonl").write_text(claude(now, "Write", file_path=MEMORY, content=SMALL) + "\n")
    engine.sessions.follow(sessions)
    write(engine.workspace, {MEMORY: SMALL, "SOUL.md": "- other\n"})
    found = {alarm.path: alarm.detail for alarm in losses(engine)}
    assert found[MEMORY].endswith("by a call of session s-1, line 1")
    assert found["SOUL.md"].endswith("by whom is not known")


def test_g26_a_dream_is_named_where_its_lock_shows_it(engine: Engine) -> None:
    lock = engine.workspace / "memory/.dreams/short-term-promotion.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("1")
    write(engine.workspace, {MEMORY: SMALL})
    assert losses(engine)[0].detail.endswith("by OpenClaw dreaming, as its lock file shows")
    engine.alarms.accept(MEMORY)
    os.utime(lock, (1, 1))
    write(engine.workspace, {MEMORY: "- other\n"})
    assert losses(engine)[0].detail.endswith("by whom is not known")


def test_g26_nothing_is_recorded_read_only_and_a_torn_record_begins_anew(engine: Engine) -> None:
    write(engine.workspace, {MEMORY: SMALL})
    with Engine.open(engine.workspace, read_only=True) as reader:
        assert losses(reader) and losses(reader)
        with pytest.raises(Exception, match="read-only"):
            reader.alarms.accept(MEMORY)
    for record in (engine._opened.state.path / "lasting").iterdir():
        record.write_bytes(b"{")
    assert losses(engine) == []


def test_a_file_that_said_nothing_loses_nothing() -> None:
    assert loss_in_words(MEMORY, b"\n", None) == "" and loss_in_words(MEMORY, b"\xff", b"") == ""
    assert loss_in_words(MEMORY, b"- a\n", b"\0GITCRYPT\0x") == ""


def test_g26_late_jobs_and_lines_that_fall_off_are_alarms_behind_a_loss(engine: Engine) -> None:
    """Beside a sign of OpenClaw a MEMORY.md is none of Claude Code, which would cut it."""
    assert all(alarm.id != "falling" for alarm in engine.status.read().alarms)
    write(engine.workspace, {"CLAUDE.md": "- as agreed\n"})
    (falling,) = [alarm for alarm in engine.status.read().alarms if alarm.path == MEMORY]
    assert (falling.id, falling.detail) == ("falling", "Claude Code does not load 42 lines, from line 201 on")
    write(engine.workspace, {"SOUL.md": ""})
    assert [alarm.id for alarm in engine.status.read().alarms] == ["loss", "falling"]
