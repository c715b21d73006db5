"""Prints the answers of commands: as text made safe piece by piece, coloured only on a terminal, or as JSON."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any

import click
import msgspec

from engine.errors import MemdeckError
from engine.text.safe_text import cell_width, visible_line

if TYPE_CHECKING:
    from tui.present.glyphs import Sign
    from tui.present.spans import Line, Role


@dataclass(frozen=True, slots=True)
class Styled:
    """A piece of a line in a colour of the terminal's palette."""

    text: str
    fg: str | None = None
    bold: bool = False
    dim: bool = False


Piece = str | Styled


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows in aligned columns; those with an index in `right` align to the right."""

    rows: Sequence[Sequence[Piece]]
    right: frozenset[int] = frozenset()
    indent: str = ""


def fields(value: object, names: str) -> dict[str, Any]:
    """Returns the named fields of a value as a dictionary, for JSON."""
    return {name: getattr(value, name) for name in names.split()}


Text = Iterable[Piece | Sequence[Piece] | TextTable]
"""The lines of a text, each of one or several pieces, and tables."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a command; a function as `json` is called only if JSON is wanted."""

    json: Any
    text: Text
    code: int = 0
    remarks: Sequence[str] = ()  # lines on stderr, before everything else
    text_remarks: Sequence[str] = ()  # lines on stderr behind the text, which the JSON says itself
    error: MemdeckError | None = None  # the failure that ends the command once it has answered
    live: bool = False  # true if each line is wanted as soon as it is made


class Printer:
    """Writes lines to a stream; every piece passes `visible_line`, so that no text of a workspace can act."""

    def __init__(self, stream: IO[str], *, color: bool) -> None:
        self.stream = stream
        self.color = color

    def render(self, *pieces: Piece) -> str:
        """Joins the pieces to one safe line without a newline."""
        return "".join(self._piece(piece) for piece in pieces)

    def line(self, *pieces: Piece) -> None:
        self.stream.write(self.render(*pieces) + "\n")

    def block(self, text: str) -> None:
        """Prints a text of several lines, each made safe."""
        self.show(text.split("\n"))

    def show(self, text: Text, *, live: bool = False) -> None:
        """Prints a text; with `live` each line as soon as it is made."""
        for row in text:
            match row:
                case TextTable(rows, right, indent):
                    self.table(rows, right=right, indent=indent)
                case str() | Styled():
                    self.line(row)
                case _:
                    self.line(*row)
            if live:
                self.stream.flush()

    def table(self, rows: Sequence[Sequence[Piece]], *, right: frozenset[int] = frozenset(), indent: str = "") -> None:
        """Prints rows in aligned columns; those with an index in `right` align to the right."""
        # Made safe before it is measured: a hidden character becomes a token that takes cells (decision G13).
        safe = [_without_empty_end([_safe(piece) for piece in row]) for row in rows]
        columns = max((len(row) for row in safe), default=0)
        widths = [max((cell_width(row[i].text) for row in safe if i < len(row)), default=0) for i in range(columns)]
        for row in safe:
            self.line(indent, *_aligned(row, widths, right))

    def _piece(self, piece: Piece) -> str:
        safe = _safe(piece)
        if not self.color or not (safe.fg or safe.bold or safe.dim):
            return safe.text
        return click.style(safe.text, fg=safe.fg, bold=safe.bold or None, dim=safe.dim or None)


_COLORS: "dict[Role, Styled]" = {
    "ok": Styled("", fg="green"),
    "warn": Styled("", fg="yellow"),
    "risk": Styled("", fg="red"),
    "blocked": Styled("", fg="red", bold=True),
}


def sign_piece(sign: "Sign") -> Styled:
    """Returns a state's glyph and word in the colour of its role."""
    return replace(_COLORS.get(sign.role, Styled("")), text=f"{sign.glyph} {sign.word}")


def pieces_of(line: "Line") -> "list[Styled]":
    """Returns the pieces of a console's line in the colours of its roles."""
    return [replace(_COLORS.get(_STATE_OF.get(span.role, span.role), Styled("")), text=span.text) for span in line]


_STATE_OF: "dict[Role, Role]" = {"bar_ok": "ok", "bar_warn": "warn", "bar_risk": "risk", "bar_blocked": "blocked"}


def stdout(no_color: bool) -> Printer:
    return Printer(sys.stdout, color=may_color(sys.stdout, no_color))


def stderr(no_color: bool) -> Printer:
    return Printer(sys.stderr, color=may_color(sys.stderr, no_color))


def may_color(stream: IO[str], no_color: bool) -> bool:
    """Tells whether to use colours: on a terminal that has them, unless forbidden."""
    wanted = not no_color and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"
    return wanted and stream.isatty()


def print_json(value: Any) -> None:
    """Prints a JSON value in ASCII, so that hidden and control characters appear only as escapes."""
    sys.stdout.write(json.dumps(msgspec.to_builtins(value), ensure_ascii=True, indent=2) + "\n")


def _safe(piece: Piece) -> Styled:
    styled = piece if isinstance(piece, Styled) else Styled(piece)
    return replace(styled, text=visible_line(styled.text))


def _without_empty_end(row: list[Styled]) -> list[Styled]:
    return row[: max([column for column, piece in enumerate(row) if piece.text], default=-1) + 1]


def _aligned(row: Sequence[Styled], widths: Sequence[int], right: frozenset[int]) -> list[Piece]:
    pieces: list[Piece] = []
    for column, piece in enumerate(row):
        gap = " " * (widths[column] - cell_width(piece.text))
        last = column == len(row) - 1
        if column in right:
            pieces += [gap, piece]
        else:
            pieces += [piece] if last else [piece, gap]
        if not last:
            pieces.append("  ")
    return pieces
