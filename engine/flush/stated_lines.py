"""Reads what the lines of a turn state: on a line, below a label, in tables (B26)."""

import re
from collections.abc import Container, Iterator, Sequence
from itertools import takewhile, zip_longest
from typing import NamedTuple

from engine.flush.items import FlushCategory
from engine.flush.label_words import LABELS, is_kept, patterns, role_of
from engine.flush.statements import FIELDS, StatedItem, confidence_of, fields_of, label_alone, stated_below, statement
from engine.text.markdown import code_mask, heading_of

_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])\s")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
_CELLS = re.compile(r"(?<!\\)\|")
_DEEPEST = 7  # the level of a label that is no heading: the next heading ends what stands below it
_HEADS = frozenset({FlushCategory.DECISION, FlushCategory.FACT})
_WITH_FIELDS = frozenset({FlushCategory.DECISION, FlushCategory.FACT, FlushCategory.CONFIGURATION})
_TO_JUDGE = frozenset({FlushCategory.LEARNING, FlushCategory.KEPT})


class StatedLines(NamedTuple):
    """The items of a turn with their line numbers, the other lines, and the number of code lines."""

    items: list[tuple[int, StatedItem]]
    left: list[str]
    code: int


def stated_lines(lines: Sequence[str], taken: Container[int], judged: Container[int]) -> StatedLines:
    """Reads the lines that are not `taken`. A label of learning is left to the judge if it finds the line."""
    reader = _Reader(judged)
    rows = dict(_rows(lines)) if any("|" in line for line in lines) else {}
    code = 0
    for number, inside in enumerate(code_mask(line.lstrip(" \t>") for line in lines)):
        if number in taken or inside:
            # A mark or a decision inside a code fence is an example (decision B3).
            code += inside and number not in taken
            reader.stop()
        elif number in rows:
            reader.take(number, rows[number])
        else:
            for part in patterns()["within"].split(lines[number]):
                reader.read(number, part)
    return StatedLines(reader.items, reader.left, code)


class _Reader:
    def __init__(self, judged: Container[int]) -> None:
        self.items: list[tuple[int, StatedItem]] = []
        self.left: list[str] = []
        self._judged = judged
        self._section, self._depth, self._fresh = "", 0, False
        self._has_fields = False

    def stop(self) -> None:
        self._section, self._has_fields = "", False

    def take(self, number: int, item: StatedItem | None) -> None:
        """Takes a table row's item; None for the table's head."""
        self.stop()
        if item is not None:
            self.items.append((number, item))

    def read(self, number: int, line: str) -> None:
        if not line.strip():
            self.left.append(line)
        elif not self._is_field(line) and not self._is_label(line):
            self._state(number, line)

    def _is_field(self, line: str) -> bool:
        """Adds a reason, source or confidence to the item above if it lacks them; returns whether it did."""
        given = fields_of(line) if self._has_fields else {}
        number, last = self.items[-1] if given else (0, None)
        if last is None or any(getattr(last, name) for name in given):
            return False
        rationale, source, share = (given.get(name, getattr(last, name)) for name in FIELDS)
        self.items[-1] = number, last._replace(rationale=rationale, source=source, confidence=share)
        return True

    def _is_label(self, line: str) -> bool:
        """Tells whether a line is only a label, which applies to the lines below."""
        heading = heading_of(line)
        if heading is not None and heading.level <= self._depth:
            self.stop()
        if label := label_alone(line, is_heading=heading is not None):
            self.stop()
            self._section, self._depth, self._fresh = label, heading.level if heading else _DEEPEST, True
            self.left.append(line)
        return bool(label)

    def _state(self, number: int, line: str) -> None:
        heading = heading_of(line)
        item = statement(line if heading is None else heading.text)
        if heading is not None:
            item = item if item is not None and (item.category in _HEADS or item.promote) else None
        elif item is None and self._section and (self._fresh or _BULLET.match(line)):
            item = stated_below(self._section, line)
        elif item is None or not _BULLET.match(line):
            self._section = ""
        self._fresh = self._fresh and heading is not None
        if item is not None and item.category in _TO_JUDGE and not item.promote and number in self._judged:
            item = None
        self._has_fields = item is not None and item.category in _WITH_FIELDS
        if item is None or not item.is_whole:
            self.left.append(line)
        if item is not None:
            self.items.append((number, item))


# ── tables ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _rows(lines: Sequence[str]) -> Iterator[tuple[int, StatedItem | None]]:
    """Yields the rows of tables whose head names a category, confidence or priority; None for a head."""
    for at, line in enumerate(lines[1:], 1):
        head = lines[at - 1]
        if "|" not in line or "|" not in head or not _RULE.fullmatch(line):
            continue
        roles = [role_of(cell) for cell in _cells(head)]
        label = next((name for name in (*LABELS, "confidence", "priority") if name in roles), "")
        body = takewhile(lambda number: "|" in lines[number], range(at + 1, len(lines)))
        rows = [(number, _row(label, roles, _cells(lines[number]))) for number in body] if label else []
        # A row of no high priority is read as any line.
        found = [(number, item) for number, item in rows if item is not None]
        yield from (*((number, None) for number in (at - 1, at) if found), *found)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELLS.split(line.strip().removeprefix("|").removesuffix("|"))]


def _row(label: str, roles: Sequence[str], cells: Sequence[str]) -> StatedItem | None:
    """Returns the item of a table row with all cells in its text or fields; None if its priority is not high."""
    fields = {role: cell for role, cell in zip(roles, cells, strict=False) if role and cell}
    if label == "priority":
        return StatedItem(FlushCategory.KEPT, ", ".join(cells)) if is_kept(fields.get(label, "")) else None
    told = FIELDS if LABELS.get(label, FlushCategory.FACT) in _WITH_FIELDS else ()
    said = [cell for role, cell in zip_longest(roles, cells, fillvalue="") if cell and role not in told]
    said = said[said[0].isdigit() :] if said else []  # a number at the head counts the rows
    made = stated_below(label if label in LABELS else "fact", ", ".join(said))
    why, source, sure = (fields.get(name, "") if name in told else "" for name in FIELDS)
    share = confidence_of(sure)
    return made._replace(
        rationale=why or made.rationale,
        source=source or made.source,
        confidence=made.confidence if share is None else share,
    )
