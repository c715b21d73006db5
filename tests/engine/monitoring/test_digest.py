"""The digest: what fell into the stretch, in order, and nothing that did not."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import MemdeckError, UsageError
from engine.extraction.entry import EntryKind
from engine.history.explorations import Exploration
from engine.models.cost_ledger import LedgerLine
from engine.monitoring.digest import CELLS, FallingFile, weekly_digest
from engine.monitoring.gauges import GaugeLimit, GaugeReading
from engine.monitoring.learnt import DatedNote, Quote, best, notes_between, quoted
from engine.monitoring.trends import GaugeSample, trends
from engine.plans.operation import Operation, OperationKind, OperationState, Write
from engine.plans.plan import PlanState, QueueEntry, RiskTier
from engine.services.digest import give, kinds_of_lines, message
from engine.workspace.values import DateSource, FileDate, FileFacts
from tests.benchmarks.judged_shared import caught, place

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=7)
SOURCES: dict[str, Any] = {
    "workspace": "/home/ana/silas",
    "since": SINCE,
    "until": NOW,
    "simulated_clock": False,
    "notes": 0,
    "learnt": (),
    "entries": (),
    "operations": (),
    "falling": (),
    "trends": (),
    "ledger": (),
}


def entry(number: int, made_at: datetime, state: PlanState = PlanState.PENDING, reason: str = "") -> QueueEntry:
    return QueueEntry(
        id=f"p-20260315-{number:04}",
        digest="sha256:0",
        system="compact",
        trigger="working_files",
        risk_tier=RiskTier.B,
        state=state,
        made_at=made_at,
        simulated_clock=False,
        changes=2,
        targets=(),
        inputs=(),
        policy_sha256="0",
        state_reason=reason,
        state_since=made_at + timedelta(hours=1),
    )


def test_d55_explorations_older_than_a_week_are_told_the_oldest_first() -> None:
    begun = {"old": 9, "older": 20, "young": 7}
    every = [Exploration(name, "c" * 40, NOW - timedelta(days=days)) for name, days in begun.items()]
    digest = weekly_digest(**SOURCES | {"explorations": every})
    assert [one.name for one in digest.explorations] == ["older", "old"]
    assert weekly_digest(**SOURCES).explorations == ()


def operation(number: int, at: datetime, kind: OperationKind, state: OperationState) -> Operation:
    return Operation(
        id=f"o-20260315-{number:04}",
        kind=kind,
        plan="p-20260315-0001",
        system="compact",
        trigger="",
        risk_tier=RiskTier.B,
        state=state,
        started_at=at,
        finished_at=at,
        simulated_clock=False,
        numbers=(1,),
        effects=(),
        done=(),
    )


def test_what_was_planned_refused_and_waits_is_told_apart() -> None:
    hour = timedelta(hours=1)
    entries = (
        entry(3, NOW - hour),
        entry(1, SINCE - 20 * hour),
        entry(2, NOW - 3 * hour, PlanState.REJECTED, "not now"),
        entry(4, SINCE - 9 * hour, PlanState.REJECTED, "long ago"),
    )
    found = weekly_digest(**SOURCES | {"entries": entries})
    assert [plan.id[-1] for plan in found.planned] == ["2", "3"]
    assert [(plan.id[-1], plan.reason) for plan in found.refused] == [("2", "not now")]
    assert [plan.id[-1] for plan in found.waiting] == ["1", "3"], "one made long before the stretch waits as well"


def test_operations_are_those_of_the_stretch_that_came_to_something() -> None:
    told = (
        operation(3, NOW, OperationKind.UNDO, OperationState.DONE),
        operation(2, NOW - timedelta(days=1), OperationKind.APPLY, OperationState.UNDONE),
        operation(4, NOW - timedelta(days=1), OperationKind.APPLY, OperationState.ROLLED_BACK),
        operation(1, SINCE, OperationKind.APPLY, OperationState.DONE),
    )
    found = weekly_digest(**SOURCES | {"operations": told})
    assert [op.id[-1] for op in found.approved] == ["2"]
    assert [op.id[-1] for op in found.undone] == ["3"]


def test_an_operation_that_was_undone_is_told_with_the_files_it_had() -> None:
    told = operation(2, NOW, OperationKind.APPLY, OperationState.UNDONE)
    applied = msgspec.structs.replace(told, effects=(Write("a.md", None, "0"), Write("b.md", None, "0")))
    found = weekly_digest(**SOURCES | {"operations": (applied,)})
    assert [op.files for op in found.approved] == [2]


def test_a_curve_has_evenly_spaced_values_and_the_next_limit() -> None:
    gauge = GaugeReading(id="working.files", unit="files", value=9, limits=(GaugeLimit("pressure", 10),))
    samples = [GaugeSample(SINCE + timedelta(days=n), {"working.files": 2 + n}) for n in range(1, 7)]
    (curve,) = weekly_digest(**SOURCES | {"trends": trends((gauge,), samples, NOW)}).curves
    assert len(curve.values) == CELLS and curve.values[:2] == (None, 3) and curve.values[-1] == 9
    assert (curve.before, curve.limit, curve.limit_value, curve.over) == (None, "pressure", 10, False)
    assert curve.days is not None and 0 <= curve.days <= 2


def test_gauges_over_their_limit_come_first_and_those_that_reach_theirs_next() -> None:
    def course(name: str, limit: int, per_day: int) -> GaugeReading:
        return GaugeReading(id=name, unit="files", value=7 * per_day, limits=(GaugeLimit("pressure", limit),))

    gauges = (course("a.calm", 1000, 0), course("b.near", 16, 2), course("c.over", 20, 3))
    samples = [
        GaugeSample(SINCE + timedelta(days=n), {"a.calm": 0, "b.near": 2 * n, "c.over": 3 * n}) for n in range(7)
    ]
    found = weekly_digest(**SOURCES | {"trends": trends(gauges, samples, NOW)})
    assert [curve.id for curve in found.curves] == ["c.over", "b.near", "a.calm"]


def test_costs_are_those_of_the_stretch_by_role() -> None:
    def line(role: str, at: datetime, usd: float) -> LedgerLine:
        return LedgerLine(time=at, role=role, model="m", input=1, output=1, usd=usd)

    lines = [line("gate", NOW, 0.25), line("gate", NOW, 0.5), line("extract", NOW, 1), line("gate", SINCE, 9)]
    found = weekly_digest(**SOURCES | {"ledger": lines})
    assert [(one.role, one.calls, one.usd) for one in found.cost] == [("extract", 1, "1.0000"), ("gate", 2, "0.7500")]
    assert found.usd == "1.75"


def test_the_file_with_the_least_room_comes_first() -> None:
    roomy, over = (
        FallingFile(platform="p", path=path, unit="lines", value=value, cap=200, lines=0)
        for path, value in (("a.md", 190), ("b.md", 220))
    )
    assert weekly_digest(**SOURCES | {"falling": (roomy, over)}).falling == (over, roomy)


# ── what was learnt ────────────────────────────────────────────────────────────────────────────────────────────────

NOTE = """---
date: 2026-03-12
password: hunter2
---
# Deploys

## Decisions
- keep blue-green, because rollback is one command

## Lessons
- drain queues before any schema migration, or jobs are lost
- the API key is sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-BBBBBBBBAA
"""


def facts(path: str, day: date, source: DateSource = DateSource.NAME) -> FileFacts:
    return FileFacts(path=path, size=1, sha256="0", lines=1, tokens=1, date=FileDate(day, source))


def test_notes_are_the_agents_own_of_these_days() -> None:
    day = date(2026, 3, 12)
    files = (
        facts("memory/2026-03-12.md", day),
        facts("memory/working/x.md", day),
        facts("memory/working/undated.md", day, DateSource.MTIME),
        facts("memory/daily/2026-03-12.md", day),
        facts("memory/archive/x.md", day),
        facts("memory/2026-03-01.md", date(2026, 3, 1)),
        facts("knowledge/journal/2026-03-14.md", date(2026, 3, 14)),
    )
    found = [one.path for one in notes_between(files, SINCE.date(), NOW.date())]
    assert found == ["knowledge/journal/2026-03-14.md", "memory/2026-03-12.md", "memory/working/x.md"]


def quotes(*notes: DatedNote, most: int = 12) -> tuple[Quote, ...]:
    return best((quote for note in notes for quote in quoted(note, kinds_of_lines)), most)


def test_every_quote_stands_word_for_word_in_its_line_and_none_is_a_secret() -> None:
    found = quotes(DatedNote("memory/2026-03-12.md", date(2026, 3, 12), NOTE))
    lines = NOTE.splitlines()
    assert found and all(quote.text in lines[quote.line - 1] for quote in found)
    assert [(quote.kind, quote.text[:18]) for quote in found] == [
        (EntryKind.LESSON, "drain queues befor"),
        (EntryKind.DECISION, "keep blue-green, b"),
    ]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("- We decided to use Borg because it checks.", EntryKind.DECISION),
        ("- Ana said they decided to use Borg.", None),
        ("- DEC-004: use tar, it was settled | Grade: proposed", None),
        ("- We looked at the weather for a while.", None),
    ],
)
def test_d59_a_quote_of_the_digest_is_what_the_judge_hears(line: str, kind: EntryKind | None) -> None:
    found = quotes(DatedNote("memory/2026-03-12.md", date(2026, 3, 12), f"# Day\n\n{line}\n"))
    assert [quote.kind for quote in found] == ([kind] if kind else [])


def test_each_day_has_its_best_before_another_has_its_second() -> None:
    second = NOTE.replace("blue-green", "canaries").replace("queues", "caches").replace("03-12", "03-13")
    days = {12: NOTE, 13: second}
    notes = [DatedNote(f"memory/2026-03-{day}.md", date(2026, 3, day), text) for day, text in days.items()]
    assert {quote.day.day for quote in quotes(*notes, most=2)} == {12, 13}
    assert quotes() == ()


@given(st.lists(st.text(max_size=80), max_size=12))
def test_whatever_a_note_holds_a_quote_is_of_its_lines(lines: list[str]) -> None:
    text = "\n".join(f"- {line}" for line in lines)
    body = " ".join(text.split())
    for quote in quotes(DatedNote("memory/2026-03-12.md", date(2026, 3, 12), text)):
        assert " ".join(quote.text.split()) in body


def test_d59_an_outcome_is_no_decision_and_tells_no_key() -> None:
    """A review found seven weak lines in the demo's digest: `decision “outcome: bot quiet for four minutes”`."""
    note = "## Bot\n- decision: keep the bot on the cold stack, as it survives\n- outcome: quiet for four minutes\n"
    found = quotes(DatedNote("memory/2026-03-12.md", date(2026, 3, 12), note))
    assert all(": " not in quote.text for quote in found)
    assert {quote.kind for quote in found if "quiet" in quote.text} <= {EntryKind.JOURNAL}
    assert any(quote.kind is EntryKind.DECISION and quote.text.startswith("keep the bot") for quote in found)


def test_d59_the_digest_tells_what_was_stated_in_sessions_and_no_hearsay() -> None:
    said = ("We decided to use Borg because it checks.", "Ana said they decided to close the shop.")
    with place() as there, there.open() as engine:
        for number, text in enumerate(said):
            caught(engine, f"s{number}", [{"role": "user", "text": text}], "2026-11-18")
        digest = engine.digest.make(engine.now() - timedelta(days=7))
        (quote,) = digest.learnt
        assert (digest.notes, quote.text, quote.kind) == (2, said[0], EntryKind.DECISION)
        assert said[0] in (there.workspace / quote.path).read_text("utf-8").splitlines()[quote.line - 1]


# ── sending ────────────────────────────────────────────────────────────────────────────────────────────────────────


def script(folder: Path, name: str, body: str) -> Path:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(0o700)
    return file


def test_the_command_gets_the_text_on_its_input_and_its_words_as_they_are(tmp_path: Path) -> None:
    out = tmp_path / "out"
    program = script(tmp_path, "give", f'printf "%s|" "$@" > {out}; cat >> {out}')
    workspace = tmp_path / "ws"
    workspace.mkdir()
    give((str(program), "$(id)", "a b"), "Subject", "Ünïcode\n", workspace, {"PATH": "/usr/bin:/bin"})
    assert out.read_text("utf-8") == "$(id)|a b|Ünïcode\n"


def test_a_mailer_gets_a_whole_message_and_a_subject_brings_no_header(tmp_path: Path) -> None:
    mail = message("Digest of a\nBcc: x@y.example", "text\n").decode()
    assert mail.startswith("Subject: Digest of a Bcc: x@y.example\n") and mail.endswith("\n\ntext\n")
    assert "\nBcc" not in mail and 'charset="utf-8"' in mail


def test_a_program_inside_the_workspace_is_not_run(tmp_path: Path) -> None:
    """The agent can write there."""
    ran = tmp_path / "ran"
    inside = script(tmp_path, "tee", f"touch {ran}")
    for name, path in ((str(inside), "/usr/bin"), ("tee", str(tmp_path))):
        with pytest.raises(MemdeckError, match="outside the workspace"):
            give((name,), "s", "t", tmp_path, {"PATH": path})
    assert not ran.exists()


def test_no_command_and_one_that_fails_say_so(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    with pytest.raises(UsageError, match=r"digest\.command"):
        give((), "s", "t", workspace, {})
    failing = script(tmp_path, "fails", "echo no such account >&2; exit 75")
    with pytest.raises(MemdeckError, match="ended with 75: no such account"):
        give((str(failing),), "s", "t", workspace, {"PATH": "/usr/bin:/bin"})
