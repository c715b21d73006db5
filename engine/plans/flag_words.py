"""Flags and trust of a plan in words, for its queue, its diffs and its JSON: without the classifier that finds them."""

from collections import Counter
from collections.abc import Iterable

from engine.plans.diff import FileDiff, RowKind
from engine.plans.plan import Append, Change, Move, Plan
from engine.plans.trust import TrustLabel, lowest
from engine.text.poison.findings import RULE_WORDS
from engine.workspace.layout import MEMORY_MD_PATHS, TIER_FOLDERS
from engine.workspace.values import MemoryTier

APPROVED_ALONE = "flagged lines: it is approved alone"
"""The reason why a plan takes no part in a batch: somebody must read them."""
ROOT = "memory/ROOT.md"


def is_lasting(path: str) -> bool:
    """Tells whether a path is semantic memory, ROOT or MEMORY.md: what an agent always gets or takes for settled."""
    semantic = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
    return path.startswith(semantic) or path == ROOT or path in MEMORY_MD_PATHS


def reaches_lasting(change: Change) -> bool:
    """Tells whether a change writes or moves a file into semantic memory, ROOT or MEMORY.md."""
    return is_lasting(change.path) or (isinstance(change, Move) and is_lasting(change.to))


def count_words(changes: Iterable[Change]) -> str:
    """`3 flagged lines: instruction (2), command (1)`; a line that breaks two rules counts once, for both."""
    flags = [(change.n, flag) for change in changes for flag in change.flagged]
    if not flags:
        return ""
    lines = len({(n, flag.line) for n, flag in flags})
    rules = Counter(flag.rule for _, flag in flags)
    named = ", ".join(f"{rule} ({many})" for rule, many in sorted(rules.items(), key=lambda one: (-one[1], one[0])))
    return f"{lines} flagged {'line' if lines == 1 else 'lines'}: {named}"


def rule_words(rules: Iterable[str]) -> str:
    """Rules in words for the operator: `a command to run; characters that cannot be seen`."""
    return "; ".join(RULE_WORDS.get(rule, rule) for rule in rules)


def flags_in_file(change: Change, diff: FileDiff) -> dict[int, tuple[str, ...]]:
    """Gives the rules that each flagged line breaks, by its number in the new file, also for an append."""
    before = 0
    if change.flagged and isinstance(change, Append):
        before = next((row.right_no - 1 for row in diff.rows if row.kind is RowKind.ADDED and row.right_no), 0)
    found: dict[int, tuple[str, ...]] = {}
    for flag in change.flagged:
        found[before + flag.line] = (*found.get(before + flag.line, ()), flag.rule)
    return found


def plan_trust(plan: Plan) -> TrustLabel | None:
    """Gives the lowest label of what a plan writes into semantic memory, ROOT or MEMORY.md; None for nothing."""
    return lowest(one.trust for one in plan.changes if is_lasting(one.path) and isinstance(one.trust, TrustLabel))
