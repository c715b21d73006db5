"""Finds the lines of a change that look like poison: one look at every change of every plan (promise F5)."""

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import PurePosixPath

from msgspec.structs import replace

from engine.plans.diff import RowKind, line_diff, split_lines
from engine.plans.plan import Append, Change, Create, Flag, Move, Replace, RiskTier
from engine.plans.trust import Trust, TrustLabel

_CLAIM = re.compile(r"\btrust[^\S\n]{0,3}[:=][^\S\n]{0,3}(?:operator|agent|tool)\b", re.IGNORECASE)
"""A claim of trust; that a text is not to be trusted is none: it can only lower a label."""
Exists = Callable[[str], bool]


def find_flags(change: Change, old: str, own: Collection[int], exists: Exists) -> tuple[Flag, ...]:
    """The flags of what `change` adds to `old`; a mark on a line of `own` is memdeck's and claims nothing. A move adds
    nothing: its bytes stay as they were looked at."""
    if isinstance(change, Move):
        return ()
    found = flags_in(change.content, exists, own, change.path.rpartition("/")[0])
    if not found or not old or isinstance(change, Append):
        return found
    rows = line_diff(old, change.content)
    added = frozenset(row.right_no for row in rows if row.kind is RowKind.ADDED and row.right_no is not None)
    return tuple(flag for flag in found if flag.line in added)


def flags_in(text: str, exists: Exists, own: Collection[int] = (), folder: str = "") -> tuple[Flag, ...]:
    """Gives the flags of a whole text, each rule once a line, in order of lines. `folder`: that of its note."""
    from engine.text.poison.classifier import MARKS, find_poison
    from engine.text.poison.sources import find_missing_sources

    missing = find_missing_sources(
        text, lambda path: not ("/" in path or PurePosixPath(path).suffix == ".md") or exists(path), folder
    )
    found = (*find_poison(text), *missing)
    flags = (Flag(one.line, one.rule) for one in found)
    # memdeck's own marks name origins, never a trust: a claim of one is the text's, wherever it stands.
    return tuple(sorted({*(one for one in flags if one.line not in own or one.rule not in MARKS), *_claims(text)}))


def poisoned_lines(text: str, own: Callable[[], Collection[int]] = tuple) -> tuple[Flag, ...]:
    """The flags of a text that is there already; comments that mark where lines came from are judged where added. `own`
    gives the lines whose marks belong there; it is asked only where one of them is flagged."""
    from engine.text.poison.classifier import MARKS, find_poison

    found = {Flag(one.line, one.rule) for one in find_poison(text)}
    marks = {one for one in found if one.rule in MARKS}
    if marks:
        belongs, lines = own(), split_lines(text)
        found -= {one for one in marks if one.line in belongs or lines[one.line - 1].lstrip().startswith("<!--")}
    return tuple(sorted(found.union(_claims(text))))


def _claims(text: str) -> Iterator[Flag]:
    """Lines that give themselves a trust label: labels are the engine's to make, so such a claim is none."""
    line, at = 1, 0
    for match in _CLAIM.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield Flag(line, "forged-provenance")


Written = Create | Append | Replace


def foreign(change: Written, added: str, origin: str) -> Written:
    """Gives the change with its label; `added` are the lines that are new here, `origin` says where they came from."""
    tier = RiskTier.C if poisoned_lines(added) else change.risk_tier
    return replace(change, risk_tier=tier, trust=TrustLabel(Trust.UNTRUSTED, origin))
