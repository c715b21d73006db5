"""Finds lines that look like poison in the changes of every plan (promise F5), and describes their rules."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import PurePosixPath

from msgspec.structs import replace

from engine.plans.diff import FileDiff, RowKind, line_diff, split_lines
from engine.plans.plan import Append, Change, Create, Flag, Move, Plan, Replace, RiskTier
from engine.plans.trust_label import Trust, TrustLabel, lowest
from engine.text.poison.findings import RULE_WORDS
from engine.workspace.layout import MEMORY_MD_PATHS, TIER_FOLDERS
from engine.workspace.values import MemoryTier

_CLAIM = re.compile(r"\btrust[^\S\n]{0,3}[:=][^\S\n]{0,3}(?:operator|agent|tool)\b", re.IGNORECASE)
"""A text's claim to be trusted; claims not to be trusted are no risk, since they only lower a label."""
Exists = Callable[[str], bool]


def find_flags(change: Change, old: str, own: Collection[int], exists: Exists) -> tuple[Flag, ...]:
    """Finds the flags of the lines that `change` adds to `old`; marks on lines in `own` do not count."""
    if isinstance(change, Move):
        return ()
    found = flags_in(change.content, exists, own, change.path.rpartition("/")[0])
    if not found or not old or isinstance(change, Append):
        return found
    rows = line_diff(old, change.content)
    added = frozenset(row.right_no for row in rows if row.kind is RowKind.ADDED and row.right_no is not None)
    return tuple(flag for flag in found if flag.line in added)


def flags_in(text: str, exists: Exists, own: Collection[int] = (), folder: str = "") -> tuple[Flag, ...]:
    """Gives the flags of a text, each rule once a line, in order. `folder` is that of its note."""
    from engine.text.poison.classifier import MARKS, find_poison
    from engine.text.poison.missing_sources import find_missing_sources

    missing = find_missing_sources(
        text, lambda path: not ("/" in path or PurePosixPath(path).suffix == ".md") or exists(path), folder
    )
    flags = (Flag(finding.line, finding.rule) for finding in (*find_poison(text), *missing))
    # memdeck's own marks name origins, never a trust: a claim of one is the text's, wherever it stands.
    return tuple(sorted({*(flag for flag in flags if flag.line not in own or flag.rule not in MARKS), *_claims(text)}))


def poisoned_lines(text: str, own: Callable[[], Collection[int]] = tuple, *, encoded: bool = True) -> tuple[Flag, ...]:
    """Gives the flags of an existing text, except marks in comments, which were checked when added. `own` gives the
    lines with memdeck's own marks; it is called only if such a line is flagged. Asks the encoder only if `encoded`."""
    from engine.text.poison.classifier import MARKS, find_poison

    found = {Flag(finding.line, finding.rule) for finding in find_poison(text, encoded=encoded)}
    if marks := {flag for flag in found if flag.rule in MARKS}:
        belongs, lines = own(), split_lines(text)
        found -= {flag for flag in marks if flag.line in belongs or lines[flag.line - 1].lstrip().startswith("<!--")}
    return tuple(sorted(found.union(_claims(text))))


def _claims(text: str) -> Iterator[Flag]:
    """Yields flags for lines that claim a trust label, which only memdeck sets."""
    line, at = 1, 0
    for match in _CLAIM.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield Flag(line, "forged-provenance")


Written = Create | Append | Replace


def foreign(change: Written, added: str, origin: str) -> Written:
    """Labels a change as untrusted; tier C if `added`, its new lines, look like poison. `origin`: its source."""
    tier = RiskTier.C if poisoned_lines(added) else change.risk_tier
    return replace(change, risk_tier=tier, trust=TrustLabel(Trust.UNTRUSTED, origin))


APPROVED_ALONE = "flagged lines: it is approved alone"
"""The reason why a plan is left out of a batch approval."""
ROOT = "memory/ROOT.md"


def is_lasting(path: str) -> bool:
    """Tells whether a path is semantic memory, ROOT or MEMORY.md, which an agent always gets or takes as settled."""
    semantic = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
    return path.startswith(semantic) or path == ROOT or path in MEMORY_MD_PATHS


def reaches_lasting(change: Change) -> bool:
    """Tells whether a change writes or moves a file into semantic memory, ROOT or MEMORY.md."""
    return is_lasting(change.path) or (isinstance(change, Move) and is_lasting(change.to))


def count_words(changes: Iterable[Change]) -> str:
    """Counts flagged lines by rule: `3 flagged lines: instruction (2), command (1)`; a line may break several rules."""
    if not (flags := [(change.n, flag) for change in changes for flag in change.flagged]):
        return ""
    lines = len({(n, flag.line) for n, flag in flags})
    rules = Counter(flag.rule for _, flag in flags)
    named = ", ".join(f"{rule} ({many})" for rule, many in sorted(rules.items(), key=lambda one: (-one[1], one[0])))
    return f"{lines} flagged {'line' if lines == 1 else 'lines'}: {named}"


def rule_words(rules: Iterable[str]) -> str:
    return "; ".join(RULE_WORDS.get(rule, rule) for rule in rules)


def flags_in_file(change: Change, diff: FileDiff) -> dict[int, tuple[str, ...]]:
    """Gives the rules that each flagged line breaks, by its number in the new file, also for an append."""
    before = 0
    if change.flagged and isinstance(change, Append):
        before = next((row.right_no - 1 for row in diff.rows if row.kind is RowKind.ADDED and row.right_no), 0)
    rules: dict[int, tuple[str, ...]] = {}
    for flag in change.flagged:
        rules[before + flag.line] = (*rules.get(before + flag.line, ()), flag.rule)
    return rules


def plan_trust(plan: Plan) -> TrustLabel | None:
    """Gives the lowest label of a plan's writes to semantic memory, ROOT or MEMORY.md; None if there is none."""
    return lowest(one.trust for one in plan.changes if is_lasting(one.path) and isinstance(one.trust, TrustLabel))
