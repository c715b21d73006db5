"""Makes the lists beside the tree: topics as a sortable table, nodes with a problem, and nodes fixed by a day."""

from collections.abc import Callable, Sequence
from datetime import date
from enum import StrEnum

from engine.text.safe_text import in_column
from engine.tree.browse.browser import Todo, TopicRow
from engine.tree.levels import Freshness
from tui.present.glyphs import DAMAGED, FIXED, FORGED, MISSING, ORPHAN, STALE, STALE_FIXED, WAITS, Sign
from tui.present.spans import LazyRows, Line, ListRow, Role, Span
from tui.present.words import count, noun, safe, tail


class TopicOrder(StrEnum):
    """The column that sorts the topics; the key `s` steps through them in this order."""

    AGE = "age"
    NAME = "name"
    TYPE = "type"


_KEYS: dict[TopicOrder, Callable[[TopicRow], tuple[int, str] | tuple[str, int, str]]] = {
    TopicOrder.AGE: lambda row: (row.age, row.name.casefold()),
    TopicOrder.NAME: lambda row: (row.name.casefold(), row.age, ""),
    TopicOrder.TYPE: lambda row: (row.type, row.age, row.name.casefold()),
}

_TYPE_ROLES: dict[str, Role] = {"user": "ok", "feedback": "ok", "reference": "info", "project": "text"}
_TYPE_WIDTH, _AGE_WIDTH, _NODE_WIDTH = 10, 6, 18  # cells of a topic's type, of its age in days, and of a node's name


def ordered(rows: Sequence[TopicRow], order: TopicOrder, *, backwards: bool) -> tuple[TopicRow, ...]:
    """Sorts the topics by one column, equal ones by age and name."""
    return tuple(sorted(rows, key=_KEYS[order], reverse=backwards))


class TopicAgeRows(LazyRows[TopicRow]):
    """Shows `auth project 2 d 2026-03-15`, and what the age means."""

    def made(self, row: TopicRow) -> ListRow:
        kind = Span(f"{safe(row.type):<{_TYPE_WIDTH}}", _TYPE_ROLES.get(row.type, "warn"))
        age = Span(f"{row.age:>{_AGE_WIDTH - 2},} d  {row.last}", "muted")
        return ListRow((Span(safe(row.name)), *mark(row)), (kind, age))


def mark(row: TopicRow) -> Line:
    """Marks a reference that needs verifying, or an old project that leaves the index first."""
    if row.doubtful:
        return (Span(" ? verify", "warn"),)
    return (Span(" · old", "muted"),) if row.old else ()


def topics_title(total: int, order: TopicOrder, *, backwards: bool) -> Line:
    """Returns `Topic index ⟨312⟩ by age ↑`."""
    return (
        Span("Topic index", "title"),
        Span(f" ⟨{count(total)}⟩", "muted"),
        Span(f" by {order.value} {'↓' if backwards else '↑'}", "accent"),
    )


# ── what wants doing ───────────────────────────────────────────────────────────────────────────────────────────────

_SIGNS: dict[Freshness, Sign] = {
    Freshness.DAMAGED: DAMAGED,
    Freshness.FORGED: FORGED,
    Freshness.STALE_FIXED: STALE_FIXED,
    Freshness.STALE: STALE,
    Freshness.MISSING: MISSING,
    Freshness.ORPHAN: ORPHAN,
}
"""Signs of what can be wrong with a node, the gravest first."""


def todo_order(todo: Sequence[Todo]) -> tuple[Todo, ...]:
    """Sorts damaged nodes first, then stale, then missing ones; the newest of each first."""
    weights = {freshness: weight for weight, freshness in enumerate(_SIGNS)}
    newest = sorted(todo, key=lambda item: item.path, reverse=True)
    return tuple(sorted(newest, key=lambda item: weights.get(item.freshness, len(weights))))


class TodoRows(LazyRows[Todo]):
    """Shows `! stale daily/2026-03-14 its sources changed d plans it`."""

    def made(self, item: Todo) -> ListRow:
        freshness_sign = _SIGNS.get(item.freshness, WAITS)
        left: Line = (
            freshness_sign.mark,
            Span(f" {in_column(tail(item.path).removesuffix('.md'), _NODE_WIDTH)}", "strong"),
            Span(f" {freshness_sign.word}", freshness_sign.role),
        )
        why = safe(item.what).removeprefix("fixed, and ")  # the sign says so already
        return ListRow(left, (), (Span(f" · {why}", "muted"),))


def todo_lines(item: Todo) -> tuple[Line, ...]:
    """Says what is wrong with a node, and what to do, as keys and as a command."""
    freshness_sign = _SIGNS.get(item.freshness, WAITS)
    said: Line = (Span(f"{freshness_sign.glyph} {freshness_sign.word}: ", freshness_sign.role), Span(safe(item.what)))
    if not item.do.startswith(_PLAN) and item.freshness is not Freshness.DAMAGED:
        return said, (Span(safe(item.do), "muted"),)
    return said, *(_way(*way) for way in _ways(item))


_PLAN = "memdeck plan tree"
_WORDS_WIDTH = 25  # cells of what a key does, before its command


def _ways(item: Todo) -> tuple[tuple[str, str, str], ...]:
    anew = ("o", "rebuilds (risk tier C)", f"{_PLAN} --reopen {period_of(item.path)}")
    match item.freshness:
        case Freshness.STALE_FIXED:
            return ("d", "adds a supplement", _PLAN), anew
        case Freshness.DAMAGED:
            return ("v", "shows the change", ""), anew
        case Freshness.FORGED:
            return anew, ("T", "takes it as it is", f"{_PLAN} --take {period_of(item.path)}")
        case _:
            return ("d", "dry run, next cycle", _PLAN), ("D", "dry run, all that waits", f"{_PLAN} --drain")


def _way(key: str, words: str, command: str) -> Line:
    return (Span(key, "key"), Span(f"  {words:<{_WORDS_WIDTH}}"), Span(safe(command), "muted"))


def period_of(path: str) -> str:
    """Returns the name of a node in commands: `2026-03-15`, `2026-W11`, `2026-03`, `ROOT`."""
    return path.rpartition("/")[2].removesuffix(".md")


class AheadRows(LazyRows[str]):
    """Shows the paths of the nodes that a given day would fix."""

    def made(self, path: str) -> ListRow:
        name = tail(path).removesuffix(".md")
        return ListRow((FIXED.mark, Span(f" {in_column(name, _NODE_WIDTH)}", "strong"), Span(" would be fixed", "ok")))


def ahead_title(day: date, today: date, number: int | None) -> Line:
    """Returns `Fixed by 2026-03-16 (tomorrow) ⟨3⟩`."""
    days = (day - today).days
    when = "today" if days == 0 else "tomorrow" if days == 1 else f"in {noun(days, 'day')}"
    many: Line = (Span(f" ⟨{count(number)}⟩", "muted"),) if number is not None else (Span(" …", "muted"),)
    return (Span(f"Fixed by {day}", "title"), Span(f" ({when})", "accent"), *many)
