"""`consolidations`: what other tools rewrote by themselves, the account of the loss, and plans that take it back."""

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
    found = [item for item in console.consolidations.all() if every or item.is_open]
    rows = _list_rows(found, console.consolidations.unreadable(), has_looked=looked is not None)
    return Answer([_facts(item) for item in found], rows)


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


def _list_rows(found: Sequence[ConsolidationItem], unreadable: Sequence[str], *, has_looked: bool) -> Text:
    for item in found:
        yield from _item_rows(item)
    if not found:
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

    one = item.consolidation
    said = f"  {one.title} · {moment(one.began)} · {noun(len(one.notes), 'note')} · {state_words(item)}"
    yield Styled(one.id, bold=True), said
    yield "  ", Styled(item.account.line(), fg="yellow" if item.account.loss > 0 else None)
    yield Styled(f"  {', '.join(note.path for note in one.notes)}", dim=True)
    if one.reason:
        yield Styled(f"  reason: {one.reason}", dim=True)


def _entry_row(row: EntryRow) -> list[Piece]:
    from tui.present.approvals.consolidations import entry_words, place_words

    junk = Styled(f"{FLAGGED.glyph} {row.junk}", fg="yellow") if row.junk else ""
    return [str(row.number), row.fate.value, place_words(row), entry_words(row)[:_TEXT], junk]


def _facts(item: ConsolidationItem, *, rows: bool = False) -> dict[str, Any]:
    from tui.present.approvals.consolidations import state_words

    one = item.consolidation
    found: dict[str, Any] = {
        "id": one.id,
        "tool": one.tool.value,
        "shown_by": one.shown_by or None,
        "state": state_words(item),
        "began": one.began.isoformat(),
        "ended": one.ended.isoformat(),
        "notes": [note.path for note in one.notes],
        "account": item.account.facts(),
        "plans": [*one.whole, *one.plans],
        "reason": one.reason,
    }
    return found | ({"entries": [_entry_facts(row) for row in item.account.rows]} if rows else {})


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
