"""Entries that say the same by meaning, in any of the encoder's languages: a card asks, nothing is merged (A34)."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from engine.compactor.semantic.entry import TITLE, KnownTitle, SemanticEntry, read_entries
from engine.compactor.semantic.pollution import Duplicate
from engine.compactor.semantic.shards import Shards
from engine.text.document import decode
from engine.text.encoder.encoder import TextEncoder, text_encoder
from engine.text.pattern_file import PatternFile

if TYPE_CHECKING:
    from engine.text.encoder.network import Floats

SAME = 0.75  # cosine of two insights from which a person is asked whether the later one says the same again
MOST = 600  # entries, the last of the shards, that a new one is compared with: each takes the encoder 3 ms, once
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATION = PatternFile(__package__, "stop_words.toml", "negation", "denial")


class NearEntries:
    """The entries known so far, by meaning; without the encoder none is near to another."""

    def __init__(self, known: Sequence[tuple[KnownTitle, str]]) -> None:
        """`known`: where each entry stands, and what it says."""
        self._known = list(known[-MOST:])

    @classmethod
    def of_shards(cls, shards: Shards) -> "NearEntries":
        texts = ((shard.path, decode(shard.on_disk)) for shard in shards.existing())
        entries = ((path, entry) for path, text in texts for entry in read_entries(text)[0] if entry.insight)
        return cls([(KnownTitle(one.title, path, one.lines.get(TITLE, 0)), one.insight) for path, one in entries])

    def add(self, entry: SemanticEntry, path: str) -> None:
        self._known.append((KnownTitle(entry.title, path, 0), entry.insight))

    def duplicates(self, entry: SemanticEntry) -> tuple[Duplicate, ...]:
        """The nearest known entry, if it is near enough; `changed` says what differs all the same."""
        encoder = text_encoder() if self._known and entry.insight else None
        if not isinstance(encoder, TextEncoder):
            return ()
        own = _vector(encoder, entry.insight)
        near = [(round(float(own @ _vector(encoder, text)), 3), title, text) for title, text in self._known]
        cosine, other, insight = max(near, key=lambda one: one[0])
        if cosine < SAME:
            return ()
        changed = difference(entry.insight, insight)
        return (Duplicate(entry.title, other, int(100 * cosine), changed, by_meaning=True),)


@lru_cache(maxsize=4096)
def _vector(encoder: TextEncoder, text: str) -> "Floats":
    found: Floats = encoder.encode([text])[0]
    return found


def difference(one: str, other: str) -> str:
    """Tells in what two near texts differ that meaning does not show: "port 5433" and "port 5434" are near."""
    figures, others = (set(_NUMBER.findall(text)) for text in (one, other))
    if figures - others and others - figures:
        return f"{', '.join(sorted(figures - others))} and {', '.join(sorted(others - figures))}"
    denied, denied_too = (bool(_NEGATION["negation"].search(text)) for text in (one, other))
    return "one of them says no" if denied != denied_too else ""
