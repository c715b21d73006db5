"""Entries weighed one by one, oldest first: up to the risk line B, up to the hard limit C, the rest wait (A2, A20)."""

from collections.abc import Mapping, Sequence

import msgspec

from engine.compactor.extraction.default_shard import DefaultShards, ShardChoice
from engine.compactor.extraction.drafted_entries import EntryCandidate
from engine.compactor.limits.risk_tier import append_risk_tier
from engine.compactor.semantic.entry import SchemaError, SchemaProblem, SemanticEntry, render, valid_entries
from engine.compactor.semantic.pollution import entry_pollution
from engine.compactor.semantic.routes import check_numbers, routed
from engine.compactor.semantic.shards import Room, Shards
from engine.errors import Blocked
from engine.plans.plan import RiskTier
from engine.plans.policy.values import SemanticLimits
from engine.text.tokens import TokenCounter
from engine.workspace.snapshot import Snapshot

BY_OPERATOR = "your route"


class Weighed(msgspec.Struct, frozen=True, kw_only=True):
    """An entry, its number, its shard, and what appending it comes to. `waits` says why it cannot be appended.

    `why` says why it goes to that shard; `by_operator`: because the operator routed it there.
    """

    number: int
    candidate: EntryCandidate
    shard: str
    why: str = ""
    by_operator: bool = False
    room: Room
    risk_tier: RiskTier
    waits: str = ""
    full: bool = False
    """The shard has no room for it: that is what sharding makes (decision A24)."""


class Scale:
    """Weighs entries against one snapshot. Each weighing starts from the shards as they are on disk."""

    def __init__(self, snapshot: Snapshot, counter: TokenCounter, limits: SemanticLimits) -> None:
        self._snapshot = snapshot
        self._counter = counter
        self._limits = limits

    def weigh(
        self,
        candidates: Sequence[EntryCandidate],
        routes: Mapping[int | str, str],
        edits: Mapping[int, str],
        offers: Sequence[EntryCandidate] = (),
    ) -> tuple[tuple[Weighed, ...], Shards]:
        """The entries in the order of their numbers, and the shards as they would be with those that fit.

        The numbers are those of the plan without routes and edits: first the entries that fit, then those that wait,
        then what is offered. An edit takes an offer.
        """
        shards = Shards(self._snapshot, self._counter)
        defaults = DefaultShards(shards)
        choices = [defaults.choose(candidate.entry) for candidate in candidates]
        plain = self._weigh_all(list(enumerate(candidates, 1)), dict(enumerate(choices, 1)), shards)
        # Numbers are given before routes and edits, or routing one entry would renumber the others.
        ranked = sorted(plain, key=lambda weighed: (weighed.waits != "", weighed.number))
        numbered = {number: weighed.candidate for number, weighed in enumerate(ranked, 1)}
        taken = {number: offer for number, offer in enumerate(offers, len(ranked) + 1) if number in edits}
        titles = {number: candidate.entry.title for number, candidate in (numbered | taken).items()}
        check_numbers(edits, titles)
        targets = routed(routes, titles)
        if not targets and not edits:
            return tuple(msgspec.structs.replace(w, number=n) for n, w in enumerate(ranked, 1)), shards
        shards = Shards(self._snapshot, self._counter)
        edited = [(n, edited_candidate(c, edits[n], n) if n in edits else c) for n, c in (numbered | taken).items()]
        places = {number: ShardChoice(weighed.shard, weighed.why) for number, weighed in enumerate(ranked, 1)}
        places |= {number: defaults.choose(offer.entry) for number, offer in taken.items()}
        places |= {number: ShardChoice(path, BY_OPERATOR) for number, path in targets.items()}
        return tuple(self._weigh_all(edited, places, shards)), shards

    def _weigh_all(
        self, numbered: Sequence[tuple[int, EntryCandidate]], places: Mapping[int, ShardChoice], shards: Shards
    ) -> list[Weighed]:
        return [self._weigh(n, candidate, places[n], shards) for n, candidate in numbered]

    def _weigh(self, number: int, candidate: EntryCandidate, place: ShardChoice, shards: Shards) -> Weighed:
        path = place.path
        shard = shards[path]
        full = append_risk_tier(shard.projected, shard.projected, self._limits) is None
        # A blocked shard may be very large: nothing is gained by counting it anew for every entry.
        room = shard.full() if full else shard.room_for(render(candidate.entry))
        risk_tier = append_risk_tier(room.before, room.after, self._limits)
        waits, no_room = shard.problem, not shard.problem and risk_tier is None
        if no_room:
            size = f"{room.before:,}" if full else f"{room.before:,} → {room.after:,}"
            waits = f"no room in {path}: {size} tokens, hard limit {self._limits.hard:,}"
        # Counted at once, so that the next entry is weighed against the projected size (decision A2).
        if not waits:
            shard.take(room)
        return Weighed(
            number=number,
            candidate=candidate,
            shard=path,
            why=place.reason,
            by_operator=place.reason == BY_OPERATOR,
            room=room,
            risk_tier=risk_tier or RiskTier.C,
            waits=waits,
            full=no_room,
        )


def edited_candidate(candidate: EntryCandidate, text: str, number: int) -> EntryCandidate:
    """The candidate in the operator's words; `SchemaError` or `Blocked` where they may not be written."""
    where = f"entry {number}"
    entries = valid_entries(text, where=where)
    if len(entries) != 1:
        raise SchemaError(
            [SchemaProblem(entries[1].lines["Title"], "Title", "a second entry", entries[1].title)], where=where
        )
    polluted = entry_pollution(entries[0])
    if polluted:
        raise Blocked("; ".join(map(str, polluted)), where=where, hint="semantic memory holds durable knowledge only")
    entry: SemanticEntry = msgspec.structs.replace(entries[0], provenance=candidate.entry.provenance, lines={})
    return msgspec.structs.replace(candidate, entry=entry)
