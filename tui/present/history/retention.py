"""Shows what is kept of the past, for how long, and which operations can be undone because of it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from engine.history.explorations import Exploration
from engine.history.tags import MemoryTag
from engine.monitoring.retention import HeldFile, KeptBytes, Retention
from tui.present import glyphs
from tui.present.diff import fact
from tui.present.history.audit_log import mark
from tui.present.spans import Line, ListRow, Span
from tui.present.words import age, ahead, moment, noun, safe, size, tail

UNDOABLE_WORDS = "can be undone"


def rows(kept: Retention, standing: frozenset[str], now: datetime) -> tuple[ListRow, ...]:
    """Lists problems, held files by removal, and displaced contents by size; `standing` operations can be undone."""
    shown = [
        ListRow((mark(problem), Span(f"{safe(problem.where)}: {safe(problem.what)}"))) for problem in kept.problems
    ]
    shown += [_held_row(file, now) for file in kept.held]
    return (*shown, *(_displaced_row(item, item.operation in standing) for item in kept.displaced))


def _held_row(file: HeldFile, now: datetime) -> ListRow:
    until = "now" if file.over else ahead(file.until, now)
    held = size(file.size) if file.size is not None else "gone"
    name: Line = (Span("◐ held   ", "info"), Span(tail(file.path)))
    return ListRow(name, (Span(held),), (Span(f"  may go {until}", "muted"),))


def _displaced_row(item: KeptBytes, lets_undo: bool) -> ListRow:
    name = tail(item.path) if item.path else item.sha256[:12]
    sign = Span("● before ", "ok") if lets_undo else Span("○ before ", "muted")
    serves: Line = (Span(f"  undo of {safe(item.operation)}", "muted"),) if lets_undo else ()
    return ListRow((sign, Span(safe(name))), (Span(size(item.size)),), serves)


def foot(kept: Retention | None) -> Line:
    """Explains the signs below the list, and how long held files are kept."""
    if kept is None or not (kept.held or kept.displaced):
        return ()
    held: Line = (Span("◐", "info"), Span(f" {kept.hold_hours} h  ", "muted")) if kept.held else ()
    return (*held, Span("●", "ok"), Span(" undo  ", "muted"), Span("○ older: for good", "muted"))


def title(kept: Retention | None, standing: frozenset[str] = frozenset()) -> Line:
    """Returns `Kept 14 KiB · 3 operations can be undone`."""
    name: Line = (Span("Kept", "title"),)
    if kept is None:
        return name
    named: Line = (*name, Span(f" {size(kept.displaced_bytes + kept.held_bytes)}", "muted"))
    return (*named, Span(f" · undo of {noun(len(standing), 'operation')}", "muted")) if standing else named


def detail(kept: Retention, standing: frozenset[str], index: int) -> tuple[str, tuple[Line, ...]]:
    """Returns the title and the full text of one row."""
    if index < len(kept.problems):
        problem = kept.problems[index]
        return safe(problem.where), ((mark(problem), Span(safe(problem.what))), (), (Span(safe(problem.fix)),))
    index -= len(kept.problems)
    if index < len(kept.held):
        return _held_detail(kept.held[index], kept.hold_hours)
    return _displaced_detail(kept.displaced[index - len(kept.held)], standing)


def _held_detail(file: HeldFile, hours: int) -> tuple[str, tuple[Line, ...]]:
    why = f"The file itself, for {hours} hours at least: a program that still has it open writes into it."
    return "Held file", (
        (Span(safe(file.path), "strong"),),
        (),
        (Span(why),),
        (),
        fact("since", Span(safe(file.operation))),
        fact("until", Span(f"{file.until:%Y-%m-%d %H:%M} UTC")),
        fact("lies in", Span(safe(file.place))),
    )


def _displaced_detail(item: KeptBytes, standing: frozenset[str]) -> tuple[str, tuple[Line, ...]]:
    lets = item.operation in standing
    undo = f"{safe(item.operation)} {UNDOABLE_WORDS}" if lets else "no operation that can be undone now needs it"
    return "Kept from before", (
        (Span(safe(item.path) or "no operation names it", "strong"),),
        (),
        (Span("What the file held before, kept for good so that it can be restored."),),
        (),
        fact("replaced", Span(f"by {safe(item.operation)}" if item.operation else "—")),
        fact(
            "undo",
            Span(f"{glyphs.PASSED.glyph if lets else glyphs.QUIET.glyph} ", "ok" if lets else "muted"),
            Span(undo),
        ),
        fact("size", Span(size(item.size))),
        (Span("sha256", "muted"),),
        (Span(safe(item.sha256)),),
    )


_NO_TAG = "No tag yet: memdeck tag milestone NAME makes one; days, weeks and plans of risk tier C get theirs."
_NO_BRANCH = "None: memdeck explore NAME begins one, in a folder of its own."
_END = "memdeck plan branches ends those older than a week, and leaves a tag of each."


def tag_lines(tags: Sequence[MemoryTag], explorations: Sequence[Exploration], now: datetime) -> tuple[Line, ...]:
    """Lists explorations, the oldest first, then tags, the newest first."""
    return tuple(_lines(tags, explorations, now))


def _lines(tags: Sequence[MemoryTag], explorations: Sequence[Exploration], now: datetime) -> Iterator[Line]:
    yield (Span("Explorations and replays", "strong"),)
    for branch in explorations:
        old = branch.is_old(now)
        since = f"  {age(branch.begun, now)}{', older than a week' if old else ''}"
        yield (
            Span(safe(branch.branch)),
            Span(since, "warn" if old else "muted"),
            Span(f"  {branch.commit[:12]}", "muted"),
        )
        yield (Span(f"  {safe(branch.folder) or 'no folder'}", "muted"),)
    yield (Span(_END if explorations else _NO_BRANCH, "muted"),)
    yield ()
    yield (Span(noun(len(tags), "tag").capitalize() if tags else "Tags", "strong"),)
    for tag in tags:
        yield (Span(safe(tag.name)), Span(f"  {tag.commit[:12]}  {moment(tag.at)}", "muted"))
    if not tags:
        yield (Span(_NO_TAG, "muted"),)
