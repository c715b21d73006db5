"""Runs `consolidations`: lists what other tools rewrote and lost, and makes plans that restore it."""

from collections.abc import Sequence
from typing import Any

from engine.lifecycle.consolidation.entry_fates import EntryRow
from engine.plans.diff import unified
from engine.services.consolidations import ConsolidationItem
from tui.cli.outcomes import outcome_answer
from tui.cli.output import Answer, Piece, Styled, Text, TextTable
from tui.cli.settings import Settings, command, group, opened
from tui.present.glyphs import FLAGGED, PASSED
from tui.present.words import moment, noun

_TEXT = 140  # characters of an entry in its row


@command("list")
def list_command(settings: Settings, every: bool = False) -> Answer:
    console = opened(settings)
    looked = console.review.since_looked(look=True).looked_at
    items = [item for item in console.consolidations.all() if every or item.is_open]
    rows = _list_rows(items, console.consolidations.unreadable(), has_looked=looked is not None)
    return Answer([_facts(item) for item in items], rows)


@command("show")
def show_command(settings: Settings, name: str, with_diff: bool) -> Answer:
    console = opened(settings)
    item = console.consolidations.load(name, look=True)
    diffs = [unified(diff) for diff in console.consolidations.diffs(item)] if with_diff else []
    return Answer(_facts(item, rows=True) | ({"diffs": diffs} if with_diff else {}), _shown_rows(item, diffs))


@command("plan")
def plan_command(settings: Settings, name: str, entries: tuple[int, ...]) -> Answer:
    console = opened(settings)
    return outcome_answer(console, "revert", console.revert.consolidation(name, entries))


@command("keep")
def keep_command(settings: Settings, name: str, reason: str) -> Answer:
    item = opened(settings).consolidations.keep(name, reason)
    return Answer(_facts(item), [Styled(f"{PASSED.glyph} kept as it is: {item.consolidation.id}", fg="green")])


consolidations_command = group(
    "consolidations", __name__, list_command, show_command, plan_command, keep_command, default=list_command
)


def _list_rows(items: Sequence[ConsolidationItem], unreadable: Sequence[str], *, has_looked: bool) -> Text:
    for item in items:
        yield from _item_rows(item)
    if not items:
        begun = "you have not looked yet: `memdeck changes --looked` begins to keep count"
        yield "no consolidation waits" if has_looked else begun
    for file in unreadable:
        yield Styled(f"! {file} cannot be read as a consolidation: remove it", fg="yellow")


def _shown_rows(item: ConsolidationItem, diffs: Sequence[str]) -> Text:
    yield from _item_rows(item)
    yield TextTable([_entry_row(row) for row in item.account.changed], frozenset({0}))
    for diff in diffs:
        yield ""
        yield from diff.rstrip("\n").split("\n")
    yield Styled(f"memdeck consolidations plan {item.consolidation.id} [--entry N]…", dim=True)


def _item_rows(item: ConsolidationItem) -> Text:
    from tui.present.approvals.consolidations import state_words

    burst = item.consolidation
    said = f"  {burst.title} · {moment(burst.began)} · {noun(len(burst.notes), 'note')} · {state_words(item)}"
    yield Styled(burst.id, bold=True), said
    yield "  ", Styled(item.account.line(), fg="yellow" if item.account.loss > 0 else None)
    yield Styled(f"  {', '.join(note.path for note in burst.notes)}", dim=True)
    if burst.reason:
        yield Styled(f"  reason: {burst.reason}", dim=True)


def _entry_row(row: EntryRow) -> list[Piece]:
    from tui.present.approvals.consolidations import entry_words, place_words

    junk = Styled(f"{FLAGGED.glyph} {row.junk}", fg="yellow") if row.junk else ""
    return [str(row.number), row.fate.value, place_words(row), entry_words(row)[:_TEXT], junk]


def _facts(item: ConsolidationItem, *, rows: bool = False) -> dict[str, Any]:
    from tui.present.approvals.consolidations import state_words

    burst = item.consolidation
    facts: dict[str, Any] = {
        "id": burst.id,
        "tool": burst.tool.value,
        "shown_by": burst.shown_by or None,
        "state": state_words(item),
        "began": burst.began.isoformat(),
        "ended": burst.ended.isoformat(),
        "notes": [note.path for note in burst.notes],
        "account": item.account.facts(),
        "plans": [*burst.whole, *burst.plans],
        "reason": burst.reason,
    }
    return facts | ({"entries": [_entry_facts(row) for row in item.account.rows]} if rows else {})


def _entry_facts(row: EntryRow) -> dict[str, Any]:
    return {
        "number": row.number or None,
        "fate": row.fate.value,
        "path": row.entry.path,
        "line": row.entry.start,
        "text": row.entry.text,
        "into": f"{row.into.path}:{row.into.start}" if row.into is not None else None,
        "junk": row.junk,
    }
