"""Makes the plan checks of a compaction, on the finished changes (compactor §Safety Constraints)."""

from collections.abc import Iterable, Mapping, Sequence

from engine.compactor.extraction.episodic_to_semantic import SemanticPhase, duplicate_text
from engine.compactor.semantic.entry import read_entries
from engine.compactor.semantic.pollution import Duplicate, entry_pollution
from engine.plans.memory_status import CooldownState
from engine.plans.plan import Append, Change, Confirmation, Create, Move, QualityGate, Replace
from engine.plans.policy.values import SemanticLimits
from engine.text.document import split_lines
from engine.workspace.layout import SEMANTIC_INDEX
from engine.workspace.snapshot import Snapshot

SEMANTIC = "memory/semantic/"


def gates(
    snapshot: Snapshot,
    changes: Sequence[Change],
    phase: SemanticPhase,
    limits: SemanticLimits,
    unaccounted: Sequence[str],
) -> tuple[QualityGate, ...]:
    """Returns every plan check with its result; a failed one forbids applying."""
    written = [c for c in changes if isinstance(c, Create | Append) and _is_shard(c.path)]
    texts = {change.n: change.content for change in written}
    read = {number: read_entries(text) for number, text in texts.items()}
    schema = [(number, problem) for number, (_, problems) in read.items() for problem in problems]
    polluted = [(n, bad) for n, (entries, _) in read.items() for entry in entries for bad in entry_pollution(entry)]
    over = [w for w in phase.weighed if not w.waits and max(w.room.before, w.room.after) > limits.hard]
    waiting = sum(1 for w in phase.weighed if w.waits)
    files = len({problem.path for problem in phase.unfinished})
    left_out = f", those of {files} file{'s' if files > 1 else ''} refused, which stay" if files else ""
    asked = f"{len(phase.duplicates)} ask for confirmation" if phase.duplicates else "none"
    return (
        _gate("schema", schema, f"{len(texts)} entries{left_out}"),
        _gate("pollution", polluted, f"{len(texts)} entries"),
        QualityGate("duplicates", True, asked),
        QualityGate("size", not over, f"hard limit {limits.hard:,} tokens" + (f", {waiting} wait" if waiting else "")),
        _coverage(snapshot, changes, unaccounted),
        _append_only(snapshot, changes),
    )


def _is_shard(path: str) -> bool:
    return path.startswith(SEMANTIC) and path != SEMANTIC_INDEX


def _gate(name: str, problems: Iterable[tuple[int, object]], fine: str) -> QualityGate:
    said = "; ".join(f"change {number}, {problem}" for number, problem in problems)
    return QualityGate(name, not said, said or fine)


def _coverage(snapshot: Snapshot, changes: Sequence[Change], unaccounted: Sequence[str]) -> QualityGate:
    """Checks that cited lines exist, bullets have origins, and eligible files are taken, wait or are skipped."""
    wrong = [f"{path} is neither taken, waiting nor skipped" for path in unaccounted]
    for change in changes:
        for span in (*change.sources, *(origin.source for origin in change.origins)):
            facts = snapshot.files.get(span.path)
            if facts is None or not 1 <= span.start <= span.end <= max(1, facts.lines):
                wrong.append(f"change {change.n} cites {span}")
        if isinstance(change, Create | Append):
            lines = len(split_lines(change.content))
            wrong.extend(f"change {change.n} has no line {o.line}" for o in change.origins if not 1 <= o.line <= lines)
    moved = sum(isinstance(change, Move) for change in changes)
    return QualityGate("coverage", not wrong, "; ".join(wrong) or f"{moved} files archived whole, 0 lines lost")


def _append_only(snapshot: Snapshot, changes: Sequence[Change]) -> QualityGate:
    """Checks that the plan only appends to semantic memory and neither moves nor replaces archived files (A11)."""
    wrong = []
    for change in changes:
        semantic = _is_shard(change.path)
        if isinstance(change, Replace | Move) and (semantic or change.path.startswith("memory/archive/")):
            wrong.append(f"change {change.n} touches {change.path}")
        if isinstance(change, Create) and change.path in snapshot.files:
            wrong.append(f"change {change.n} would overwrite {change.path}")
        if isinstance(change, Move) and not change.to.startswith("memory/archive/"):
            wrong.append(f"change {change.n} moves to {change.to}")
    return QualityGate("append_only", not wrong, "; ".join(wrong))


def confirmations(
    *,
    first_run: bool,
    cooldown: CooldownState,
    semantic: tuple[int, ...],
    duplicates: Mapping[int, Sequence[Duplicate]],
) -> tuple[Confirmation, ...]:
    """Returns the yes/no questions of a plan; `semantic`: the changes under the cooldown (decision A12)."""
    asked = []
    if first_run:
        question = "This is the first compaction of this workspace. Is it backed up, and shall it run?"
        asked.append(Confirmation("first_run", question))
    if semantic and cooldown.active and cooldown.last is not None:
        since = f"The last semantic compaction was at {cooldown.last.isoformat()}."
        asked.append(Confirmation("cooldown", f"{since} Write again all the same?", semantic))
    for number, found in duplicates.items():
        question = f"Change {number}: {duplicate_text(found[0])}. Append it all the same?"
        asked.append(Confirmation(f"duplicate:{number}", question, (number,)))
    return tuple(asked)
