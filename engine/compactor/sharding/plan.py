"""Plans sharding: the tier C plan that makes room in shards, beside the compaction (decisions A22, A24)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import PurePosixPath

import msgspec

from engine.compactor.extraction.shard_choice import Weighed
from engine.compactor.limits.evaluation import Evaluation
from engine.compactor.limits.thresholds import SEMANTIC_HARD, SEMANTIC_RISK, shard_figures
from engine.compactor.options import COMPACTOR_ZONE
from engine.compactor.quality_gates import confirmations
from engine.compactor.semantic.pieces import CutText, Piece, cut
from engine.compactor.semantic.shard_topics import Division, PartSize, divide
from engine.compactor.semantic.topic_words import name_stems
from engine.errors import MemdeckError
from engine.plans.memory_status import SemanticBand, ShardFigures
from engine.plans.plan import Change, Create, Plan, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning
from engine.plans.policy.values import SemanticLimits
from engine.text.tokens import TokenCounter
from engine.workspace.snapshot import FreeNames, Snapshot, obstacle
from engine.workspace.values import LineSpan

FOLDER = "memory/semantic"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class FullShard(msgspec.Struct, frozen=True, kw_only=True):
    """A shard to cut, and the entries that wait for room in it. `needs`: tokens of the largest; `comes`: of all."""

    path: str
    waiting: int = 0
    needs: int = 0
    comes: int = 0


def part_size(limits: SemanticLimits, needs: int, comes: int = 0) -> PartSize:
    """Returns sizes with room left: a third of the soft limit in a new shard, half or more in the old one."""
    room = limits.hard - needs
    keep = max(limits.soft // 10, min(limits.soft // 2, limits.risk - comes))
    return PartSize(most=min(limits.soft * 2 // 3, room), keep=min(keep, room))


def add_sharding(draft: Draft, planning: Planning, shard: FullShard, names: FreeNames) -> str:
    """Adds the new shards and the rest of the old one; returns the reason if it cannot be cut, else ''."""
    snapshot, counter, limits = planning.snapshot, planning.counter, planning.policy.limits.semantic
    if shard.needs > limits.hard:
        return "an entry that waits is larger than a shard may be: shorten it"
    try:
        text = snapshot.content(shard.path).decode("utf-8")
    except (MemdeckError, UnicodeDecodeError) as error:
        return error.message if isinstance(error, MemdeckError) else "it is not UTF-8"
    whole = cut(text)
    if len(whole.pieces) < 2:
        return "it has only one entry, and entries are never cut"
    sizes = [counter.count(piece.text) for piece in whole.pieces]
    # The stems of the words that name a shard already.
    stems = (PurePosixPath(path).stem for path in snapshot.files if path.startswith(f"{FOLDER}/"))
    taken = frozenset(stem for name in stems for stem in frozenset().union(*name_stems(name)))
    division = divide(whole.pieces, sizes, part_size(limits, shard.needs, shard.comes), taken)
    if not division.topics:
        return "its entries are too large to make room: route what waits to another shard"
    _add(draft, planning, shard.path, whole, division, names)
    return ""


def _add(draft: Draft, planning: Planning, path: str, whole: CutText, division: Division, names: FreeNames) -> None:
    # The shards and what is left of the old one stand or fall together: approved alone, either would double or lose
    # entries (decision A11).
    old, created = draft.next_number + len(division.topics), []
    for topic in division.topics:
        members = [whole.pieces[index] for index in topic.members]
        content = "".join(piece.text for piece in members)
        tokens = planning.counter.count(content)
        over = tokens > planning.policy.limits.semantic.hard
        shard = Create(
            n=draft.next_number,
            path=names.free(FOLDER, topic.name),
            risk_tier=RiskTier.C,
            reason=f"{_entries(len(members))} of {path}, word for word: {tokens:,} tokens",
            content=content,
            sources=_spans(path, members),
            requires=(old,),
            warnings=("above the hard limit: one entry is never cut",) if over else (),
        )
        created.append(draft.add(shard))
    kept = [whole.pieces[index] for index in division.general]
    content = whole.preamble + "".join(piece.text for piece in kept)
    tokens, first = planning.counter.count(content), len(_LINE.findall(whole.preamble))
    rest = Replace(
        n=draft.next_number,
        path=path,
        risk_tier=RiskTier.C,
        reason=f"keeps its {_entries(len(kept))} of no one topic, word for word: {tokens:,} tokens",
        content=content,
        sources=(*((LineSpan(path, 1, first),) if first else ()), *_spans(path, kept)),
        requires=tuple(created),
    )
    draft.add(rest)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _spans(path: str, pieces: Sequence[Piece]) -> tuple[LineSpan, ...]:
    """Returns the lines of pieces, joining adjacent ones."""
    lines = [line for piece in pieces for line in range(piece.start, piece.end + 1)]
    runs = (list(run) for _, run in groupby(enumerate(lines), key=lambda pair: pair[1] - pair[0]))
    return tuple(LineSpan(path, run[0][1], run[-1][1]) for run in runs)


def is_word_for_word(original: str, parts: Sequence[tuple[Sequence[LineSpan], str]]) -> bool:
    """Tells whether each part is exactly its named lines, and each original line is in one part."""
    lines = _LINE.findall(original)
    named = [[line for span in spans for line in range(span.start, span.end + 1)] for spans, _ in parts]
    if sorted(line for part in named for line in part) != list(range(1, len(lines) + 1)):
        return False
    pairs = zip(named, parts, strict=True)
    return all("".join(lines[line - 1] for line in part) == content for part, (_, content) in pairs)


SYSTEM = "shard"
ON_COMPACTION = "compact"
"""Marks a plan that follows the compaction of the same run, until the queue knows that plan's digest."""
NO_ROOM = "no_room"  # the trigger of a sharding for an entry that waits, where no shard is above the hard limit
_BANDS = {SemanticBand.BLOCKED: "blocked", SemanticBand.RISK: "above the risk line"}


def propose_sharding(
    planning: Planning, *, evaluated: Evaluation, names: FreeNames, weighed: Sequence[Weighed] = ()
) -> tuple[tuple[Plan, ...], dict[str, str]]:
    """Offers one plan that cuts every shard above the risk line or with waiting entries (A24); says for each shard what
    happens. Waiting for the hard limit left a shard at risk for twenty weeks."""
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
    """Returns the plan marked as following the compaction of its run, which must be applied first (A30)."""
    told = "it stands on the outcome of the compaction of the same run: apply that first"
    return msgspec.structs.replace(plan, after=ON_COMPACTION, warnings=(told, *plan.warnings))


def _cut(draft: Draft, planning: Planning, names: FreeNames, figures: ShardFigures, shard: FullShard) -> str:
    """Adds the parts of one shard, and says what happens to it."""
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
    """Yields the shards without room for entries, with the sizes of those entries."""
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
    """Checks that each change is exactly its named lines, and that no line is missing or repeated."""
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
