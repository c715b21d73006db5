"""Groups similar changes of large plans for review (decision G22). A group has one kind, risk tier, reason, trust,
pair of folders, shape of names and set of headings. A change is reviewed alone if it has a warning or flag, is of
tier C, writes lasting memory, has no readable diff, or has an unusual size."""

import re
from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from engine.plans.diff import FileDiff, RowKind
from engine.plans.flags import reaches_lasting
from engine.plans.plan import Change, Move, RiskTier
from engine.plans.trust_label import TrustLabel
from engine.text.markdown import heading_of

MOST_EACH = 50  # up to so many changes of one kind are looked at one by one (decision G22)
_FAR = 4  # a size is unusual beyond so many times the usual distance from the median
_LEAST = 0.25  # the usual distance counts as this share of the median at least, and as one
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_MOST_WORDS = 8  # names with more words than that are of one shape only with names of as many


class Group(msgspec.Struct, frozen=True):
    """The positions of similar changes, in order; a single one is a change to review alone."""

    places: tuple[int, ...]

    @property
    def single(self) -> bool:
        return len(self.places) == 1


class Likeness(NamedTuple):
    """The group key of a change, empty for one that is reviewed alone, and its sizes."""

    kind: tuple[object, ...]
    measures: tuple[int, ...]


def likeness(change: Change, diff: FileDiff) -> Likeness:
    """Reads a change's diff once for its group key and sizes."""
    texts = [row.text for row in diff.rows if row.kind is not RowKind.SAME]
    longest = max(map(len, texts), default=0)
    return Likeness(_kind(change, diff), (diff.added, diff.removed, sum(map(len, texts)), longest, len(change.path)))


def in_groups(changes: Sequence[Likeness]) -> tuple[Group, ...]:
    """Gives first the changes to review alone, in order, then the groups, largest first; each change is in one."""
    kinds: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, one in enumerate(changes):
        kinds[one.kind].append(place)
    singles: list[int] = []
    groups: list[Group] = []
    for kind, members in kinds.items():
        if kind and len(members) > MOST_EACH:
            usual, unusual = _by_size(members, changes)
            singles += unusual if len(usual) > 1 else members
            groups += [Group(tuple(usual))] if len(usual) > 1 else []
        else:
            singles += members
    groups.sort(key=lambda group: (-len(group.places), group.places))
    return (*(Group((place,)) for place in sorted(singles)), *groups)


def _kind(change: Change, diff: FileDiff) -> tuple[object, ...]:
    """Gives the group key of a change; empty for one that is always reviewed alone."""
    unreadable = bool(diff.notes) or (bool(diff.note) and not isinstance(change, Move))
    if change.warnings or change.flagged or change.risk_tier is RiskTier.C or reaches_lasting(change) or unreadable:
        return ()
    folder, _, name = change.path.rpartition("/")
    to_folder, _, to_name = change.to.rpartition("/") if isinstance(change, Move) else ("", "", "")
    added = (heading_of(row.text) for row in diff.rows if row.kind is RowKind.ADDED)
    titles = tuple((one.level, "" if one.level == 1 else one.text) for one in added if one is not None)
    trust = change.trust.trust if isinstance(change.trust, TrustLabel) else None
    words = (_DIGITS.sub("0", diff.note), trust, bool(change.dropped))
    return (type(change), change.risk_tier, folder, _shape(name), to_folder, _shape(to_name), titles, *words)


def _shape(name: str) -> tuple[object, ...]:
    """Gives the shape of a file name: `2026-03-02-deploy-of-the-shop.md` and `2026-04-11-notes.md` have the same."""
    words = len(_LETTERS.findall(name))
    pattern = _DIGITS.sub("0", _LETTERS.sub("a", name))
    while "a-a" in pattern or "a_a" in pattern:
        pattern = pattern.replace("a-a", "a").replace("a_a", "a")
    return (pattern, name.isascii(), words if words > _MOST_WORDS else 0)


def _by_size(members: Sequence[int], changes: Sequence[Likeness]) -> tuple[list[int], list[int]]:
    measured = [changes[place].measures for place in members]
    far = [any(row) for row in zip(*map(_unusual, zip(*measured, strict=True)), strict=True)]
    usual = [place for place, unusual in zip(members, far, strict=True) if not unusual]
    return usual, [place for place, unusual in zip(members, far, strict=True) if unusual]


def _unusual(sizes: Sequence[int]) -> list[bool]:
    middle = median(sizes)
    distance = max(1.0, middle * _LEAST, median(abs(size - middle) for size in sizes))
    return [abs(size - middle) > _FAR * distance for size in sizes]
