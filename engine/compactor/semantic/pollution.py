"""Refuses text that must never enter semantic memory, and finds similar titles (decisions A14, A16)."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import msgspec

from engine.compactor.semantic.entry import TITLE, KnownTitle, SemanticEntry, read_entries
from engine.compactor.semantic.shards import Shards
from engine.text.document import decode
from engine.text.encoder.encoder import TextEncoder, text_encoder
from engine.text.pattern_file import PatternFile, pattern_file
from engine.text.secrets.detector import find_secrets

if TYPE_CHECKING:
    from engine.text.encoder.network import Floats

LONGEST_FIELD = 600  # characters of one field; more is a raw summary, not an insight


class Pollution(msgspec.Struct, frozen=True):
    """The line (from 1) and the rule for which a text is refused."""

    line: int
    rule: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.rule}"


@cache
def rules() -> dict[str, re.Pattern[str]]:
    """Reads the pattern of each rule, for all languages together."""
    tables = [pattern_file(__package__, name)["rules"] for name in ("pollution.toml", "pollution_languages.toml")]
    names = dict.fromkeys(name for table in tables for name in table)
    return {
        name: re.compile("|".join(pattern for table in tables for pattern in table.get(name, ()))) for name in names
    }


def line_pollution(text: str, line: int) -> tuple[Pollution, ...]:
    """Returns every rule that a line of text breaks, once each."""
    broken = ("raw summary",) if len(text) > LONGEST_FIELD else _rules_broken(text)
    return tuple(Pollution(line, rule) for rule in broken)


@lru_cache(maxsize=4096)
def _rules_broken(text: str) -> tuple[str, ...]:
    """Returns the rules that a line breaks, cached: a plan checks each line three times."""
    broken = [rule for rule, pattern in rules().items() if pattern.search(text)]
    return (*broken, "secret") if find_secrets(text) else tuple(broken)


def entry_pollution(entry: SemanticEntry) -> tuple[Pollution, ...]:
    """Returns the pollution in an entry's fields, by line of its text."""
    found: list[Pollution] = []
    for number, (label, text) in enumerate(entry.fields(), 1):
        found.extend(line_pollution(text, entry.lines.get(label, number)))
    return tuple(found)


SUBSTRING_LENGTH = 8  # characters from which a title within another counts as similar, if it is half as long at least

_PUNCTUATION = re.compile(r"[^\w\s]|_")


class Duplicate(msgspec.Struct, frozen=True):
    """A similar title in semantic memory or in this plan. `percent` is rounded down."""

    title: str
    other: KnownTitle
    percent: int
    changed: str = ""  # the difference of two that say nearly the same: figures, or that one says no
    by_meaning: bool = False


def normal_title(title: str) -> str:
    """Normalises a title: case folded, no punctuation, single spaces. Keeps a title that is all punctuation."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    return " ".join(_PUNCTUATION.sub(" ", folded).split()) or " ".join(folded.split())


def similar(left: str, right: str) -> bool:
    """Tells whether two normal titles are similar: ratio ≥ 0.85, or one in the other by ≥ 8 characters and ≥ half."""
    length = len(left) + len(right)
    # Whole numbers: 1 - distance/length ≥ 0.85 in floats is false at the limit itself for some lengths.
    if 20 * _distance(left, right, 3 * length // 20) <= 3 * length:
        return True
    short, long = sorted((left, right), key=len)
    return len(short) >= SUBSTRING_LENGTH and 2 * len(short) >= len(long) and short in long


def ratio_percent(left: str, right: str) -> int:
    """Returns the similarity of two normal titles in percent, rounded down."""
    length = len(left) + len(right)
    # Rounded down: 84.9 % must not be shown as the 85 % that counts as similar.
    return 100 if length == 0 else 100 * (length - _distance(left, right)) // length


def _distance(left: str, right: str, most: int | None = None) -> int:
    """Counts the characters to insert or delete between two texts; stops above `most` with a larger number."""
    from rapidfuzz.distance import Indel  # 30 ms, which a look at the status does without

    return Indel.distance(left, right, score_cutoff=most)


class TitleIndex:
    """The known titles, each normalised once."""

    def __init__(self, known: Sequence[KnownTitle]) -> None:
        self._known = [(normal_title(title.title), title) for title in known]

    def add(self, title: KnownTitle) -> None:
        self._known.append((normal_title(title.title), title))

    def duplicates(self, title: str, insight: str = "") -> tuple[Duplicate, ...]:
        """Returns known titles similar to `title` or to the insight (which a person's title may repeat), best first."""
        wordings = [normal_title(text) for text in (title, insight) if text]
        found = [
            Duplicate(title, other, max(ratio_percent(normal, text) for normal in alike))
            for text, other in self._known
            if (alike := [normal for normal in wordings if similar(normal, text)])
        ]
        return tuple(sorted(found, key=lambda duplicate: -duplicate.percent))


SAME = 0.75  # cosine of two insights from which a person is asked whether the later one says the same again
MOST = 600  # entries, the last of the shards, that a new one is compared with: each takes the encoder 3 ms, once
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NEGATION = PatternFile(__package__, "stop_words.toml", "negation", "denial")


class NearEntries:
    """The known entries, compared by meaning; without the encoder it finds none."""

    def __init__(self, known: Sequence[tuple[KnownTitle, str]]) -> None:
        """`known`: title and insight of each entry."""
        self._known = list(known[-MOST:])

    @classmethod
    def of_shards(cls, shards: Shards) -> "NearEntries":
        texts = ((shard.path, decode(shard.on_disk)) for shard in shards.existing())
        entries = ((path, entry) for path, text in texts for entry in read_entries(text)[0] if entry.insight)
        return cls([(KnownTitle(one.title, path, one.lines.get(TITLE, 0)), one.insight) for path, one in entries])

    def add(self, entry: SemanticEntry, path: str) -> None:
        self._known.append((KnownTitle(entry.title, path, 0), entry.insight))

    def duplicates(self, entry: SemanticEntry) -> tuple[Duplicate, ...]:
        """Returns the nearest known entry if near enough, with what differs in `changed`."""
        encoder = text_encoder() if self._known and entry.insight else None
        if not isinstance(encoder, TextEncoder):
            return ()
        own = _vector(encoder, entry.insight)
        near = [(round(float(own @ _vector(encoder, text)), 3), title, text) for title, text in self._known]
        cosine, other, insight = max(near, key=lambda row: row[0])
        if cosine < SAME:
            return ()
        return (Duplicate(entry.title, other, int(100 * cosine), difference(entry.insight, insight), by_meaning=True),)


@lru_cache(maxsize=4096)
def _vector(encoder: TextEncoder, text: str) -> "Floats":
    found: Floats = encoder.encode([text])[0]
    return found


def difference(one: str, other: str) -> str:
    """Says in which numbers or negation two near texts differ, which meaning does not show; empty if in none."""
    figures, others = (set(NUMBER.findall(text)) for text in (one, other))
    if figures - others and others - figures:
        return f"{', '.join(sorted(figures - others))} and {', '.join(sorted(others - figures))}"
    denied, denied_too = (bool(NEGATION["negation"].search(text)) for text in (one, other))
    return "one of them says no" if denied != denied_too else ""
