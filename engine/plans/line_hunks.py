"""Finds the hunks of two texts, numbered from 1, and builds the text with some of them; matches equal lines."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from itertools import chain, takewhile

import msgspec

Run = tuple[int, int, int]  # `length` equal items from `left` and from `right` on, counted from 0

_MOST_PAIRS = 500_000_000  # about 62 MB and 70 ms


def matching_runs(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Run]:
    """Gives the runs of equal items in order, without overlaps."""
    left, right = list(left), list(right)
    head = longest_equal(lambda count: left[:count] == right[:count], min(len(left), len(right)))
    rest = min(len(left), len(right)) - head
    tail = longest_equal(lambda count: left[len(left) - count :] == right[len(right) - count :], rest)
    ids: dict[Hashable, int] = {}
    a = [ids.setdefault(item, len(ids)) for item in left[head : len(left) - tail]]
    b = [ids.setdefault(item, len(ids)) for item in right[head : len(right) - tail]]
    inside = ((head + i, head + j, length) for i, j, length in _pairs_of(a, b))
    ends = (0, 0, head), (len(left) - tail, len(right) - tail, tail)
    return list(_joined(run for run in chain(ends[:1], inside, ends[1:]) if run[2]))


def longest_equal(equal: Callable[[int], bool], most: int) -> int:
    """Finds the largest count up to `most` for which `equal` is true, by bisection."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if equal(middle) else (low, middle - 1)
    return low


def _pairs_of(a: list[int], b: list[int]) -> Iterator[Run]:
    """Yields the common start, the runs between, and the common end."""
    shorter = min(len(a), len(b))
    head = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    tail = next((i for i in range(shorter - head) if a[-1 - i] != b[-1 - i]), shorter - head)
    if head:
        yield 0, 0, head
    yield from _search(a[head : len(a) - tail], b[head : len(b) - tail], head, head)
    if tail:
        yield len(a) - tail, len(b) - tail, tail


def _search(a: list[int], b: list[int], a0: int, b0: int) -> Iterator[Run]:
    shared = set(a) & set(b)
    at_a = [i for i, item in enumerate(a) if item in shared]
    at_b = [i for i, item in enumerate(b) if item in shared]
    if not shared:
        return
    kept_a, kept_b = [a[i] for i in at_a], [b[i] for i in at_b]
    if len(kept_a) * len(kept_b) <= _MOST_PAIRS:
        for i, j in _exact(kept_a, kept_b):
            yield a0 + at_a[i], b0 + at_b[j], 1
    else:
        yield from _patience(a, b, a0, b0)


def _exact(a: list[int], b: list[int]) -> Iterator[tuple[int, int]]:
    from rapidfuzz.distance import Indel

    for code in Indel.opcodes(a, b):
        if code.tag == "equal":
            yield from zip(range(code.src_start, code.src_end), range(code.dest_start, code.dest_end), strict=True)


def _patience(a: list[int], b: list[int], a0: int, b0: int) -> Iterator[Run]:
    """Yields runs around items that occur once on each side; none where there are no such items."""
    places = _single_places(b)
    anchors = _increasing([(i, places[item]) for item, i in _single_places(a).items() if item in places])
    at, other = 0, 0
    for i, j in [*anchors, (len(a), len(b))] if anchors else []:
        for start, start_b, length in _pairs_of(a[at:i], b[other:j]):
            yield a0 + at + start, b0 + other + start_b, length
        if i < len(a):
            yield a0 + i, b0 + j, 1
        at, other = i + 1, j + 1


def _single_places(items: list[int]) -> dict[int, int]:
    counts = Counter(items)
    return {item: i for i, item in enumerate(items) if counts[item] == 1}


def _increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Finds a longest subsequence of `pairs`, sorted by first numbers, whose second numbers increase."""
    tops: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        at = bisect_left(tops, j)
        before.append(last[at - 1] if at else -1)
        if at == len(tops):
            tops.append(j)
            last.append(index)
        else:
            tops[at], last[at] = j, index
    chain: list[tuple[int, int]] = []
    index = last[-1] if last else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _joined(runs: Iterator[Run]) -> Iterator[Run]:
    held: Run | None = None
    for run in runs:
        if held and held[0] + held[2] == run[0] and held[1] + held[2] == run[1]:
            held = (held[0], held[1], held[2] + run[2])
        else:
            if held:
                yield held
            held = run
    if held:
        yield held


class LineHunk(msgspec.Struct, frozen=True):
    """A difference: lines `left` of the old text became lines `right` of the new; start and end, counted from 0."""

    number: int
    left: tuple[int, int]
    right: tuple[int, int]


_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_WORD = re.compile(r"\w{3,}")


def parts_between(before: Sequence[str], after: Sequence[str]) -> tuple[LineHunk, ...]:
    """Gives the differences as a plan counts them: each item of a list is a hunk by itself, where that is possible."""
    hunks: list[LineHunk] = []
    for hunk in hunks_between(before, after):
        left, right = _pieces(before, *hunk.left), _pieces(after, *hunk.right)
        if left and right and len(left) != len(right):
            left, right = [hunk.left], [hunk.right]
        many = max(len(left), len(right))
        # What only comes or only goes does so at one place of the other side.
        pairs = zip(left or [hunk.left] * many, right or [hunk.right] * many, strict=True)
        for one, other in pairs:
            words, others = (
                set(_WORD.findall("".join(lines))) for lines in (before[slice(*one)], after[slice(*other)])
            )
            # A line that goes and another that comes in its place have nothing to do with each other.
            apart = words and others and not words & others and _ITEM.match(before[one[0]])
            ends = [(one, (other[0], other[0])), ((one[1], one[1]), other)] if apart else [(one, other)]
            hunks += [LineHunk(len(hunks) + at, *sides) for at, sides in enumerate(ends, 1)]
    return tuple(hunks)


def _pieces(lines: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """Cuts lines into pieces: each list item with the lines that go on with it."""
    cuts, in_item, blank = [start], False, True
    for at in range(start, end):
        item = _ITEM.match(lines[at]) is not None
        begins = item or (in_item and not lines[at][0].isspace())
        if begins and not blank:
            cuts.append(at)
        in_item, blank = item if begins else in_item, blank and not lines[at].strip()
    return list(zip(cuts, [*cuts[1:], end], strict=True)) if end > start else []


def with_lists(added: Sequence[Sequence[str]], refused: Collection[int]) -> frozenset[int]:
    """Adds to refused hunks the items below a refused leading line, and a leading line whose items are all refused.
    `added`: the new lines of each hunk, in order; hunks are numbered from 1."""
    depths = [_depth(lines) for lines in added]
    below = [_deeper(depths, at) for at in range(len(depths))]
    gone = {number - 1 for number in refused}
    for at in range(len(depths)):
        gone.update(below[at] if at in gone else ())
    for at in reversed(range(len(depths))):
        gone.update([at] if below[at] and gone.issuperset(below[at]) else ())
    return frozenset(at + 1 for at in gone)


def _deeper(depths: Sequence[int], at: int) -> list[int]:
    below = takewhile(lambda other: depths[other] > depths[at], range(at + 1, len(depths)))
    return [*below] if depths[at] >= 0 else []


def _depth(lines: Sequence[str]) -> int:
    """Counts the blanks before an item; -1 for lines that are no item."""
    return len(lines[0]) - len(lines[0].lstrip()) if lines and _ITEM.match(lines[0]) else -1


class PartText(msgspec.Struct, frozen=True):
    """A text with some hunks. `places` maps each line of the new text, from 0, to its line in this one."""

    text: str
    places: dict[int, int]


def lines_of(text: str) -> list[str]:
    """Gives the lines with their ends, so that a last line without one differs."""
    rows = [f"{row}\n" for row in text.split("\n")]
    rows[-1] = rows[-1][:-1]
    return rows if rows[-1] else rows[:-1]


def hunks_between(before: Sequence[str], after: Sequence[str]) -> tuple[LineHunk, ...]:
    """Gives the differences of two texts in order, numbered from 1."""
    hunks: list[LineHunk] = []
    i = j = 0
    for left, right, length in [*matching_runs(before, after), (len(before), len(after), 0)]:
        if left > i or right > j:
            hunks.append(LineHunk(len(hunks) + 1, (i, left), (j, right)))
        i, j = left + length, right + length
    return tuple(hunks)


def without(before: str, after: str, refused: Collection[int]) -> PartText:
    """Gives the new text with the old lines in the place of each refused hunk."""
    old, new = lines_of(before), lines_of(after)
    lines: list[str] = []
    places: dict[int, int] = {}
    at = 0

    def take(start: int, end: int) -> None:
        places.update((start + k, len(lines) + k) for k in range(end - start))
        lines.extend(new[start:end])

    for hunk in parts_between(old, new):
        if hunk.number in refused:
            take(at, hunk.right[0])
            lines.extend(old[slice(*hunk.left)])
            at = hunk.right[1]
    take(at, len(new))
    return PartText("".join(lines), places)
