"""Defines a finding of a check: below every part that checks something, so that all of them can say it."""

from enum import StrEnum

import msgspec


class FindingKind(StrEnum):
    DAMAGE = "damage"
    CONFLICT = "conflict"
    LOSS = "loss"
    """A file that platforms always load lost much of what it held (decision G26)."""
    NOTICE = "notice"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something `check`, `doctor` or `log --verify` found, where, and what to do."""

    kind: FindingKind
    id: str
    where: str
    what: str
    fix: str


def damage(what_id: str, where: str, what: str, fix: str) -> Finding:
    """Makes a finding of bytes or records that are not as they were written."""
    return Finding(kind=FindingKind.DAMAGE, id=what_id, where=where, what=what, fix=fix)


def notice(what_id: str, where: str, what: str, fix: str = "") -> Finding:
    """Makes a finding that somebody should know of, and that damages nothing."""
    return Finding(kind=FindingKind.NOTICE, id=what_id, where=where, what=what, fix=fix)
