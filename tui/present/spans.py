"""Defines what views are made of: lines of text spans, each with a role and never a colour."""

from collections.abc import Sequence
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar, get_args

from engine.errors import MemdeckError
from engine.text.safe_text import visible_line

TextRole = Literal["text", "strong", "muted", "rule", "title", "here", "accent", "key", "mark", "match", "hidden"]
StateRole = Literal["ok", "info", "warn", "risk", "blocked", "tier_a", "tier_b", "tier_c", "readonly"]
DiffRole = Literal["added", "added_word", "removed", "removed_word", "same", "gutter", "origin", "fold"]
MarkdownRole = Literal["md_heading", "md_mark", "md_code", "md_link", "md_meta"]
BarRole = Literal["bar_ok", "bar_warn", "bar_risk", "bar_blocked", "bar_empty"]
CurveRole = Literal["line_ok", "line_warn", "line_risk", "line_blocked", "line_empty"]
CursorRole = Literal["cursor", "cursor_blurred"]
Role = Literal[TextRole, StateRole, DiffRole, MarkdownRole, BarRole, CurveRole, CursorRole]
"""The roles of spans; a theme gives each one a style."""

ROLES: tuple[Role, ...] = get_args(Role)


class Span(NamedTuple):
    """A run of safe text in one role; a second role `over` changes the letters but not the background."""

    text: str
    role: Role = "text"
    over: Role | None = None


Line = tuple[Span, ...]


class ListRow(NamedTuple):
    """A row of a list: `left` is cut if it does not fit, `right` is kept whole, `extra` shows only if there is room."""

    left: Line
    right: Line = ()
    extra: Line = ()


class Rows(Protocol):
    """Makes rows when they come into view, so that a list of 100,000 costs nothing to show."""

    def __len__(self) -> int: ...

    def row(self, index: int) -> ListRow:
        """Returns the row at `index`, counted from 0."""
        ...


Item = TypeVar("Item")


class LazyRows(Generic[Item]):
    """Makes the row of each item when it comes into view."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = tuple(items)

    def __len__(self) -> int:
        return len(self.items)

    def row(self, index: int) -> ListRow:
        return self.made(self.items[index])

    def made(self, item: Item) -> ListRow:
        raise NotImplementedError


class ListRows(LazyRows[ListRow]):
    """Holds rows that are made already."""

    def __init__(self, rows: Sequence[ListRow] = ()) -> None:
        super().__init__(rows)

    def made(self, row: ListRow) -> ListRow:
        return row


NOTHING_SELECTED: tuple[Line, ...] = ((Span("Nothing selected.", "muted"),),)
"""The text of a detail pane while no row is selected."""


def plain(line: Line) -> str:
    """Returns the text of a line without its roles."""
    return "".join(span.text for span in line)


def error_lines(error: MemdeckError) -> tuple[Line, ...]:
    """Shows what could not be read, and why."""
    return ((Span(f"✗ {visible_line(error.title)}", "blocked"),), (Span(visible_line(error.line()), "muted"),))


def fitting(parts: Sequence[Line], between: Span, width: int) -> Line:
    """Joins parts in at most `width` cells; last parts are omitted whole, the first never."""
    kept = list(parts)
    while len(kept) > 1 and len(plain(join(kept, between))) > width:
        kept.pop()
    return join(kept, between)


def key_line(*keys: tuple[str, str]) -> Line:
    """Returns `x revert esc back`: keys and what they do, for the border of a pane."""
    return join([(Span(key, "key"), Span(f" {does}", "muted")) for key, does in keys], Span("  ", "muted"))


def hint(text: str, role: Role = "muted") -> Line:
    """Makes a line in which words between backticks are keys; only for texts of memdeck."""
    return tuple(Span(part, "key" if at % 2 else role) for at, part in enumerate(text.split("`")) if part)


def join(parts: list[Line], between: Span) -> Line:
    """Joins lines with `between` between them; empty ones are omitted."""
    joined: list[Span] = []
    for part in filter(None, parts):
        if joined:
            joined.append(between)
        joined.extend(part)
    return tuple(joined)
