"""The hunks of two texts, counted from 1, and the text with some of them alone: pure."""

from collections.abc import Collection, Sequence

import msgspec

from engine.plans.line_matching import matching_runs


class LineHunk(msgspec.Struct, frozen=True):
    """A difference: lines `left` of the text before became lines `right` of the one after; first and end, from 0."""

    number: int
    left: tuple[int, int]
    right: tuple[int, int]


class PartText(msgspec.Struct, frozen=True):
    """A text with some hunks alone. `places` maps each line of the text after, from 0, to its line here."""

    text: str
    places: dict[int, int]


def lines_of(text: str) -> list[str]:
    """Gives the lines with their ends, so that a last line without one differs."""
    rows = [f"{row}\n" for row in text.split("\n")]
    rows[-1] = rows[-1][:-1]
    return rows if rows[-1] else rows[:-1]


def hunks_between(before: Sequence[str], after: Sequence[str]) -> tuple[LineHunk, ...]:
    """Gives the differences of two texts in order, counted from 1."""
    found: list[LineHunk] = []
    i = j = 0
    for left, right, length in [*matching_runs(before, after), (len(before), len(after), 0)]:
        if left > i or right > j:
            found.append(LineHunk(len(found) + 1, (i, left), (j, right)))
        i, j = left + length, right + length
    return tuple(found)


def without(before: str, after: str, refused: Collection[int]) -> PartText:
    """Gives the text after, but as before wherever a refused hunk stands; no other line differs."""
    old, new = lines_of(before), lines_of(after)
    lines: list[str] = []
    places: dict[int, int] = {}
    at = 0

    def take(start: int, end: int) -> None:
        places.update((start + k, len(lines) + k) for k in range(end - start))
        lines.extend(new[start:end])

    for hunk in hunks_between(old, new):
        if hunk.number in refused:
            take(at, hunk.right[0])
            lines.extend(old[slice(*hunk.left)])
            at = hunk.right[1]
    take(at, len(new))
    return PartText("".join(lines), places)
