"""The last step of every plan before the queue: flags, trust labels, and the gates that follow from them.

Front ends reach planners through one door, and it puts every plan through here: those of the planners, what the
operator reworded, and what is done again. Nothing in a workspace can leave this step out (promises F2, F5).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from engine.errors import MemdeckError
from engine.plans.diff import FileDiff, RowKind
from engine.plans.flags import Exists, find_flags
from engine.plans.plan import Append, Change, Confirmation, Move, Plan, Replace, RiskTier
from engine.plans.trust import TrustLabel, lowest
from engine.text.poison.classifier import RULE_WORDS
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.memory_md import MEMORY_MD_PATHS
from engine.workspace.values import MemoryTier

if TYPE_CHECKING:  # the console's first paint needs the words alone
    from engine.plans.lineage import Lineage

CONFIRMATION = "flagged"
APPROVED_ALONE = "flagged lines: it is approved alone"
"""The reason why a plan takes no part in a batch: somebody must read them."""
ROOT = "memory/ROOT.md"


class Surroundings(msgspec.Struct, frozen=True):
    """The workspace as the step sees it. `own` gives the lines of a change that memdeck itself wrote as marks."""

    read: Callable[[str], bytes]
    exists: Exists
    own: Callable[[Change], Collection[int]]


def is_lasting(path: str) -> bool:
    """Tells whether a path is semantic memory, ROOT or MEMORY.md: what an agent always gets or takes for settled."""
    semantic = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
    return path.startswith(semantic) or path == ROOT or path in MEMORY_MD_PATHS


def annotated(plan: Plan, around: Surroundings, lineage: "Lineage") -> Plan:
    """The plan with flags and trust labels on its changes, and with what these ask for.

    A flagged change is of tier B at least. Flagged lines that would enter semantic memory, ROOT or MEMORY.md ask a
    question of their own, whose reason is recorded.
    """
    planned = plan.targets()
    cut = frozenset(one.path for one in plan.changes if isinstance(one, Move | Replace))
    changes: list[Change] = []
    for change in plan.changes:
        old = _old(change, around, cut)
        flags = find_flags(change, old, around.own(change), lambda path: path in planned or around.exists(path))
        lifted = max(change.risk_tier, RiskTier.B) if flags else change.risk_tier
        trust = lineage.of_change(change, flags)
        changes.append(replace(change, flags=flags, risk_tier=lifted, **({} if trust is None else {"trust": trust})))
    kept = tuple(one for one in plan.confirmations if one.id != CONFIRMATION)
    return replace(plan, changes=tuple(changes), confirmations=(*kept, *_questions(changes)))


def _old(change: Change, around: Surroundings, cut: frozenset[str]) -> str:
    """Reads the text before the change: its file, or the lines that it takes from lasting files which the plan cuts up.

    Empty where they cannot be read.
    """
    if isinstance(change, Replace):
        return _text(change.path, around)
    taken = (
        [one for one in change.sources if one.path in cut and is_lasting(one.path)] if is_lasting(change.path) else []
    )
    from engine.text.document import split_lines  # the console's first paint needs the words above alone

    texts = {path: split_lines(_text(path, around)) for path in {one.path for one in taken}}
    return "\n".join(line for one in taken for line in texts[one.path][one.start - 1 : one.end])


def _text(path: str, around: Surroundings) -> str:
    try:
        return around.read(path).decode("utf-8", "replace")
    except MemdeckError:
        return ""


def _questions(changes: Iterable[Change]) -> tuple[Confirmation, ...]:
    about = [one for one in changes if one.flagged and is_lasting(one.path) and not isinstance(one, Move)]
    if not about:
        return ()
    said = count_words(about)
    places = ", ".join(dict.fromkeys(one.path for one in about))
    question = f"{said} would enter {places}. Did you read each of them, and shall they be kept?"
    return (Confirmation(CONFIRMATION, question, tuple(one.n for one in about)),)


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
    """The rules that each flagged line breaks, by its number in the new file; of an append that is not its own."""
    before = 0
    if change.flagged and isinstance(change, Append):
        before = next((row.right_no - 1 for row in diff.rows if row.kind is RowKind.ADDED and row.right_no), 0)
    found: dict[int, tuple[str, ...]] = {}
    for flag in change.flagged:
        found[before + flag.line] = (*found.get(before + flag.line, ()), flag.rule)
    return found


def plan_trust(plan: Plan) -> TrustLabel | None:
    """The lowest label of what a plan writes into semantic memory, ROOT or MEMORY.md; None where it writes none."""
    return lowest(one.trust for one in plan.changes if is_lasting(one.path) and isinstance(one.trust, TrustLabel))
