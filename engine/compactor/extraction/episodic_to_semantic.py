"""Plans episodic → semantic: appends of entries, the cooldown's stamp, moves to the archive (§Workflow 3)."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Any

import msgspec

from engine.compactor.extraction.candidates import Extraction, Offer
from engine.compactor.extraction.review import EpisodicReview, without_known
from engine.compactor.extraction.sections import DraftProblem
from engine.compactor.extraction.shard_choice import Scale, Weighed
from engine.compactor.limits.cooldown import MetaFile, stamped
from engine.compactor.limits.evaluation import MOVE_RISK_TIER
from engine.compactor.limits.thresholds import band_warning
from engine.compactor.options import CompactRequest
from engine.compactor.semantic.entry import INSIGHT, KnownTitle
from engine.compactor.semantic.pollution import Duplicate, NearEntries, TitleIndex
from engine.compactor.semantic.shards import ShardOutlook, Shards
from engine.plans.plan import Append, Change, Create, LineOrigin, Move, Replace
from engine.plans.planning import Draft, Planning
from engine.plans.policy.values import SemanticLimits
from engine.text.canonical_json import sha256_hex
from engine.text.derived import derived_line
from engine.text.document import split_lines
from engine.workspace.layout import META_PATH
from engine.workspace.snapshot import FreeNames
from engine.workspace.values import MemoryTier


class SemanticPhase(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the phase. `appended`: the change of each entry with room, by entry number. `duplicates`: similar
    titles by change number; `outlook`: each shard's size before and after."""

    weighed: tuple[Weighed, ...] = ()
    appended: dict[int, int] = {}
    duplicates: dict[int, tuple[Duplicate, ...]] = {}
    outlook: tuple[ShardOutlook, ...] = ()
    refused: tuple[str, ...] = ()
    unfinished: tuple[DraftProblem, ...] = ()
    """Schema problems of written-out entries, whose files stay in place (decision A26)."""
    offers: dict[int, Offer] = {}
    """Entries that only the operator can take, by the entry number to use."""
    warnings: tuple[str, ...] = ()


def add_semantic_phase(
    draft: Draft,
    planning: Planning,
    reviews: Sequence[EpisodicReview],
    *,
    options: CompactRequest,
    meta: MetaFile,
    names: FreeNames,
) -> SemanticPhase:
    """Adds the appends, the stamp and the moves of the reviewed files to the draft."""
    snapshot, counter, now = planning.snapshot, planning.counter, planning.now
    limits = planning.policy.limits.semantic
    if found := any(review.extraction.candidates for review in reviews):
        reviews = without_known(reviews, Shards(snapshot, counter))
    extractions = [review.extraction for review in reviews]
    candidates = [candidate for extraction in extractions for candidate in extraction.candidates]
    offers = [offer for extraction in extractions for offer in extraction.offers]
    phase = SemanticPhase(refused=tuple(str(refusal) for extraction in extractions for refusal in extraction.refused))
    if found or options.routes or options.edits:
        weighed, shards = Scale(snapshot, counter, limits, names).weigh(
            candidates, options.routes, options.edits, [offer.candidate for offer in offers]
        )
        # The duplicate check read all of them: a change in any may make an entry a duplicate (decision G10).
        for facts in snapshot.tier(MemoryTier.SEMANTIC):
            draft.read(facts.path)
        phase = _add_entries(draft, weighed, shards, phase.refused, limits)
    numbered = enumerate(offers, len(candidates) + 1)
    phase = msgspec.structs.replace(
        phase,
        unfinished=tuple(problem for extraction in extractions for problem in extraction.unfinished),
        offers={number: offer for number, offer in numbered if number not in options.edits},
    )
    # Also a file that is left alone is bound: what it says of the cooldown was asked.
    if phase.appended and (meta.data is not None or not meta.problem):
        draft.bind(META_PATH, sha256_hex(meta.data) if meta.data is not None else None)
    # The stamp is written only with a semantic write (decision A12).
    if phase.appended and not meta.problem:
        _add_stamp(draft, meta, list(phase.appended.values()), now)
    _add_archived(draft, reviews, phase, names, now.astimezone(UTC).date())
    return phase


def _add_entries(
    draft: Draft, weighed: tuple[Weighed, ...], shards: Shards, refused: tuple[str, ...], limits: SemanticLimits
) -> SemanticPhase:
    """Adds one append for each entry with room, or a create for the first entry of a new shard."""
    index, near = TitleIndex(shards.titles()), NearEntries.of_shards(shards)
    created: dict[str, int] = {}
    appended: dict[int, int] = {}
    duplicates: dict[int, tuple[Duplicate, ...]] = {}
    for item in weighed:
        if item.waits:
            continue
        entry = item.candidate.entry
        found = index.duplicates(entry.title, entry.insight) or near.duplicates(entry)
        number = appended[item.number] = draft.add(_semantic_change(draft.next_number, item, found, created, limits))
        if item.room.creates:
            created[item.shard] = number
        if found:
            duplicates[number] = found
        # The entries of one plan are compared with each other too.
        index.add(KnownTitle(entry.title, item.shard, 0))
        near.add(entry, item.shard)
    return SemanticPhase(
        weighed=weighed,
        appended=appended,
        duplicates=duplicates,
        outlook=shards.outlook(),
        refused=refused,
        warnings=tuple(f"the duplicate check could not read {path}: {why}" for path, why in shards.unreadable.items()),
    )


def _semantic_change(
    number: int, item: Weighed, found: Sequence[Duplicate], created: dict[str, int], limits: SemanticLimits
) -> Change:
    candidate, room = item.candidate, item.room
    why = f" ({item.why})" if item.why else ""
    # An append above the soft limit or the risk line says so (compactor §Soft + Hard Semantic Limits).
    large = band_warning(room.after, limits)
    common: dict[str, Any] = {
        "n": number,
        "path": item.shard,
        "risk_tier": item.risk_tier,
        "reason": f"entry {item.number} from {candidate.source}; {item.shard}{why}: "
        f"{room.before:,} → {room.after:,} tokens",
        "content": room.content,
        "sources": candidate.sources,
        "origins": _origins(item),
        "warnings": (*map(duplicate_text, found), *((large,) if large else ())),
    }
    if room.creates:
        return Create(**common)
    # Without the change that makes the shard there is nothing to append to.
    return Append(**common, requires=(created[item.shard],) if item.shard in created else ())


def _origins(item: Weighed) -> tuple[LineOrigin, ...]:
    labels = [label for label, _ in item.candidate.entry.fields()]
    first = next((n for n, line in enumerate(split_lines(item.room.content), 1) if line.strip()), 1)
    spans = item.candidate.spans
    return tuple(
        LineOrigin(line, span)
        for line, label in enumerate(labels, first)
        if label in spans
        for span in (spans[label], *(item.candidate.further if label == INSIGHT else ()))
    )


def duplicate_text(found: Duplicate) -> str:
    """Describes a similar title beside the new one, in one line."""
    other = found.other
    place = f"{other.path}:{other.line}" if other.line else f"another entry of this plan, {other.path}"
    if found.by_meaning:
        asked = f"changed ({found.changed})" if found.changed else "again"
        return f"{asked}? says nearly the same ({found.percent} %): “{found.title}” and “{other.title}” ({place})"
    return f"similar title ({found.percent} %): “{found.title}” and “{other.title}” ({place})"


def _add_stamp(draft: Draft, meta: MetaFile, appended: Sequence[int], now: datetime) -> None:
    """Adds the cooldown's stamp after at least one semantic write (compactor §Update Cooldown Metadata)."""
    kind = Create if meta.data is None else Replace
    stamp = kind(
        n=draft.next_number,
        path=META_PATH,
        risk_tier=MOVE_RISK_TIER,
        reason="the time of this semantic compaction, for the cooldown",
        content=stamped(meta, now),
        requires_any=tuple(appended),
    )
    draft.add(stamp)


def _add_archived(
    draft: Draft, reviews: Sequence[EpisodicReview], phase: SemanticPhase, names: FreeNames, today: date
) -> None:
    """Adds the moves of reviewed files; a file with a waiting or invalid entry stays (A20, A26)."""
    for item in reviews:
        source = item.source
        own = [entry for entry in phase.weighed if entry.candidate.source == source.path]
        if any(entry.waits for entry in own) or item.extraction.unfinished:
            continue
        said = {entry.candidate.entry.insight.casefold() for entry in own}
        why = "no durable insight in it"
        if own:
            why = f"its {len(own)} insight{'s' if len(own) > 1 else ''} above"
        elif item.known:
            why = "its insights stand in semantic memory already"
        move = Move(
            n=draft.next_number,
            path=source.path,
            to=names.archived(source.path, today),
            risk_tier=MOVE_RISK_TIER,
            reason=f"{source.file.age} days old; {why}",
            sources=(source.whole,),
            dropped=(*not_kept(item.extraction, said), *map(str, item.extraction.refused), *source.left_out),
            warnings=source.warnings,
            # A file is archived only if all of its entries are written.
            requires=tuple(phase.appended[entry.number] for entry in own),
        )
        draft.add(move)


def not_kept(extraction: Extraction, said: Collection[str]) -> Iterator[str]:
    """Yields a line for the operator about each of the best sentences that go only to the archive."""
    for point in extraction.not_kept:
        text = derived_line(point.text)
        if not any(text.casefold() in phrase for phrase in said):
            yield f"not kept: “{text}” (line {point.start})"
