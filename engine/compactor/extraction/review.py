"""Reviews old episodic files for lasting insights (compactor §Extract to Semantic)."""

from collections.abc import Sequence

import msgspec

from engine.compactor.extraction.candidates import Extraction, Offer, Refusal, extract
from engine.compactor.extraction.sections import EpisodicNote, read_note
from engine.compactor.extraction.situation import WholeNote
from engine.compactor.notes.working_to_episodic import SourceNote
from engine.compactor.semantic.entry import INSIGHT, comment_safe, read_entries
from engine.compactor.semantic.pollution import normal_title
from engine.compactor.semantic.provenance import is_dated
from engine.compactor.semantic.shards import Shards
from engine.models.summary import Summary
from engine.text.document import decode


class EpisodicReview(msgspec.Struct, frozen=True):
    """An old episodic file and its extraction. `known`: number of its entries that a shard already has."""

    source: SourceNote
    extraction: Extraction
    known: int = 0


def review(source: SourceNote, summary: Summary | None, whole: WholeNote | None = None) -> EpisodicReview:
    """Reads an episodic file by its headings, or by its `summary` if it has none; `whole` as in `extract`."""
    note = read_note(source.note.text, source.note.first_line)
    if summary is not None:
        note = _summed_up(note, summary)
    chosen = summary is None and source.file.facts.frontmatter.get("summary") is None
    facts = source.file.facts
    found = extract(source.path, note, facts.date.day, chosen=chosen, whole=whole, has_day=is_dated(facts))
    return EpisodicReview(source, found)


def _summed_up(note: EpisodicNote, summary: Summary) -> EpisodicNote:
    """Returns a note with the points of its summary that are outside written-out entries."""
    written = {n for draft in note.drafts for n in range(draft.start, draft.start + draft.text.count("\n") + 1)}
    events, decisions, insights, facts = (
        tuple(point for point in points if written.isdisjoint(range(point.start, point.end + 1)))
        for points in (summary.events, summary.decisions, summary.insights, summary.facts)
    )
    return msgspec.structs.replace(note, summary=events, decisions=decisions, insights=insights, facts=facts)


def without_known(reviews: Sequence[EpisodicReview], shards: Shards) -> list[EpisodicReview]:
    """Drops entries that a shard already has from the same file, as after a plan applied in part or without room. An
    entry whose insight a shard has from another file is only offered: nothing is merged (A14)."""
    entries = [(shard.path, entry) for shard in shards.existing() for entry in read_entries(decode(shard.on_disk))[0]]
    known = {(entry.title, entry.insight, entry.provenance) for _, entry in entries}
    said = {normal_title(entry.insight): path for path, entry in entries}
    kept = []
    for item in reviews:
        candidates, offers, refused = [], list(item.extraction.offers), list(item.extraction.refused)
        for candidate in item.extraction.candidates:
            entry, told = candidate.entry, normal_title(candidate.entry.insight)
            if (entry.title, entry.insight, comment_safe(entry.provenance)) in known:
                continue
            if told in said:
                why = f"stands word for word in {said[told]}"
                offers.append(Offer(candidate, why))
                refused.append(Refusal(candidate.spans[INSIGHT], why))
            else:
                candidates.append(candidate)
                said[told] = f"another entry of this plan, from {candidate.source}"
        extraction = msgspec.structs.replace(
            item.extraction, candidates=tuple(candidates), offers=tuple(offers), refused=tuple(refused)
        )
        kept.append(EpisodicReview(item.source, extraction, len(item.extraction.candidates) - len(candidates)))
    return kept
