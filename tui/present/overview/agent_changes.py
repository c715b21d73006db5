"""Shows the agent's changes since the operator last looked: a row for each note, with lines added and removed."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from engine.monitoring.agent_changes import AgentAction, AgentChange, SinceLook
from engine.plans.diff import FileDiff
from tui.present import glyphs
from tui.present.diff import fact
from tui.present.flags import file_flags, flag_line, flags_title
from tui.present.glyphs import FLAGGED
from tui.present.spans import LazyRows, Line, ListRow, Role, Span
from tui.present.words import ago, clock, count, file_name, noun, safe, shortened, size, tail

SIGNS: dict[AgentAction, glyphs.Sign] = {
    AgentAction.ADDED: glyphs.NEW,
    AgentAction.CHANGED: glyphs.CHANGED,
    AgentAction.REMOVED: glyphs.REMOVED,
}
Key = tuple[str, str | None, str | None]  # a change by its path and the hashes on both sides
_NAME = 26  # characters of a name with its folder, where another has the same name


class LineFigures(NamedTuple):
    """Lines that a change added and removed; both None if they are unknown."""

    added: int | None
    removed: int | None


def key_of(change: AgentChange) -> Key:
    return change.path, change.before, change.after


def figures_of(diff: FileDiff) -> LineFigures:
    """Counts the changed lines of a diff; unknown for a diff without rows, such as a binary file."""
    return LineFigures(diff.added, diff.removed) if diff.rows or not diff.note else LineFigures(None, None)


class AgentChangeRows(LazyRows[AgentChange]):
    """Makes the rows of changes when they come into view."""

    def __init__(self, since: SinceLook | None, figures: Mapping[Key, LineFigures]) -> None:
        super().__init__(since.changes if since else ())
        self._figures = figures
        self._many = Counter(file_name(change.path) for change in self.items)
        self._flags = Counter(flag.path for flag in since.flags.flags) if since else Counter[str]()

    def made(self, change: AgentChange) -> ListRow:
        sign = SIGNS[change.did]
        folder, _, name = tail(change.path).rpartition("/")
        if folder and self._many[name] > 1:  # what tells it apart must not go where there is little room
            folder, name = "", shortened(tail(change.path), _NAME)
        left: Line = (Span(f"{sign.glyph} ", sign.role), Span(f"{sign.word:<8} ", sign.role), Span(name))
        where: Line = (Span(f"  {folder}", "muted"),) if folder else ()
        where += (Span("  before an operation of ours", "muted"),) if change.later else ()
        if flagged := self._flags[change.path]:
            left += (Span(f"  {FLAGGED.glyph} {count(flagged)}", FLAGGED.role),)
        return ListRow(left, _right(change, self._figures.get(key_of(change))), where)


def _right(change: AgentChange, figures: LineFigures | None) -> Line:
    if figures is None or figures.added is None or figures.removed is None:
        grown = change.size_after - change.size_before
        return (Span(f"{'+' if grown >= 0 else '−'}{size(abs(grown))}", "muted"),)
    added, removed = (f"{sign}{count(lines)}" if lines else "" for sign, lines in zip("+−", figures, strict=True))
    if not removed:
        return (Span(added or "±0", "ok" if added else "muted"),)
    return (Span(added, "ok"), Span(f" {removed}", "blocked"))


def title(since: SinceLook | None, figures: Mapping[Key, LineFigures], now: datetime, *, page: bool = False) -> Line:
    """Returns `Agent changes since Thu 18:40 ⟨4⟩ +61 −3`; on a `page` of its own it begins with the screen's name."""
    name: Line = (*((Span("Overview › ", "muted"),) if page else ()), Span("Agent changes", "title"))
    if since is None:
        return name
    flagged = flags_title(since.flags)
    if since.looked_at is None:
        return (*name, *flagged)
    name += (Span(f" since {clock(since.looked_at, now)}", "muted"), *flagged)
    if not since.changes:
        return name
    many = Span(f" ⟨{count(len(since.changes))}⟩", "accent")
    if page:
        return (*name, many)
    known = [figures[key_of(change)] for change in since.changes if key_of(change) in figures]
    added, removed = (sum(figure[side] or 0 for figure in known) for side in (0, 1))
    return (*name, many, *_lines("+", added, "ok"), *_lines("−", removed, "blocked"))


def _lines(sign: str, lines: int, role: Role) -> Line:
    return (Span(f" {sign}{count(lines)}", role),) if lines else ()


def empty(since: SinceLook | None, now: datetime, *, read_only: bool) -> tuple[Line, ...]:
    """Says why the list has no changes."""
    if since is None:
        return ((Span("comparing…", "muted"),),)
    if since.looked_at is None:
        how: Line = (Span("m", "key"), Span(" marks what is there now as seen", "muted"))
        if read_only:
            how = (Span("without --read-only ", "muted"), *how)
        return (
            *map(flag_line, since.flags.flags),
            (Span("○ ", "info"), Span("nothing to compare with yet", "strong")),
            how,
            (Span("later changes of the agent are listed here", "muted"),),
        )
    looked = f"  you looked {ago(since.looked_at, now)}"
    nothing: Line = (Span("✓ ", "ok"), Span("the agent changed nothing", "text"), Span(looked, "muted"))
    return (*map(flag_line, since.flags.flags), nothing)


def foot(since: SinceLook | None) -> Line:
    """Names the keys of the pane; empty without changes."""
    if since is None or not since.changes:
        return ()
    return (Span("enter", "key"), Span(" diffs  ", "muted"), Span("m", "key"), Span(" mark as seen", "muted"))


def flags_of(since: SinceLook | None, diff: FileDiff) -> Mapping[int, str]:
    """Maps line numbers of a changed note, as it is now, to the rules that the lines break."""
    return file_flags(since.flags.of(diff.path)) if since is not None else {}


def diff_title(change: AgentChange, diff: FileDiff | None, index: int, total: int) -> Line:
    """Returns `3/24  changed memory/working/x.md  +12 −3`."""
    sign = SIGNS[change.did]
    named: Line = (
        Span(f"{index + 1}/{total}  ", "muted"),
        Span(f"{sign.word} ", sign.role),
        Span(safe(change.path), "title"),
    )
    if diff is None:
        return named
    return (*named, *_lines("+", diff.added, "ok"), *_lines("−", diff.removed, "blocked"))


def preface(change: AgentChange, diff: FileDiff) -> tuple[Line, ...]:
    """Makes the lines above a diff: why rows may be missing, and that a later operation changed the note."""
    note = (fact("note", Span(safe(diff.note), "info")),) if diff.note else ()
    words = Span("an operation of ours came after: the note looks otherwise now", "warn")
    return (*note, fact("later", words)) if change.later else note


def said(since: SinceLook) -> str:
    """Returns `the agent changed 4 files`; empty if there are no changes."""
    if not since.changes:
        return ""
    return f"the agent changed {noun(len({change.path for change in since.changes}), 'file')}"
