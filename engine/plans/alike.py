"""Groups the changes of large plans that are alike, so that a person can look at them (decision G22).

Alike are changes of one kind, risk tier and pair of folders, with names of one shape and, where they write text, the
same headings. What stands out of its group is looked at by itself: a change with a warning or a flagged line, of tier
C, into memory that lasts, or of an unusual size.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

import msgspec

from engine.plans.diff import FileDiff, RowKind
from engine.plans.flag_words import is_lasting
from engine.plans.plan import Change, Move, RiskTier
from engine.text.markdown import heading_of

MOST_EACH = 50
"""Up to so many changes of one kind are looked at one by one (decision G22)."""
_FAR = 5
"""A size is unusual beyond so many times the usual distance from the median, which counts as two lines at least."""
_LETTERS = re.compile(r"[^\W\d_]+(?:[-_ ]+[^\W\d_]+)*")
_DIGITS = re.compile(r"\d+")


class Group(msgspec.Struct, frozen=True):
    """Changes that are alike, by their places in order; one alone is a change to look at by itself."""

    places: tuple[int, ...]

    @property
    def single(self) -> bool:
        return len(self.places) == 1


def in_groups(changes: Sequence[tuple[Change, FileDiff]]) -> tuple[Group, ...]:
    """First the changes to look at one by one, in their order, then the groups, the largest first.

    Each change, by its index, is in exactly one group.
    """
    kinds: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, (change, diff) in enumerate(changes):
        kinds[_kind(change, diff)].append(place)
    singles: list[int] = []
    groups: list[Group] = []
    for kind, members in kinds.items():
        if kind and len(members) > MOST_EACH:
            usual, unusual = _by_size(members, [changes[place][1] for place in members])
            singles += unusual
            groups.append(Group(tuple(usual)))
        else:
            singles += members
    groups.sort(key=lambda group: (-len(group.places), group.places))
    return (*(Group((place,)) for place in sorted(singles)), *groups)


def _kind(change: Change, diff: FileDiff) -> tuple[object, ...]:
    """The kind of a change; empty for one that is always looked at by itself."""
    if change.warnings or change.flagged or change.risk_tier is RiskTier.C or is_lasting(change.path):
        return ()
    folder, _, name = change.path.rpartition("/")
    to_folder, _, to_name = change.to.rpartition("/") if isinstance(change, Move) else ("", "", "")
    added = (heading_of(row.text) for row in diff.rows if row.kind is RowKind.ADDED)
    titles = tuple(heading for heading in added if heading is not None and heading.level > 1)
    return (type(change), change.risk_tier, folder, _shape(name), to_folder, _shape(to_name), titles)


def _shape(name: str) -> str:
    """`2026-03-02-deploy-of-the-shop.md` and `2026-04-11-notes.md` have one shape."""
    return _DIGITS.sub("0", _LETTERS.sub("a", name))


def _by_size(members: Sequence[int], diffs: Sequence[FileDiff]) -> tuple[list[int], list[int]]:
    """The members of usual and of unusual size, in lines that come or go."""
    sizes = [diff.added + diff.removed for diff in diffs]
    middle = median(sizes)
    distance = max(2.0, median(abs(size - middle) for size in sizes))
    far = [abs(size - middle) > _FAR * distance for size in sizes]
    usual = [place for place, unusual in zip(members, far, strict=True) if not unusual]
    return usual, [place for place, unusual in zip(members, far, strict=True) if unusual]
