"""The shard that an entry belongs to unless the operator says otherwise, with the reason (decisions A21, A24)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import PurePosixPath

import msgspec

from engine.compactor.options import DEFAULT_SHARD
from engine.compactor.semantic.entry import SemanticEntry, read_entries
from engine.compactor.semantic.shards import Shard, Shards
from engine.compactor.semantic.topic_words import name_stems, nouns
from engine.text.document import decode
from engine.text.language import language_of
from engine.text.words import is_wide

FEWEST_ENTRIES = 2
"""Titles of a shard in which a word must stand, and words that a title must share with them, to belong there."""

_IN_TITLE, _IN_TEXT = 4.0, 2.5
"""Weights of a shard's name in an entry's title, or in its insight alone; shared words come to 1 for each at most."""


class ShardChoice(msgspec.Struct, frozen=True):
    """A shard and why an entry goes there; no reason for the default one."""

    path: str
    reason: str = ""


class _Profile(msgspec.Struct, frozen=True):
    """The words of a shard's name, each as its stems, and the share of its entries that have each stem."""

    path: str
    name: tuple[frozenset[str], ...]
    shares: dict[str, float]


class DefaultShards:
    """Chooses among the shards that a snapshot has; looks at none of them where there is only the default one."""

    def __init__(self, shards: Shards) -> None:
        known = [shard for shard in shards.existing() if not shard.problem]
        alone = all(shard.path == DEFAULT_SHARD for shard in known)
        # The default one first: another has to be nearer to take an entry from it.
        known.sort(key=lambda shard: shard.path != DEFAULT_SHARD)
        self._profiles = [] if alone else [_profile(shard) for shard in known]
        self._spread = Counter(stem for profile in self._profiles for stem in profile.shares)

    def choose(self, entry: SemanticEntry) -> ShardChoice:
        """The shard whose name the entry has, or whose entries are about the same; else the default one."""
        if not self._profiles:
            return ShardChoice(DEFAULT_SHARD)
        whole = f"{entry.title}\n{entry.insight}\n{entry.impact}"
        language = language_of(whole)
        title, text = nouns(entry.title, language), nouns(whole, language)
        best, choice = 0.0, ShardChoice(DEFAULT_SHARD)
        for profile in self._profiles:
            worth, reason = self._worth(profile, title, text)
            if worth > best:
                best, choice = worth, ShardChoice(profile.path, reason if profile.path != DEFAULT_SHARD else "")
        return choice

    def _worth(self, profile: _Profile, title: dict[str, str], text: dict[str, str]) -> tuple[float, str]:
        shared = {stem: share for stem, share in profile.shares.items() if stem in title}
        worth = sum(share / self._spread[stem] for stem, share in shared.items())
        words = [_named(stems, text) for stems in profile.name]
        if profile.path != DEFAULT_SHARD and words and all(words):
            named = _IN_TITLE if all(_named(stems, title) for stems in profile.name) else _IN_TEXT
            # Of two shards that an entry names, the one with the longer name says more.
            return named + len(profile.name) - 1 + worth, f"it names “{' '.join(words)}”"
        if len(shared) < FEWEST_ENTRIES:
            return 0.0, ""
        first = sorted(shared, key=lambda stem: (-shared[stem], stem))[:3]
        return worth, "its entries too are about " + ", ".join(f"“{title[stem]}”" for stem in first)


def _named(stems: frozenset[str], words: dict[str, str]) -> str:
    """The word of a text that a word of a name is, or that has it as a part where no blanks stand; '' if there is none.

    备份策略 names 备份: where a longer word parts is not known.
    """
    exact = (words[stem] for stem in sorted(stems) if stem in words)
    parts = (stem for stem in sorted(stems) if is_wide(stem) for word in words if stem in word)
    return next(chain(exact, parts), "")


def _profile(shard: Shard) -> _Profile:
    docs = list(_documents(decode(shard.on_disk)))
    counts = Counter(stem for doc in docs for stem in doc)
    shares = {stem: count / len(docs) for stem, count in counts.items() if count >= FEWEST_ENTRIES}
    own = {stem for stems in name_stems(PurePosixPath(DEFAULT_SHARD).stem) for stem in stems}
    name = tuple(stems for stems in name_stems(PurePosixPath(shard.path).stem) if stems.isdisjoint(own))
    return _Profile(shard.path, name, shares)


def _documents(text: str) -> Iterator[set[str]]:
    """The stems of each title of a shard, or of each paragraph where it has no entry."""
    entries, _ = read_entries(text)
    texts: Sequence[str] = [entry.title for entry in entries] or text.split("\n\n")
    yield from (set(nouns(one)) for one in texts)
