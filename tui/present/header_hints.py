"""Makes the lines around the screens: header with screens and badges, key hints, progress."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from engine.plans.memory_status import Status
from engine.text.safe_text import cell_width
from engine.workspace.values import Progress
from tui.present.spans import Line, ListRow, Span, join
from tui.present.words import count, percent, safe, shortened
from tui.registry.screens import PLACES, ScreenEntry

_BRIEF = 78  # cells below which the badges leave out what the screens say as well
_BRIEF_BOTH = 100  # the same where there are two of them


def too_small(has: tuple[int, int], needs: tuple[int, int]) -> str:
    """Says that the terminal has too few columns or lines."""
    sizes = [f"{columns}×{lines}" for columns, lines in (has, needs)]
    return f"This terminal is {sizes[0]}, and memdeck needs {sizes[1]}. Make it larger, or use `memdeck status`."


class Badges(NamedTuple):
    """Facts in the header: waiting plans, new ones among them, read-only, a what-if clock."""

    waiting: int = 0
    read_only: bool = False
    what_if: str = ""
    new: int = 0

    @property
    def queue(self) -> Line:
        """`⟨4⟩`, with `+1` while one of the plans was not viewed; empty without plans."""
        new: Line = (Span(f"+{count(self.new)}", "warn"),) if self.new else ()
        return (Span(f"⟨{count(self.waiting)}⟩", "accent"), *new) if self.waiting else ()


def header(
    workspace: str, here: str, badges: Badges, width: int = 1000, places: Sequence[ScreenEntry] = PLACES
) -> ListRow:
    """Makes ` memdeck ~/agents/silas 1 Overview 2 Approvals ⟨3⟩`, shortened to fit into `width`."""
    both = badges.read_only and bool(badges.what_if)
    brief = width < (_BRIEF_BOTH if both else _BRIEF)
    marks = _marks(badges, brief=brief)
    room = width - _width(marks) - (1 if marks and not (both and brief) else 0)
    name = Span("memdeck", "accent")
    names = _names(places, {}, here, badges.queue, "  ")
    fronts: tuple[Line, ...] = (
        (name, Span(f"  {workspace}    " if workspace else "   ", "muted")),
        (name, Span("  ")),
        (),
    )
    for front in fronts:
        if _width(front) + _width(names) <= room:
            return ListRow((*front, *names), marks)
    return ListRow(_narrow(places, here, badges.queue, room), marks)


_SHORTER: tuple[Callable[[ScreenEntry], str], ...] = (
    lambda place: place.short,
    lambda place: place.title[:3],
    lambda place: "",
)
"""Names of a screen from long to short: the short name, three letters, nothing beside the key."""


def _narrow(places: Sequence[ScreenEntry], here: str, queue: Line, room: int) -> Line:
    """Lists the screens in `room` cells: the longest names shrink first, to bare keys at last, the current never."""
    shown: dict[str, str] = {}
    names = _names(places, shown, here, queue, " ")
    others = sorted((place for place in reversed(places) if place.id != here), key=lambda place: -len(place.title))
    for shorter, place in product(_SHORTER, others):
        if _width(names) <= room:
            break
        shown[place.id] = shorter(place)
        names = _names(places, shown, here, queue, " ")
    return names


def _names(places: Sequence[ScreenEntry], titles: Mapping[str, str], here: str, queue: Line, gap: str) -> Line:
    names: list[Line] = []
    for place in places:
        title = titles.get(place.id, place.title)
        text: Line = (Span(place.key, "key"), *((Span(f" {title}", "muted"),) if title else ()))
        if place.id == here:
            text = (Span(f" {place.key} {title} ", "here"),)
        badge = queue if place.id == "approvals" else ()
        apart = badge and gap != " " and place.id != here
        names.append((*text, *((Span(" "),) if apart else ()), *badge))
    if gap != " ":
        return join(names, Span(gap))
    # The current name stands in a box with room of its own, unless its badge follows the box.
    boxed = [place.id == here for place in places]
    ends_boxed = [box and not (queue and place.id == "approvals") for box, place in zip(boxed, places, strict=True)]
    tight = [ends_boxed[n] or boxed[n + 1] for n in range(len(names) - 1)]
    spaced = [name if close else (*name, Span(" ")) for name, close in zip(names, tight, strict=False)]
    return tuple(span for name in (*spaced, names[-1]) for span in name)


def _marks(badges: Badges, *, brief: bool) -> Line:
    marks: list[Line] = []
    if brief and badges.what_if and badges.read_only:
        return (Span(" WHAT-IF READ-ONLY ", "readonly"),)
    if badges.what_if:
        marks.append((Span(" WHAT-IF " if brief else f" WHAT-IF {safe(badges.what_if)} ", "readonly"),))
    if badges.read_only:
        marks.append((Span(" READ-ONLY ", "readonly"),))
    return join(marks, Span(" "))


def _width(line: Line) -> int:
    return sum(len(span.text) for span in line)


def place_at(row: ListRow, column: int) -> str | None:
    """Returns the id of the screen named at a column of the header; None between names."""
    keys = {place.key: place.id for place in PLACES}
    named, at = None, 0
    for span in row.left:
        if span.role in ("key", "here"):
            named = keys.get(span.text.split()[0])
        elif not span.text.strip():
            named = None
        at += len(span.text)
        if column < at:
            return named
    return None


class Hint(NamedTuple):
    """A key and what it does now; `why_not` gives the reason if it cannot."""

    key: str
    label: str
    why_not: str = ""


def hints(groups: Sequence[Sequence[Hint]], width: int, right: Line = (), *, keep: Line = ()) -> ListRow:
    """Makes `enter Open │ d Dry run │ : Command ? Keys` with as many as fit, always with `? Keys`. `right` is shown if
    there is room, `keep` always, at the cost of hints."""
    if keep:
        return hints(groups, width - _width(keep) - _GAP)._replace(right=keep)
    room = width - sum(_cells(hint) for group in groups for hint in group if hint.key == "?") + _GAP
    shown: list[Line] = []
    for group in groups:
        fits: list[Line] = []
        for hint in group:
            room -= _cells(hint) if hint.key != "?" else 0
            if room >= 0 or hint.key == "?":
                fits.append(_hint(hint))
        shown.append(join(fits, Span("   ")))
    left = join(shown, Span(" │ ", "rule"))
    return ListRow(left, right if _width(left) + _width(right) + _GAP <= width else ())


def hint_at(row: ListRow, column: int) -> str | None:
    """Returns the key named at a column of the hints; None between hints."""
    key, at = None, 0
    for span in row.left:
        if span.text.strip() in ("", "│"):
            key = None
        elif key is None:
            key = span.text
        at += len(span.text)
        if column < at:
            return key
    return None


_GAP = 3  # cells between two hints, and between the left and the right part


def _cells(hint: Hint) -> int:
    return len(hint.key) + 1 + len(hint.label) + _GAP


def crumbs(trail: Sequence[str], right: Line, width: int) -> ListRow:
    """Makes `~/agents/silas › Approvals › p-20260315-0002`; for lack of room shortens the path, then omits parts."""
    beside = _cut_path(trail, width - _width(right) - _GAP)
    parts = beside if _long(beside) <= width - _width(right) - _GAP else _cut_path(trail, width)
    while len(parts) > 2 and _long(parts) > width:
        del parts[1 if len(parts) > 3 else 0]
    left = join([(Span(part, "text" if n else "muted"),) for n, part in enumerate(parts)], Span(" › ", "rule"))
    return ListRow(left, right if _width(left) + _width(right) + _GAP <= width else ())


_LEAST_PATH = 16  # cells to which the path of the folder is cut where the crumbs find no room


def _long(parts: Sequence[str]) -> int:
    return sum(map(cell_width, parts)) + _GAP * (len(parts) - 1)


def _cut_path(trail: Sequence[str], room: int) -> list[str]:
    """Shortens the first crumb, the path, until all fit or it reaches its shortest form."""
    over = _long(trail) - room
    if over <= 0 or len(trail) < 2:
        return list(trail)
    return [shortened(trail[0], max(_LEAST_PATH, len(trail[0]) - over)), *trail[1:]]


def _hint(hint: Hint) -> Line:
    if hint.why_not:
        return (Span(hint.key, "muted"), Span(f" {hint.label}", "rule"))
    return (Span(hint.key, "key"), Span(f" {hint.label}", "muted"))


def progress(title: str, step: Progress, cancelling: bool, rest: str = "") -> ListRow:
    """Makes `dry run summarising 34/120 28 % · 12/s · 7 s left ▕████ ▏ esc cancel`; `rest` is `Pace.rest`."""
    of = f" {count(step.done)}/{count(step.total)}" if step.total else (f" {count(step.done)}" if step.done else "")
    left: Line = (Span("◐ ", "info"), Span(safe(title), "strong"), Span(f"  {safe(step.stage)}{of}  ", "text"))
    share, bar = _share(step)
    stopping = cancelling and step.stoppable
    share += (Span(rest, "muted"),) if rest and not stopping else ()
    if cancelling:
        return ListRow((*left, *share), (Span("stopping…" if stopping else "too late to cancel", "warn"),), bar)
    return ListRow((*left, *share), (Span("esc", "key"), Span(" cancel", "muted")) if step.stoppable else (), bar)


def _share(step: Progress) -> tuple[Line, Line]:
    """Returns the share done as a percentage and as a bar; both empty without a total."""
    if not step.total:
        return (), ()
    share = step.share
    full = round(share * 24)
    bar = (Span(" ▕", "rule"), Span("█" * full, "bar_ok"), Span(" " * (24 - full), "bar_empty"), Span("▏", "rule"))
    return (Span(f"{percent(share):>5}", "muted"),), bar


def facts(status: Status | None, *, unread: bool = False) -> Line:
    """Returns `o200k_base · git ✓ · 1 shared · offline model`; `unread` if reading the workspace failed."""
    if status is None:
        return (Span("not read" if unread else "reading…", "muted"),)
    git = Span("git ✓", "ok") if status.git else Span("no git", "muted")
    shared = f" · {len(status.shared):,} shared" if status.shared else ""
    return (Span(f"{safe(status.tokenizer)} · ", "muted"), git, Span(f"{shared} · offline model", "muted"))
