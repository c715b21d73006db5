"""The lines around the screens: header with places and badges, hints, progress."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.views import Status
from engine.workspace.values import Progress
from tui.places import PLACES, Place
from tui.viewmodels.spans import Line, Row, Span, join
from tui.viewmodels.wording import count, safe

_BRIEF = 78
"""Cells below which the badges leave out what the screens say as well."""


class Badges(NamedTuple):
    """What the header says besides names: plans waiting, read-only, a what-if clock, whether changes are followed."""

    waiting: int = 0
    read_only: bool = False
    what_if: str = ""


def header(workspace: str, here: str, badges: Badges, width: int = 1000, places: Sequence[Place] = PLACES) -> Row:
    """` memdeck  ~/agents/silas   1 Overview  2 Approvals ⟨3⟩`, in as many words as fit into `width`."""
    marks = _marks(badges, brief=width < _BRIEF)
    room = width - _width(marks) - (1 if marks else 0)
    name = Span("memdeck", "accent")
    names = _names(places, {}, here, badges.waiting, "  ")
    for front in ((name, Span(f"  {workspace}    ", "muted")), (name, Span("  "))):
        if _width(front) + _width(names) <= room:
            return Row((*front, *names), marks)
    return Row(_narrow(places, here, badges.waiting, room), marks)


def _narrow(places: Sequence[Place], here: str, waiting: int, room: int) -> Line:
    """Names alone; the longest give way first, to short ones and then to bare keys, the current one never."""
    shown: dict[str, str] = {}
    names = _names(places, shown, here, waiting, " ")
    others = sorted((place for place in reversed(places) if place.id != here), key=lambda place: -len(place.title))
    for place, title in [*((place, place.short) for place in others), *((place, "") for place in others)]:
        if _width(names) <= room:
            break
        shown[place.id] = title
        names = _names(places, shown, here, waiting, " ")
    return names


def _names(places: Sequence[Place], titles: Mapping[str, str], here: str, waiting: int, gap: str) -> Line:
    names: list[Line] = []
    for place in places:
        title = titles.get(place.id, place.title)
        text: Line = (Span(place.key, "key"), *((Span(f" {title}", "muted"),) if title else ()))
        if place.id == here:
            text = (Span(f" {place.key} {title} ", "here"),)
        badge: Line = (Span(f"⟨{count(waiting)}⟩", "accent"),) if place.id == "approvals" and waiting else ()
        apart = badge and gap != " " and place.id != here
        names.append((*text, *((Span(" "),) if apart else ()), *badge))
    if gap != " ":
        return join(names, Span(gap))
    # The current name stands in a box with room of its own.
    boxed = [place.id == here for place in places]
    spaced = [(*name, Span(" ")) if not (boxed[n] or boxed[n + 1]) else name for n, name in enumerate(names[:-1])]
    return tuple(span for name in (*spaced, names[-1]) for span in name)


def _marks(badges: Badges, *, brief: bool) -> Line:
    marks: list[Line] = []
    if badges.what_if:
        marks.append((Span(" WHAT-IF " if brief else f" WHAT-IF {safe(badges.what_if)} ", "readonly"),))
    if badges.read_only:
        marks.append((Span(" READ-ONLY ", "readonly"),))
    return join(marks, Span(" "))


def _width(line: Line) -> int:
    return sum(len(span.text) for span in line)


def place_at(row: Row, column: int) -> str | None:
    """The id of the place whose name stands at a column of the header."""
    keys = {place.key: place.id for place in PLACES}
    found, at = None, 0
    for span in row.left:
        if span.role in ("key", "here"):
            found = keys.get(span.text.split()[0])
        elif not span.text.strip():
            found = None
        at += len(span.text)
        if column < at:
            return found
    return None


class Hint(NamedTuple):
    """A key and what it does now; `why_not` says why it can't."""

    key: str
    label: str
    why_not: str = ""


def hints(keys: Sequence[Hint], facts: Line, width: int) -> Row:
    """As many hints as fit, `? keys` always; facts at the right where there is room left."""
    ever, rest = [hint for hint in keys if hint.key == "?"], [hint for hint in keys if hint.key != "?"]
    room = width - sum(len(hint.key) + len(hint.label) + 4 for hint in ever)
    shown: list[Hint] = []
    for hint in rest:
        room -= len(hint.key) + len(hint.label) + 4
        if room < 0:
            break
        shown.append(hint)
    left = join([_hint(hint) for hint in (*shown, *ever)], Span("   "))
    taken = sum(len(span.text) for span in left)
    fits = taken + sum(len(span.text) for span in facts) + 3 <= width
    return Row(left, facts if fits else ())


def _hint(hint: Hint) -> Line:
    if hint.why_not:
        return (Span(hint.key, "muted"), Span(f" {hint.label}", "rule"))
    return (Span(hint.key, "key"), Span(f" {hint.label}", "muted"))


def progress(title: str, step: Progress, cancelling: bool, cancellable: bool = True) -> Row:
    """`dry run  summarising 34/120 ▕████    ▏   esc cancel`."""
    of = f" {count(step.done)}/{count(step.total)}" if step.total else (f" {count(step.done)}" if step.done else "")
    left: Line = (Span("◐ ", "info"), Span(safe(title), "strong"), Span(f"  {safe(step.stage)}{of}  ", "text"))
    if step.total:
        left += _bar(step)
    if cancelling:
        return Row(left, (Span("stopping…", "warn"),))
    return Row(left, (Span("esc", "key"), Span(" cancel", "muted")) if cancellable else ())


def _bar(step: Progress) -> Line:
    share = min(1.0, step.done / step.total) if step.total else 0.0
    full = round(share * 24)
    return (
        Span("▕", "rule"),
        Span("█" * full, "bar_ok"),
        Span(" " * (24 - full), "bar_empty"),
        Span(f"▏ {share:.0%}", "muted"),
    )


_KEY_NAMES = {
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "plus": "+",
    "escape": "esc",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "right_curly_bracket": "}",
    "left_curly_bracket": "{",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


def key_name(key: str) -> str:
    """A key as it is printed on a key cap."""
    return _KEY_NAMES.get(key, key)


def facts(status: Status | None) -> Line:
    """How numbers are counted and what is at hand: `o200k_base · git ✓ · offline model`."""
    if status is None:
        return (Span("reading…", "muted"),)
    git = Span("git ✓", "ok") if status.git else Span("no git", "muted")
    return (Span(f"{safe(status.tokenizer)} · ", "muted"), git, Span(" · offline model", "muted"))
