"""Hostile text in every place that comes from a workspace: no crash, no action, no control byte (G13)."""

import msgspec
import pytest

from engine.compactor.semantic.entry import KnownTitle, SchemaProblem
from engine.compactor.semantic.pollution import Duplicate
from engine.monitoring.dry_runs import compare, report_of
from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.plans.memory_status import Degraded, DueJob, SemanticBand, SemanticFigures, ShardFigures, Status
from engine.plans.plan import (
    Append,
    Confirmation,
    Create,
    LineOrigin,
    Move,
    Plan,
    PlanState,
    QualityGate,
    QueueEntry,
    RiskTier,
)
from engine.workspace.values import LineSpan, Skipped
from tests.prepared import Told
from tests.tui.conftest import Deck, console_of, deck, settled
from tests.tui.hostile import FORBIDDEN as FORBIDDEN
from tests.tui.hostile import hostile_strings
from tests.turn import TURN
from tests.values import NOW, a_status, diff_of, entry_of, make_plan
from tui.present import diff, header_hints
from tui.present.approvals import approval_question, batch, entry_checks, past_runs, queue_rows
from tui.present.approvals import plan_head as plans
from tui.present.approvals.plan_head import LoadedPlan
from tui.present.diff_style import RowLooks
from tui.present.overview import due_jobs
from tui.present.overview import triggers_notices as overview
from tui.present.overview.gauges import GaugeBar
from tui.present.spans import Line, Span
from tui.present.words import safe
from tui.screens.approvals.page import ApprovalsPage

STRINGS = tuple(hostile_strings())


def hostile_plan(number: int, text: str) -> Plan:
    """A plan with `text` wherever a plan takes a string that may come from a workspace.

    A plan has a canonical JSON, so a lone surrogate can't be in one; in a status it can.
    """
    text = text.encode("utf-8", "replace").decode()
    path = f"memory/working/{text}.md"
    span = LineSpan(path, 1, 2)
    changes = (
        Create(
            n=1,
            path=path,
            risk_tier=RiskTier.B,
            reason=text,
            content=f"{text}\n{text}\n",
            sources=(span,),
            origins=(LineOrigin(1, span),),
            dropped=(text,),
            warnings=(text,),
        ),
        Move(n=2, path=path, to=f"memory/archive/{text}", risk_tier=RiskTier.B, reason=text),
        Append(n=3, path=path, risk_tier=RiskTier.C, reason=text, content=text),
    )
    return make_plan(
        number,
        changes,
        system=text or "x",
        trigger=text,
        confirmations=(Confirmation("first_run", text),),
        warnings=(text,),
        gates=(QualityGate(text, True), QualityGate(text, False, text)),
        report=text,
    )


def hostile_status(text: str) -> Status:
    job = DueJob(id="x", title=text, next_at=NOW, overdue=False, detail=text)
    shard = ShardFigures(path=f"memory/semantic/{text}.md", tokens=1300, band=SemanticBand.BLOCKED)
    tiers = msgspec.structs.replace(
        a_status().memory_tiers, semantic=SemanticFigures(files=1, tokens=1300, shards=(shard, shard, shard))
    )
    return a_status(
        tokenizer=text,
        memory_tiers=tiers,
        due=(job,),
        degraded=(Degraded(id=text, what=text, fix=text),),
        skipped=(Skipped(text, text),),
        notes=(text,),
    )


def diffs_of(plan: Plan, text: str) -> tuple[FileDiff, ...]:
    rows = tuple(DiffRow(kind, 1, 1, text) for kind in RowKind)
    return tuple(
        msgspec.structs.replace(diff_of(change), note=text, rows=rows) if change.n == 2 else diff_of(change)
        for change in plan.changes
    )


def all_lines(text: str) -> list[Line]:
    """Every line that any view model makes of `text`."""
    plan, status = hostile_plan(1, text), hostile_status(text)
    loaded = LoadedPlan(plan=plan, digest=plan.digest, diffs=diffs_of(plan, text))
    entry = msgspec.structs.replace(entry_of(plan), state_reason=text, state=PlanState.STALE)
    rows = [*overview.triggers(status), *overview.attention(status), *due_jobs.due(status)]
    rows += [
        queue_rows.QueueRows((entry,), NOW, {plan.id: text}).row(0),
        header_hints.header(safe(text), "overview", header_hints.Badges()),
    ]
    changes = plans.ChangeRows(loaded, frozenset(), frozenset())
    rows += [changes.row(index) for index in range(len(changes))]
    lines = [part for row in rows for part in row]
    for card in overview.cards(status, overview.CardLimits()):
        lines.append(card.foot)
        for part in card.body:
            lines.append((Span(part.label), Span(part.figure)) if isinstance(part, GaugeBar) else part)
    for index in range(len(overview.attention(status))):
        lines += overview.attention_detail(status, index)[1]
    lines += [plans.title(entry, NOW), *plans.head(entry, loaded, (1,), plans.PlanProgress(under_way=text))]
    for change, file_diff in zip(plan.changes, loaded.diffs, strict=True):
        lines += [diff.title(change, file_diff, 3), *diff.preface(change, file_diff)]
    question = approval_question.about_plan(loaded, (1, 2, 3))
    return [*lines, *triage_lines(entry, loaded, text), question.title, *question.body, header_hints.facts(status)]


def triage_lines(entry: QueueEntry, loaded: LoadedPlan, text: str) -> list[Line]:
    """What the batch, the editor of entries and the past dry runs make of it."""
    report = report_of(loaded.plan, entry)
    facts = {"thresholds": [{"id": text, "value": 1, "threshold": 2, "fired": True}]}
    other = msgspec.structs.replace(report, text="", facts=facts, changes=())
    duplicate = Duplicate(title=text, other=KnownTitle(title=text, path=f"memory/semantic/{text}", line=1), percent=90)
    rows = [past_runs.RunRows((report.entry,), NOW, "").row(0)]
    rows.append(batch.BatchRows([batch.BatchItem(entry, loaded, (1, 2))], frozenset()).row(0))
    return [
        *(part for row in rows for part in row),
        *past_runs.page(report),
        *past_runs.comparison(compare(report, other)),
        past_runs.title(report.entry),
        *entry_checks.verdict((SchemaProblem(1, text, text),), text),
        *entry_checks.likeness((duplicate,)),
        *entry_checks.hidden(text),
        *(RowLooks((DiffRow(RowKind.ADDED, None, 1, text),)).line(0),),
    ]


def test_there_are_a_thousand() -> None:
    assert len(STRINGS) == 1000


@pytest.mark.parametrize("part", range(10))
def test_no_view_model_lets_a_hidden_character_through(part: int) -> None:
    for text in STRINGS[part::10]:
        for line in all_lines(text):
            for span in line:
                assert not FORBIDDEN.search(span.text), (text, span)


def check_screen(pilot: Deck) -> None:
    """What would be written to a terminal, behind all filters, and what a click could do."""
    for strip in pilot.app.screen._compositor.render_strips():
        for segment in strip:
            assert not FORBIDDEN.search(segment.text), segment
            if segment.style is not None:
                assert "@click" not in segment.style.meta
                assert segment.style.link is None


# A screen costs about a second, so a very tall one shows a hundred strings at a time.
_GROUP = 100
_TALL = (120, 130)
_APART = 3
"""One group in so many is shown at each commit, another at the next; `make soak` shows all."""
_DIALOGS = ("s", "v", "escape", "e", "escape", "R", "escape")


def _drawn(group: int) -> tuple[pytest.MarkDecorator, ...]:
    return () if (group // _GROUP + TURN) % _APART == 0 else (pytest.mark.soak,)


@pytest.mark.parametrize(
    "group", [pytest.param(group, marks=_drawn(group)) for group in range(0, len(STRINGS), _GROUP)]
)
async def test_both_screens_and_the_dialog_stand_hostile_text(group: int) -> None:
    texts = STRINGS[group : group + _GROUP]
    hostile = [hostile_plan(number, text) for number, text in enumerate(texts, 1)]
    status = a_status(
        notes=texts,
        skipped=tuple(Skipped(text, text) for text in texts),
        degraded=tuple(Degraded(id=text, what=text, fix=text) for text in texts[:3]),
        due=tuple(DueJob(id="x", title=text, next_at=NOW, overdue=False) for text in texts[3:6]),
    )
    engine = Told([], status)
    engine.queue_of(hostile)
    decided = [engine.stub.asked(name) for name in ("plans.apply", "plans.reject", "queue.snooze")]
    async with deck(engine, _TALL) as pilot:
        app = console_of(pilot)
        check_screen(pilot)
        for text in texts[:5]:
            app.say(text, title=text)
        await pilot.pause()
        check_screen(pilot)
        app.clear_notifications()
        app.page.turn_to("attention")
        await pilot.press("G")
        check_screen(pilot)
        await app.open_plan(hostile[group // _GROUP].id)
        await settled(pilot)
        assert app.query_one(ApprovalsPage).selection.loaded is not None, (
            "the plan is on screen, and no error in its place"
        )
        check_screen(pilot)
        for key in ("right", "right", "G", *(_DIALOGS if group % 500 == 0 else ()), "i"):
            await pilot.press(key)
            check_screen(pilot)
        await pilot.press("escape")
        await pilot.press("question_mark")
        check_screen(pilot)
        await pilot.press("escape")
        assert app.is_running
        assert decided == [[], [], []]
