"""Takes back some of the differences between two texts in a third that came after them: a three-way merge of lines."""

from collections.abc import Collection

import msgspec

from engine.plans.line_hunks import LineHunk, hunks_between, lines_of
from engine.plans.line_matching import matching_runs


class Merged(msgspec.Struct, frozen=True):
    """The text after taking back. `overlaps` says of each hunk that could not be taken back why; `absent` are those of
    which nothing is left to take."""

    text: str
    overlaps: tuple[str, ...] = ()
    absent: tuple[int, ...] = ()


def taken_back(before: str, after: str, present: str, numbers: Collection[int] = ()) -> Merged:
    """Takes back these hunks, all where none is named, from the present text."""
    old, new, now = lines_of(before), lines_of(after), lines_of(present)
    place = {right + k: at + k for right, at, length in matching_runs(new, now) for k in range(length)}
    result, overlaps, absent = list(now), [], []
    for hunk in reversed(hunks_between(old, new)):
        if numbers and hunk.number not in numbers:
            continue
        span = _span(hunk, place, len(new), len(now))
        if isinstance(span, str):
            overlaps.append(f"hunk {hunk.number}: {span}")
        elif span is None:
            absent.append(hunk.number)
        else:
            result[span[0] : span[1]] = old[hunk.left[0] : hunk.left[1]]
    return Merged("".join(result), tuple(reversed(overlaps)), tuple(reversed(absent)))


def _span(hunk: LineHunk, place: dict[int, int], after: int, present: int) -> tuple[int, int] | str | None:
    """The lines of the present that a hunk became; words where they are not all there together; None where none is."""
    start, end = hunk.right
    if start == end:
        first = place.get(start - 1, -2) if start else -1
        last = place.get(end, -2) if end < after else present
        if first == -2 or last == -2 or last != first + 1:
            return f"what stood around line {start + 1} was changed later"
        return first + 1, first + 1
    there = [place[line] for line in range(start, end) if line in place]
    if not there:
        return None if hunk.left[0] == hunk.left[1] else f"lines {start + 1} to {end} were changed later"
    if len(there) != end - start or there[-1] - there[0] != len(there) - 1:
        return f"some of lines {start + 1} to {end} were changed later"
    return there[0], there[-1] + 1
