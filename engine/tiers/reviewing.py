"""Episodic → semantic: entries as appends, the cooldown's stamp, the reviewed files to the archive (§Workflow 3)."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import msgspec

from engine.models.summary import Summary
from engine.plans.plan import Append, Change, Create, LineOrigin, Move, Replace, RiskTier, strictest
from engine.tiers.archive import Names
from engine.tiers.classify import WORKING_TIER
from engine.tiers.cooldown import MetaFile, stamped
from engine.tiers.draft import Draft
from engine.tiers.duplicates import Duplicate, TitleIndex
from engine.tiers.episodic import EpisodicNote, read_note
from engine.tiers.extract import Extraction, extract
from engine.tiers.semantic import KnownTitle, comment_safe, read_entries
from engine.tiers.shards import Shards
from engine.tiers.source import Source
from engine.tiers.weigh import Weighed
from engine.workspace.canonical import sha256_hex
from engine.workspace.document import decode, split_lines
from engine.workspace.layout import META_PATH
from engine.workspace.values import LineSpan


class Review(msgspec.Struct, frozen=True):
    """An old episodic file and what reviewing it came to."""

    source: Source
    extraction: Extraction


class SemanticPhase(msgspec.Struct, frozen=True, kw_only=True):
    """What the phase put into the draft: change number of each entry, and the similar titles by change number."""

    appended: dict[int, int]
    duplicates: dict[int, tuple[Duplicate, ...]]


def has_sections(source: Source) -> bool:
    """Whether an episodic file has headings we know, so that it needs no summariser."""
    return read_note(source.note.text, source.note.first_line).sections


def review(source: Source, summary: Summary | None) -> Review:
    """Reads an episodic file by its headings, or by its `summary` where it has none."""
    if summary is None:
        note = read_note(source.note.text, source.note.first_line)
    else:
        note = EpisodicNote(
            summary=summary.events, decisions=summary.decisions, insights=summary.insights, sections=False
        )
    return Review(source, extract(source.path, note, source.file.facts.date.day))


def without_known(reviews: Sequence[Review], shards: Shards) -> tuple[list[Review], dict[str, int]]:
    """The reviews without entries that stand word for word in a shard and came from the same file; how many per file.

    Such entries are there because an earlier plan was applied in part, or had no room for the rest of the file.
    """
    known = {
        (entry.title, entry.insight, entry.provenance)
        for shard in shards.existing()
        for entry in read_entries(decode(shard.on_disk))[0]
    }
    kept: list[Review] = []
    already: dict[str, int] = {}
    for item in reviews:
        candidates = tuple(
            c
            for c in item.extraction.candidates
            if (c.entry.title, c.entry.insight, comment_safe(c.entry.provenance)) not in known
        )
        if len(candidates) < len(item.extraction.candidates):
            already[item.source.path] = len(item.extraction.candidates) - len(candidates)
        kept.append(Review(item.source, Extraction(candidates, item.extraction.refused)))
    return kept, already


def add_entries(draft: Draft, weighed: Sequence[Weighed], shards: Shards) -> SemanticPhase:
    """Adds one append for each entry that has room, or a create for the first of a new shard."""
    index = TitleIndex(shards.titles())
    created: dict[str, int] = {}
    appended: dict[int, int] = {}
    duplicates: dict[int, tuple[Duplicate, ...]] = {}
    for item in weighed:
        if item.waits:
            continue
        found = index.duplicates(item.candidate.entry.title)
        number = draft.add(_semantic_change(draft.next_number, item, found, created))
        if item.room.creates:
            created[item.shard] = number
        appended[item.number] = number
        if found:
            duplicates[number] = found
        index.add(KnownTitle(item.candidate.entry.title, item.shard, 0))
    return SemanticPhase(appended=appended, duplicates=duplicates)


def _semantic_change(number: int, item: Weighed, found: Sequence[Duplicate], created: dict[str, int]) -> Change:
    candidate, room = item.candidate, item.room
    size = f"{room.before:,} → {room.after:,} tokens"
    common: dict[str, Any] = {
        "n": number,
        "path": item.shard,
        "risk_tier": item.risk_tier,
        "reason": f"entry {item.number} from {candidate.source}; {item.shard}: {size}",
        "content": room.content,
        "sources": candidate.sources,
        "origins": _origins(item),
        "warnings": tuple(map(duplicate_text, found)),
    }
    if room.creates:
        return Create(**common)
    return Append(**common, requires=(created[item.shard],) if item.shard in created else ())


def _origins(item: Weighed) -> tuple[LineOrigin, ...]:
    labels = [label for label, _ in item.candidate.entry.fields()]
    first = next((n for n, line in enumerate(split_lines(item.room.content), 1) if line.strip()), 1)
    spans = item.candidate.spans
    return tuple(LineOrigin(line, spans[label]) for line, label in enumerate(labels, first) if label in spans)


def duplicate_text(found: Duplicate) -> str:
    """A similar title side by side with the new one."""
    place = (
        f"{found.other.path}:{found.other.line}"
        if found.other.line
        else f"another entry of this plan, {found.other.path}"
    )
    return f"similar title ({found.percent} %): “{found.title}” and “{found.other.title}” ({place})"


def add_stamp(draft: Draft, meta: MetaFile, appended: Sequence[int], now: datetime) -> None:
    """Adds the cooldown's stamp, which needs at least one semantic write (compactor §Update Cooldown Metadata)."""
    draft.bind(META_PATH, sha256_hex(meta.data) if meta.data is not None else None)
    kind = Create if meta.data is None else Replace
    draft.add(
        kind(
            n=draft.next_number,
            path=META_PATH,
            risk_tier=WORKING_TIER,
            reason="the time of this semantic compaction, for the cooldown",
            content=stamped(meta, now),
            requires_any=tuple(appended),
        )
    )


def add_archived(
    draft: Draft,
    reviews: Sequence[Review],
    weighed: Sequence[Weighed],
    phase: SemanticPhase,
    names: Names,
    today: date,
    already: dict[str, int],
) -> None:
    """Adds the moves of the reviewed files; a file with an entry that waits stays where it is (decision A20)."""
    entries: dict[str, list[Weighed]] = {}
    for entry in weighed:
        entries.setdefault(entry.candidate.source, []).append(entry)
    for item in reviews:
        source = item.source
        own = entries.get(source.path, [])
        if any(entry.waits for entry in own):
            continue
        whole: LineSpan = source.whole
        draft.add(
            Move(
                n=draft.next_number,
                path=source.path,
                to=names.archived(source.path, today),
                risk_tier=WORKING_TIER,
                reason=_archive_reason(source.file.age, len(own), already.get(source.path, 0)),
                sources=(whole,),
                dropped=tuple(map(str, item.extraction.refused)) + source.left_out,
                warnings=source.warnings,
                requires=tuple(phase.appended[entry.number] for entry in own),
            )
        )


def _archive_reason(age: int, entries: int, known: int) -> str:
    if entries:
        return f"{age} days old; its {entries} insight{'s' if entries > 1 else ''} above"
    if known:
        return f"{age} days old; its insights stand in semantic memory already"
    return f"{age} days old; no durable insight in it"


def semantic_tier(changes: Sequence[Change]) -> RiskTier:
    """The strictest of the semantic changes."""
    return strictest([change.risk_tier for change in changes if change.path.startswith("memory/semantic/")])
