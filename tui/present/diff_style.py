"""Styles each row of a diff when it is painted: markdown, changed words, hidden characters."""

import re
from functools import cached_property
from itertools import pairwise

from engine.plans.diff import DiffRow, RowKind, replacements, word_marks
from tui.present.diff import KIND_ROLES
from tui.present.markdown import OPENERS, Follower, Inside, Part, parts
from tui.present.sought_text import SoughtText
from tui.present.spans import Line, Role, Span
from tui.present.words import HIDDEN_SHOWN, safe

# What `text_safety.visible` shows in place of hidden characters; marked so that it is not taken for text.
_TOKENS = re.compile(f"{HIDDEN_SHOWN}|⇥")
_WORD_ROLES: dict[RowKind, Role] = {RowKind.SAME: "same", RowKind.REMOVED: "removed_word", RowKind.ADDED: "added_word"}
_KEPT = 4_000  # rows whose spans are kept; beyond them all are forgotten at once
_MOST_MARKS = 100  # a line with more marked words is another line


def partners(rows: tuple[DiffRow, ...]) -> dict[int, int]:
    """Pairs removed and added rows by index, in both directions. Runs of equal length pair in order; in unequal runs
    the first rows pair, since lines are mostly added after those they extend."""
    partner_of: dict[int, int] = {}
    for removed, added in replacements(rows):
        for left, right in zip(removed, added, strict=False):
            partner_of[left], partner_of[right] = right, left
    return partner_of


class RowLooks:
    """Keeps the styled form of each row of a diff."""

    def __init__(self, rows: tuple[DiffRow, ...]) -> None:
        self._rows = rows
        self._kept: dict[int, Line] = {}
        self.wanted: SoughtText | None = None  # the text that is looked for, and marked wherever it stands

    def line(self, index: int) -> Line:
        """Returns a row's whole text as spans, with hidden characters made visible."""
        if (line := self._kept.get(index)) is None:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            line = self._kept[index] = self._dressed(index)
        return self.marked(line)

    def marked(self, line: Line) -> Line:
        return self.wanted.marked(line) if self.wanted is not None else line

    def partner(self, index: int) -> int | None:
        """Returns the row on the other side that this row replaces or is replaced by; None without one."""
        return self._partners.get(index)

    @cached_property
    def _partners(self) -> dict[int, int]:
        return partners(self._rows)

    @cached_property
    def _insides(self) -> tuple[Inside, ...] | None:
        """The markdown block of each row; None if no row opens a fence or frontmatter, which is usual."""
        if not any(row.text.lstrip(" ")[:3] in OPENERS for row in self._rows):
            return None
        old, new = Follower(), Follower()
        return tuple(self._inside(row, old, new) for row in self._rows)

    @staticmethod
    def _inside(row: DiffRow, old: Follower, new: Follower) -> Inside:
        if row.kind is RowKind.REMOVED:
            return old.step(row.text)
        if row.kind is RowKind.SAME:
            old.step(row.text)
        return new.step(row.text)

    def _marks(self, index: int, text: str) -> tuple[tuple[int, int], ...]:
        """Returns the words of a row that differ from its partner; empty without a partner."""
        if (other := self._partners.get(index)) is None:
            return ()
        beside = safe(self._rows[other].text)
        if self._rows[index].kind is RowKind.REMOVED:
            marks = word_marks(text, beside)[0]
        else:
            marks = word_marks(beside, text)[1]
        return marks if len(marks) <= _MOST_MARKS else ()

    def _dressed(self, index: int) -> Line:
        row = self._rows[index]
        text = safe(row.text)
        marks = self._marks(index, text) if row.kind is not RowKind.SAME else ()
        inside = self._insides[index] if self._insides is not None else Inside.TEXT
        return dressed(text, KIND_ROLES[row.kind], _WORD_ROLES[row.kind], marks, parts(text, inside))


def dressed(text: str, role: Role, word: Role, marks: tuple[tuple[int, int], ...], markdown: tuple[Part, ...]) -> Line:
    """Splits `text` into spans: role `word` at `marks`, markdown styles over it, hidden characters apart."""
    hidden = [match.span() for match in _TOKENS.finditer(text)] if not text.isascii() else []
    if not (marks or markdown or hidden):
        return (Span(text, role),) if text else ()
    cuts = {0, len(text)}
    for start, end in (*marks, *hidden, *((part.start, part.end) for part in markdown)):
        cuts |= {start, end}
    return tuple(
        Span(text[start:end], "hidden")
        if _covers(hidden, start)
        else Span(text[start:end], word if _covers(marks, start) else role, _letters(markdown, start))
        for start, end in pairwise(sorted(cuts))
    )


def _covers(spans: list[tuple[int, int]] | tuple[tuple[int, int], ...], at: int) -> bool:
    return any(start <= at < end for start, end in spans)


def _letters(markdown: tuple[Part, ...], at: int) -> Role | None:
    return next((part.role for part in markdown if part.start <= at < part.end), None)
