"""Reverts single entries of a consolidation: makes the notes as if it had not changed these."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import msgspec

from engine.errors import UsageError
from engine.lifecycle.consolidation.entry_fates import ConsolidationAccount, EntryFate, EntryRow
from engine.lifecycle.prune.memory_entries import MemoryEntry, is_item
from engine.plans.line_hunks import lines_of, matching_runs
from engine.text.document import exact_text
from engine.text.frontmatter import read_frontmatter
from engine.text.markdown import heading_of


class TakenBack(msgspec.Struct, frozen=True):
    """A note as the consolidation left it, None for no note, and with single entries reverted."""

    path: str
    after: bytes | None
    without: bytes


def take_entries_back(
    account: ConsolidationAccount, before: Mapping[str, bytes], after: Mapping[str, bytes], numbers: Iterable[int]
) -> tuple[TakenBack, ...]:
    """Reverts these entries in the notes: old ones return to their places, new ones go. `UsageError` if unknown."""
    by_number, numbers = {row.number: row for row in account.changed}, tuple(numbers)
    if unknown := [number for number in numbers if number not in by_number]:
        raise UsageError("there is no such entry", where=str(unknown[0]), hint=f"1 to {len(by_number)}")
    rows = [by_number[number] for number in sorted(set(numbers))]
    texts = {path: _lines(path, data) for path, data in after.items()}
    for entry in sorted(_going(rows, account), key=lambda memory_entry: (memory_entry.path, -memory_entry.start)):
        del texts[entry.path][entry.start - 1 : entry.end]
    for row in rows:
        if row.fate is not EntryFate.NEW:
            path = row.entry.path
            old = _lines(path, before[path])
            head = old[: max(0, read_frontmatter(before[path]).body_line - 1)]  # a note that is gone begins with it
            texts[path] = _with_entry(old, texts.get(path, head), row.entry)
    touched = sorted({entry.path for entry in _going(rows, account)} | {row.entry.path for row in rows})
    return tuple(TakenBack(path, after.get(path), "".join(texts[path]).encode()) for path in touched)


def _going(rows: Sequence[EntryRow], account: ConsolidationAccount) -> list[MemoryEntry]:
    """Gives the entries to remove: new ones, moved copies, and new words of a single old entry."""
    new = {(row.entry.path, row.entry.start): row.entry for row in account.rows if row.fate is EntryFate.NEW}
    merged = (row.into for row in account.rows if row.fate is EntryFate.MERGED and row.into is not None)
    held = Counter((into.path, into.start) for into in merged)
    going: dict[tuple[str, int], MemoryEntry] = {}
    for row in rows:
        one = row.entry if row.fate is EntryFate.NEW else row.into
        if one is None:
            continue
        place = (one.path, one.start)
        reworded = row.fate is EntryFate.MERGED and place in new and held[place] == 1 and one.path == row.entry.path
        if row.fate in (EntryFate.NEW, EntryFate.MOVED) or reworded:
            going[place] = one
    return list(going.values())


def _lines(path: str, data: bytes) -> list[str]:
    """Gives the lines with their ends; `Refused` for bytes that a plan cannot write."""
    return lines_of(exact_text(path, data))


def _with_entry(old: Sequence[str], now: Sequence[str], entry: MemoryEntry) -> list[str]:
    """Gives the lines with the entry at its old place, and with its heading where the note lost it."""
    first, last = entry.start - 1, entry.end
    same = {left + k: right + k for left, right, length in matching_runs(old, now) for k in range(length)}
    piece = list(old[first:last])
    heading = next((at for at in range(first - 1, -1, -1) if heading_of(old[at].rstrip("\r\n"))), None)
    if heading is not None and old[heading] not in now:
        piece = ["\n", old[heading], "\n", *piece]
        at = min((same[line] for line in range(last, len(old)) if line in same), default=len(now))
    else:
        # Behind the nearest line that stood above it, else before the nearest below.
        above = (same[line] + 1 for line in range(first - 1, -1, -1) if line in same)
        below = (same[line] for line in range(last, len(old)) if line in same)
        at = next(chain(above, below), len(now))
    return _joined(list(now[:at]), piece, list(now[at:]))


def _joined(above: list[str], piece: list[str], below: list[str]) -> list[str]:
    """Joins the lines; adds missing line ends, and a blank line where two entries would become one."""
    if above and not above[-1].endswith("\n"):
        above[-1] += "\n"
    if above and not above[-1].strip() and not piece[0].strip():
        piece = piece[1:]
    elif above and _runs_on(above[-1], piece[0]):
        piece = ["\n", *piece]
    if below and not piece[-1].endswith("\n"):
        piece[-1] += "\n"
    if below and (_runs_on(piece[-1], below[0]) or heading_of(below[0].rstrip("\r\n"))):
        piece = [*piece, "\n"]
    return [*above, *piece, *below]


def _runs_on(line: str, following: str) -> bool:
    starts = heading_of(line.rstrip("\r\n")) or heading_of(following.rstrip("\r\n")) or is_item(following)
    return bool(line.strip() and following.strip() and not starts)
