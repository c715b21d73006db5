"""The lines around the screens: header with places and badges, hints, progress."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.views import Status
from engine.workspace.values import Progress
from tui.viewmodels.spans import Line, Row, Span, join
from tui.viewmodels.wording import count, safe


class Place(NamedTuple):
    """A screen: the key that goes there, its id and its title."""

    key: str
    id: str
    title: str


PLACES = (
    Place("1", "overview", "Overview"),
    Place("2", "approvals", "Approvals"),
    Place("7", "history", "History"),
)


class Badges(NamedTuple):
    """What the header says besides names: plans waiting, read-only, a what-if clock, whether changes are followed."""

    waiting: int = 0
    read_only: bool = False
    what_if: str = ""


def header(workspace: str, here: str, badges: Badges, width: int = 1000) -> Row:
    """` memdeck  ~/agents/silas   1 Overview  2 Approvals ⟨3⟩`."""
    names: list[Line] = []
    for place in PLACES:
        on = place.id == here
        badge = badges.waiting if place.id == "approvals" else 0
        text: Line = (Span(f" {place.key} ", "key"), Span(f"{place.title} ", "muted"))
        if on:
            text = (Span(f" {place.key} {place.title} ", "here"),)
        names.append((*text, Span(f"⟨{count(badge)}⟩", "accent")) if badge else text)
    right: list[Line] = []
    if badges.what_if:
        right.append((Span(f" WHAT-IF {safe(badges.what_if)} ", "readonly"),))
    if badges.read_only:
        right.append((Span(" READ-ONLY ", "readonly"),))
    places, marks = join(names, Span("  ")), join(right, Span(" "))
    name = Span("memdeck", "accent")
    room = width - sum(len(span.text) for span in (name, *places, *marks)) - 1
    where = f"  {workspace}    "
    between = Span(where if len(where) <= room else "  ", "muted")
    return Row((name, between, *places), marks)


def place_at(row: Row, column: int) -> str | None:
    """The id of the place whose name stands at a column of the header."""
    text = "".join(span.text for span in row.left)
    for place in PLACES:
        start = text.find(f"{place.key} {place.title}")
        if start <= column < start + len(place.title) + 2:
            return place.id
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
