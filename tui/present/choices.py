"""Lists choices: filters them by typed words, and shows them as rows in columns."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.text.safe_text import cell_width
from tui.present.spans import LazyRows, Line, ListRow, Span

_LONGEST_NAME = 44  # cells of a name up to which all of them make a column
_APART = 2  # cells between two columns


class Choice(NamedTuple):
    """A choice: its name, what it does, its key, and the value it returns."""

    name: str
    about: str = ""
    key: str = ""
    value: str = ""
    section: str = ""


def found(choices: tuple[Choice, ...], text: str) -> tuple[Choice, ...]:
    """Returns the choices that contain every word of `text`; those whose name begins with `text` come first."""
    words = text.casefold().split()
    hits = [
        choice
        for choice in choices
        if all(word in f"{choice.key} {choice.name} {choice.about}".casefold() for word in words)
    ]
    return (
        tuple(sorted(hits, key=lambda choice: not choice.name.casefold().startswith(text.casefold())))
        if words
        else choices
    )


def under_headings(choices: Sequence[Choice]) -> tuple[Choice | str, ...]:
    """Lists the choices in order, with the name of each section before its first choice."""
    rows: list[Choice | str] = []
    before = ""
    for choice in choices:
        if choice.section != before:
            rows.append(before := choice.section)
        rows.append(choice)
    return tuple(rows)


class ChoiceRows(LazyRows[Choice | str]):
    """Shows each choice in a row of `room` cells: key, name, description, and its section unless that is a heading."""

    def __init__(self, rows: Sequence[Choice | str], key_cells: int, room: Callable[[], int]) -> None:
        super().__init__(rows)
        self._key_cells, self._room = key_cells, room
        self._headed = any(isinstance(row, str) for row in rows)
        self._columns: dict[str, int] = {}
        for row in rows:
            if isinstance(row, Choice) and row.about:
                part = self._part(row)
                self._columns[part] = min(max(self._columns.get(part, 0), cell_width(row.name)), _LONGEST_NAME)

    def made(self, choice: Choice | str) -> ListRow:
        if isinstance(choice, str):
            return ListRow((Span(choice, "accent"),))
        key: Line = (Span(f"{choice.key:>{self._key_cells}}  ", "key"),) if self._key_cells else ()
        section = "" if self._headed else choice.section
        name, column = cell_width(choice.name), self._columns.get(self._part(choice), 0)
        left = self._room() - (self._key_cells + _APART if key else 0) - (len(section) + 1 if section else 0)
        start = max(name, min(column, left - _APART - cell_width(choice.about)))
        about = Span(" " * (start - name + _APART) + choice.about if choice.about else "", "muted")
        return ListRow((*key, Span(choice.name, "text"), about), (Span(section, "muted"),) if section else ())

    def _part(self, choice: Choice) -> str:
        return choice.section if self._headed else ""
