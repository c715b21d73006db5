"""Draws the ladder of a line: semantic memory on top, its raw log at the bottom, the text at each rung."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.services.line_life import LifeRung, LineLife, RungLink
from tui.present.source_lines import named
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import safe, words_of

LEVELS: dict[str, str] = words_of("levels")  # the levels from the top down, in a word each
_RUNGS = words_of("rungs", RungLink)  # the sign of a rung, its role and what it says
_LEVEL_CELLS = 10  # cells of a level's name


class LadderRow(NamedTuple):
    """A row of the ladder: its rung, its line in the file (from 1), and its text."""

    rung: LifeRung
    number: int
    row: ListRow


def ladder_rows(life: LineLife) -> tuple[LadderRow, ...]:
    """Makes the ladder from the top down, with a blank rail between rungs."""
    rungs = tuple(reversed(life.rungs))
    rows: list[LadderRow] = []
    for at, rung in enumerate(rungs):
        last = at == len(rungs) - 1
        rows += _rows(rung, last=last)
        if not last:
            rows.append(LadderRow(rung, _first(rung), ListRow((Span("   │", "rule"),))))
    return tuple(rows)


def _rows(rung: LifeRung, *, last: bool) -> list[LadderRow]:
    sign, role, about = _RUNGS[rung.link]
    where = named(rung.span) if rung.span is not None else safe(rung.path)
    name = Span(f"{LEVELS[rung.level]:<{_LEVEL_CELLS}}", "title")
    head = ListRow((Span(f"   {sign} ", role), name, Span(where, "muted")), (Span(about, role),))
    rail = Span("     " if last else "   │ ", "rule")
    strong: Role = "strong" if rung.link is RungLink.ASKED else "text"
    texts = [
        LadderRow(rung, line.number, ListRow((rail, Span(" " * _LEVEL_CELLS), Span(safe(line.text.strip()), strong))))
        for line in rung.lines
    ]
    return [LadderRow(rung, _first(rung), head), *texts]


def _first(rung: LifeRung) -> int:
    return rung.lines[0].number if rung.lines else 1


def asked_row(rows: Sequence[LadderRow]) -> int:
    """Returns the index of the row that the operator asked about."""
    return next((at for at, row in enumerate(rows) if row.rung.link is RungLink.ASKED), 0)


def row_of(rows: Sequence[LadderRow], rung: LifeRung) -> int:
    """Returns the index of the first row of a rung."""
    return next((at for at, row in enumerate(rows) if row.rung == rung), 0)


def title(life: LineLife) -> Line:
    return (Span("Life of ", "muted"), Span(named(life.asked), "title"))
