"""The Tier C plan that makes room in shards, in a plan of its own (decisions A22, A24)."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from engine.compactor.extraction.room import Weighed
from engine.compactor.limits.evaluation import Evaluation
from engine.compactor.limits.thresholds import SEMANTIC_HARD, SEMANTIC_RISK, shard_figures
from engine.compactor.options import COMPACTOR_ZONE
from engine.compactor.quality_gates import confirmations
from engine.compactor.sharding.cut import FOLDER, FullShard, add_sharding, is_word_for_word
from engine.plans.plan import Change, Create, Plan, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning
from engine.plans.status import SemanticBand, ShardFigures
from engine.text.tokens import TokenCounter
from engine.workspace.snapshot import FreeNames, Snapshot, obstacle

SYSTEM = "shard"
ON_COMPACTION = "compact"
"""The mark of a plan that stands on the compaction of its run, until the queue knows that one's digest."""
NO_ROOM = "no_room"  # the trigger of a sharding for an entry that waits, where no shard is above the hard limit
_BANDS = {SemanticBand.BLOCKED: "blocked", SemanticBand.RISK: "above the risk line"}


def propose_sharding(
    planning: Planning, *, evaluated: Evaluation, names: FreeNames, weighed: Sequence[Weighed] = ()
) -> tuple[tuple[Plan, ...], dict[str, str]]:
    """Offers, in one plan, to cut every shard that is above the risk line, or in which an entry waits (A24), and says
    of each what becomes of it. A shard cut no sooner than that stood at risk for twenty weeks."""
    draft, notes = Draft(planning), dict[str, str]()
    figures = shard_figures(planning.snapshot, planning.policy.limits.semantic)
    full = {shard.path: shard for shard in _crowded(weighed)}
    for shard in figures:
        if shard.path in full or shard.band in _BANDS:
            notes[shard.path] = _cut(draft, planning, names, shard, full.get(shard.path, FullShard(path=shard.path)))
    # Shards that are not there yet: there is nothing to cut, so the entry itself is too large.
    for path in full.keys() - {shard.path for shard in figures}:
        if full[path].waiting:
            notes[path] = "an entry that waits is larger than a shard may be: shorten it"
    if not draft.changes:
        return (), notes
    trigger = NO_ROOM if any(shard.waiting for shard in full.values()) else SEMANTIC_RISK
    if any(shard.band is SemanticBand.BLOCKED for shard in figures):
        trigger = SEMANTIC_HARD
    return (_plan(planning, evaluated, draft, notes, trigger),), notes


def chained(plan: Plan) -> Plan:
    """The plan as one that stands on the outcome of the compaction of its run, which is applied first (A30)."""
    told = "it stands on the outcome of the compaction of the same run: apply that first"
    return msgspec.structs.replace(plan, after=ON_COMPACTION, warnings=(told, *plan.warnings))


def _cut(draft: Draft, planning: Planning, names: FreeNames, figures: ShardFigures, shard: FullShard) -> str:
    """Adds the parts of one shard, and says what becomes of it."""
    entries = "1 entry waits" if shard.waiting == 1 else f"{shard.waiting} entries wait"
    waits = f"{entries} for room" if shard.waiting else ""
    state = ", ".join(filter(None, (_BANDS.get(figures.band, ""), waits)))
    said = f"{figures.tokens:,} tokens, {state}"
    before = len(draft.changes)
    reason = obstacle(planning.snapshot, FOLDER) or add_sharding(draft, planning, shard, names)
    if reason:
        return f"{said}; it cannot be sharded: {reason}"
    made = (change.path.rpartition("/")[2] for change in draft.changes[before:] if isinstance(change, Create))
    return f"{said}: a plan of its own moves entries by topic into {', '.join(made)}"


def _crowded(weighed: Iterable[Weighed]) -> Iterator[FullShard]:
    """The shards in which entries have no room, with what waits for it."""
    waiting: dict[str, list[int]] = {}
    for item in weighed:
        if item.full:
            waiting.setdefault(item.shard, []).append(item.room.after - item.room.before)
    for path, sizes in waiting.items():
        yield FullShard(path=path, waiting=len(sizes), needs=max(sizes), comes=sum(sizes))


def _plan(planning: Planning, evaluated: Evaluation, draft: Draft, notes: dict[str, str], trigger: str) -> Plan:
    changes = draft.changes
    cut = [_facts(old, changes, planning.counter) for old in changes if isinstance(old, Replace)]
    return draft.finish(
        SYSTEM,
        trigger,
        zone=COMPACTOR_ZONE,
        gates=(_word_for_word(planning.snapshot, changes),),
        confirmations=confirmations(
            first_run=evaluated.first_run,
            cooldown=evaluated.cooldown,
            semantic=tuple(change.n for change in changes),
            duplicates={},
        ),
        warnings=tuple(warning for change in changes for warning in change.warnings),
        report=_report(changes, notes),
        facts={"shards": cut, "risk_tier": RiskTier.C},
    )


def _word_for_word(snapshot: Snapshot, changes: Sequence[Change]) -> QualityGate:
    """Checks the finished changes: each is the lines that it names, and no line of a shard is missing or twice."""
    wrong = []
    shards = [change.path for change in changes if isinstance(change, Replace)]
    for path in shards:
        parts = [
            (change.sources, change.content)
            for change in changes
            if isinstance(change, Create | Replace) and change.sources[0].path == path
        ]
        if not is_word_for_word(snapshot.content(path).decode("utf-8"), parts):
            wrong.append(path)
    fine = f"{', '.join(shards)}: every line stands in one part, byte for byte"
    return QualityGate("word_for_word", not wrong, f"{', '.join(wrong)}: a line is lost or changed" if wrong else fine)


def _facts(old: Replace, changes: Sequence[Change], counter: TokenCounter) -> dict[str, object]:
    new = [change for change in changes if isinstance(change, Create) and change.requires == (old.n,)]
    return {
        "path": old.path,
        "tokens_after": counter.count(old.content),
        "new_shards": [{"path": change.path, "tokens": counter.count(change.content)} for change in new],
    }


def _report(changes: Sequence[Change], notes: dict[str, str]) -> str:
    lines = ["Semantic sharding (dry run: nothing is written until APPROVED is typed)"]
    for old in changes:
        if isinstance(old, Replace):
            lines.append(f"{old.path}: {notes[old.path]}")
            lines += [
                f"   {change.path}: {change.reason}" for change in changes if old.n in (change.n, *change.requires)
            ]
    lines.append("Once it is applied, plan again: what waits is appended to the shard it belongs to.")
    return "\n".join(lines) + "\n"
