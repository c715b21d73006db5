"""Chooses an entry's shard (A21) and its tier: B to the risk line, C to the hard limit, else it waits (A2, A20)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath

import msgspec

from engine.compactor.extraction.sections import EntryCandidate, nearest_shard, new_shards
from engine.compactor.limits.append_risk import append_risk_tier
from engine.compactor.options import DEFAULT_SHARD, USER_SHARD
from engine.compactor.semantic.entry import (
    TITLE,
    SchemaError,
    SchemaProblem,
    SemanticEntry,
    read_entries,
    render,
    valid_entries,
)
from engine.compactor.semantic.entry_edit import check_numbers, routed
from engine.compactor.semantic.pieces import cut
from engine.compactor.semantic.pollution import entry_pollution
from engine.compactor.semantic.shards import Room, Shard, Shards
from engine.compactor.semantic.topic_words import name_stems, nouns
from engine.errors import Blocked
from engine.plans.plan import RiskTier
from engine.plans.policy.values import SemanticLimits
from engine.text.document import decode
from engine.text.language import language_of
from engine.text.tokens import TokenCounter
from engine.text.words import is_wide
from engine.workspace.snapshot import FreeNames, Snapshot

FEWEST_ENTRIES = 2
"""Fewest titles of a shard that a word must be in, and fewest such words that an entry's title must have."""

_IN_TITLE, _IN_TEXT = 4.0, 2.5
"""Weights of a shard's name in an entry's title and in its insight; shared words weigh at most 1 each."""


class ShardChoice(msgspec.Struct, frozen=True):
    """The shard for an entry, and the reason; no reason for the default shard."""

    path: str
    reason: str = ""


class _Profile(msgspec.Struct, frozen=True):
    """The stems of each word in a shard's name, and the share of its entries that have each stem."""

    path: str
    name: tuple[frozenset[str], ...]
    shares: dict[str, float]


class DefaultShards:
    """Chooses a shard for an entry among a snapshot's shards (decision A21)."""

    def __init__(self, shards: Shards) -> None:
        known = [shard for shard in shards.existing() if not shard.problem]
        alone = all(shard.path == DEFAULT_SHARD for shard in known)
        # The default one first: another has to be nearer to take an entry from it.
        known.sort(key=lambda shard: shard.path != DEFAULT_SHARD)
        self._profiles = [] if alone else [_profile(shard) for shard in known]
        self._spread = Counter(stem for profile in self._profiles for stem in profile.shares)

    def choose(self, candidate: EntryCandidate, full: Collection[str] = ()) -> ShardChoice:
        """Chooses `user.md` for facts about the user, else the named or alike shard, else the default, maybe `full`."""
        if candidate.of_user and USER_SHARD not in full:
            return ShardChoice(USER_SHARD, "it says who the user is")
        entry = candidate.entry
        profiles = [profile for profile in self._profiles if profile.path not in full]
        if not profiles:
            return ShardChoice(DEFAULT_SHARD)
        whole = f"{entry.title}\n{entry.insight}\n{entry.impact}"
        language = language_of(whole)
        title, text = nouns(entry.title, language), nouns(whole, language)
        weighed = [(*self._worth(profile, title, text), profile.path) for profile in profiles]
        worth, reason, path = max(weighed, key=lambda found: found[0])
        return ShardChoice(path, reason) if worth and path != DEFAULT_SHARD else ShardChoice(DEFAULT_SHARD)

    def _worth(self, profile: _Profile, title: dict[str, str], text: dict[str, str]) -> tuple[float, str]:
        # A title names the subject alone; what else the shard's titles say stands in the insight.
        shared = {stem: share for stem, share in profile.shares.items() if stem in text}
        worth = sum(share / self._spread[stem] for stem, share in shared.items())
        words = [_named(stems, text) for stems in profile.name]
        if profile.path != DEFAULT_SHARD and words and all(words):
            named = _IN_TITLE if all(_named(stems, title) for stems in profile.name) else _IN_TEXT
            # Of two shards that an entry names, the one with the longer name says more.
            return named + len(profile.name) - 1 + worth, f"it names “{' '.join(words)}”"
        first = sorted(shared, key=lambda stem: (-shared[stem], stem))[:3]
        reason = "its entries too are about " + ", ".join(f"“{text[stem]}”" for stem in first)
        return (worth, reason) if len(shared) >= FEWEST_ENTRIES else (0.0, "")


def _named(stems: frozenset[str], words: dict[str, str]) -> str:
    """Returns the word of a text that matches a name's word, or in scripts without blanks a part of one; else empty."""
    exact = (words[stem] for stem in sorted(stems) if stem in words)
    parts = (stem for stem in sorted(stems) if is_wide(stem) for word in words if stem in word)
    return next(chain(exact, parts), "")


def _profile(shard: Shard) -> _Profile:
    text = decode(shard.on_disk)
    # The titles of a shard, or its paragraphs where it has no entry.
    titles = [entry.title for entry in read_entries(text)[0]] or text.split("\n\n")
    counts = Counter(stem for title in titles for stem in set(nouns(title)))
    shares = {stem: count / len(titles) for stem, count in counts.items() if count >= FEWEST_ENTRIES}
    own = frozenset().union(*name_stems(PurePosixPath(DEFAULT_SHARD).stem))
    name = tuple(stems for stems in name_stems(PurePosixPath(shard.path).stem) if stems.isdisjoint(own))
    return _Profile(shard.path, name, shares)


BY_OPERATOR = "your route"


class Weighed(msgspec.Struct, frozen=True, kw_only=True):
    """An entry, its shard and the effect of appending it. `waits`: why it cannot be; `why`: why that shard."""

    number: int
    candidate: EntryCandidate
    shard: str
    why: str = ""
    by_operator: bool = False
    room: Room
    risk_tier: RiskTier
    waits: str = ""
    full: bool = False  # the shard has no room for it: that is what sharding makes (decision A24)
    spills: bool = False
    """True if it would make its shard too large: it moves to another shard with room or a new one (decision A31)."""


class Scale:
    """Weighs entries against one snapshot, each time from the shards as they are on disk."""

    def __init__(
        self, snapshot: Snapshot, counter: TokenCounter, limits: SemanticLimits, names: FreeNames | None = None
    ) -> None:
        self._snapshot = snapshot
        self._counter = counter
        self._limits = limits
        self._names = names or FreeNames(snapshot)
        self._cuttable: dict[str, bool] = {}

    def weigh(
        self,
        candidates: Sequence[EntryCandidate],
        routes: Mapping[int | str, str],
        edits: Mapping[int, str],
        offers: Sequence[EntryCandidate] = (),
    ) -> tuple[tuple[Weighed, ...], Shards]:
        """Returns the weighed entries by number, and the shards after appending those that fit. Numbers ignore routes
        and edits: fitting entries first, then waiting ones, then offers. An edit takes an offer."""
        shards = Shards(self._snapshot, self._counter)
        defaults = DefaultShards(shards)
        choices = [defaults.choose(candidate) for candidate in candidates]
        plain = [self._weigh(n, *pair, shards) for n, pair in enumerate(zip(candidates, choices, strict=True), 1)]
        # Numbers are given before routes and edits, or routing one entry would renumber the others.
        ranked = sorted(plain, key=lambda weighed: (weighed.waits != "" and not weighed.spills, weighed.number))
        numbered = {number: weighed.candidate for number, weighed in enumerate(ranked, 1)}
        taken = {number: offer for number, offer in enumerate(offers, len(ranked) + 1) if number in edits}
        titles = {number: candidate.entry.title for number, candidate in (numbered | taken).items()}
        check_numbers(edits, titles)
        targets = routed(routes, titles)
        if not targets and not edits:
            numbered_plain = [msgspec.structs.replace(w, number=n) for n, w in enumerate(ranked, 1)]
            return self._settled(numbered_plain, shards, defaults), shards
        shards = Shards(self._snapshot, self._counter)
        places = {number: ShardChoice(weighed.shard, weighed.why) for number, weighed in enumerate(ranked, 1)}
        places |= {number: defaults.choose(offer) for number, offer in taken.items()}
        places |= {number: ShardChoice(path, BY_OPERATOR) for number, path in targets.items()}
        edited = {n: edited_candidate(c, edits[n], n) if n in edits else c for n, c in (numbered | taken).items()}
        weighed = [self._weigh(n, candidate, places[n], shards) for n, candidate in edited.items()]
        return self._settled(weighed, shards, defaults), shards

    def _settled(self, weighed: Sequence[Weighed], shards: Shards, defaults: DefaultShards) -> tuple[Weighed, ...]:
        """Moves entries that spill to a shard with room about the same topic, else to new shards by topic (A31)."""
        spilled = {item.number: item.candidate for item in weighed if item.spills}
        full = sorted({item.shard for item in weighed if item.spills})
        found: dict[int, Weighed] = {}
        for number, candidate in spilled.items():
            place = self._elsewhere(candidate, shards, defaults, full)
            item = self._weigh(number, candidate, place, shards) if place.path not in full else None
            if item is not None and not item.spills and not item.waits:
                found[number] = item
        left = {number: candidate for number, candidate in spilled.items() if number not in found}
        most = self._limits.soft * 2 // 3
        holders = [shards[path] for path in full]
        made = new_shards(left, holders, most, self._counter.count, self._names, shards.paths()) if left else {}
        for number, path in made.items():
            place = ShardChoice(path, "a new shard: no other has room")
            found[number] = self._weigh(number, left[number], place, shards)
        return tuple(found.get(item.number, item) for item in weighed)

    def _elsewhere(
        self, candidate: EntryCandidate, shards: Shards, defaults: DefaultShards, full: Sequence[str]
    ) -> ShardChoice:
        choice = defaults.choose(candidate, frozenset(full))
        if choice.path not in full:
            return choice
        # The default shard takes what belongs nowhere; a shard that has its topic takes what is near to it.
        room = [shard for shard in shards.present() if shard.path not in {*full, DEFAULT_SHARD} and not shard.problem]
        near = nearest_shard(candidate, [shard for shard in room if shard.projected < self._limits.soft])
        return ShardChoice(near, "its entries are the nearest by meaning") if near else choice

    def _spills(self, shard: Shard, risk_tier: RiskTier | None, place: ShardChoice) -> bool:
        if place.reason == BY_OPERATOR or shard.problem or risk_tier is RiskTier.B:
            return False
        if shard.path not in self._cuttable:
            # What comes to a full shard would be cut off it again; a shard of one entry stays whole.
            self._cuttable[shard.path] = len(cut(decode(shard.on_disk)).pieces) > 1
        return self._cuttable[shard.path]

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
        spills = self._spills(shard, risk_tier, place)
        # Counted at once, so that the next entry is weighed against the projected size (decision A2).
        if not waits and not spills:
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
            spills=spills,
        )


def edited_candidate(candidate: EntryCandidate, text: str, number: int) -> EntryCandidate:
    """Returns the candidate in the operator's words; raises `SchemaError` or `Blocked` if invalid."""
    where = f"entry {number}"
    first, *more = valid_entries(text, where=where)
    if more:
        raise SchemaError([SchemaProblem(more[0].lines[TITLE], TITLE, "a second entry", more[0].title)], where=where)
    if polluted := entry_pollution(first):
        raise Blocked("; ".join(map(str, polluted)), where=where, hint="semantic memory holds durable knowledge only")
    entry: SemanticEntry = msgspec.structs.replace(first, provenance=candidate.entry.provenance, lines={})
    return msgspec.structs.replace(candidate, entry=entry)
