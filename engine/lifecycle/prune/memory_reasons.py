"""Finds the entries of MEMORY.md that may go, by the four reasons of §8.5, each with its ground (decision D25)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum

import msgspec

from engine.lifecycle.prune.memory_entries import MemoryEntry
from engine.text.pattern_file import PatternFile
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.dates import parse_day

HISTORICAL_DAYS = 30  # no younger entry is archived as historical
MOST_LOADED = 200  # lines of MEMORY.md that an agent loads: what is undated and stands below them is not read today
LEAST_LETTERS = 10  # letters of an entry that is compared with others: a shorter one says the same as too many
LEAST_SHARE = 0.6  # share of a longer entry that a shorter one must make up to be merged into it
MOST_VALUE = 8  # words of a value; what is longer is a sentence, and two sentences on one subject may both hold

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LEAD = re.compile(
    r"\s*(?:[-*+]|\d{1,9}[.)])?\s*(?:\[[ xX]\]\s*)?(?:\*\*)?\[?(?:\d{4}-\d{2}-\d{2})?\]?(?:\*\*)?[\s:—–-]*"
)
_WORDS = PatternFile(__package__, "memory_words.toml", "articles turns many until")
_MARK = re.compile(r"\[(?:CURATE|TEMPORARY)\]")
_CODE = re.compile(r"\b(?:DEC|FACT|CONFIG)-\d+[:\s]*")
_WORD = re.compile(r"\w+")
_SUPERSEDED = re.compile(r"[(\[<][!\s-]*superseded\b", re.IGNORECASE)
_STRUCK = re.compile(r"\s*(?:[-*+]\s+)?~~.+~~\s*", re.DOTALL)
_DONE = re.compile(r"\s*[-*+]\s+\[[xX]\]\s")
_SETTING = re.compile(r"[*_`]*([^:=.!?\n]{3,60}?)[*_`]*\s*[:=]\s+(\S.*)")


class PruneReason(StrEnum):
    """The four reasons in their order, and the one that no answer used the entry."""

    CAPTURED = "captured"
    REDUNDANT = "redundant"
    SUPERSEDED = "stale or superseded"
    HISTORICAL = "historical"
    UNUSED = "never used"


class PrunedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that goes. `why` is a sentence for the operator; `into` names the entry that says the same."""

    entry: MemoryEntry
    reason: PruneReason
    why: str
    into: str = ""


def pruned_entries(
    entries: Sequence[MemoryEntry], elsewhere: Iterable[MemoryEntry], today: date
) -> Iterator[PrunedEntry]:
    """Yields every entry that may go, in order; never a protected one, or one into which another was merged."""
    free = [entry for entry in entries if not entry.kept]
    captured = list(_captured(free, elsewhere))
    taken = {pruned.entry.start for pruned in captured}
    redundant = list(_redundant([entry for entry in entries if entry.start not in taken]))
    needed = {pruned.into for pruned in redundant}
    yield from captured
    for pruned in (*redundant, *_stale(free, today), *_historical(free, today)):
        if pruned.entry.start not in taken and f"{pruned.entry.path}:{pruned.entry.start}" not in needed:
            taken.add(pruned.entry.start)
            yield pruned


def said_words(text: str) -> tuple[str, ...]:
    """Gives an entry's words, without bullet, date, marks, comments, case and articles."""
    clean = _CODE.sub("", _MARK.sub("", _COMMENT.sub("", text)))
    words = _WORD.findall(_LEAD.sub("", clean, count=1).casefold())
    articles = _WORDS.words("articles")
    return tuple(word for word in words if word not in articles)


def is_held(short: Sequence[str], long: Sequence[str]) -> bool:
    """Tells whether the longer entry has all words of the shorter one in a row."""
    if sum(map(len, short)) < LEAST_LETTERS or len(short) < LEAST_SHARE * len(long):
        return False
    # "Use Redis" is not held by "never use Redis".
    turns = _WORDS.words("turns")
    if [word for word in short if word in turns] != [word for word in long if word in turns]:
        return False
    return any(tuple(long[at : at + len(short)]) == tuple(short) for at in range(len(long) - len(short) + 1))


def _captured(entries: Sequence[MemoryEntry], elsewhere: Iterable[MemoryEntry]) -> Iterator[PrunedEntry]:
    # What is superseded elsewhere is no place where an entry is kept.
    by_word: dict[str, list[tuple[tuple[str, ...], MemoryEntry]]] = defaultdict(list)
    for other in elsewhere:
        if not _SUPERSEDED.search(other.text):
            other_words = said_words(other.text)
            for word in dict.fromkeys(other_words):  # only entries with a word in common are compared
                by_word[word].append((other_words, other))
    for entry in entries:
        words = said_words(entry.text)
        near = {id(one): (said, one) for word in words for said, one in by_word.get(word, ())}
        place = next((one for said, one in near.values() if is_held(words, said)), None)
        if place is not None:
            where = f"{place.path}:{place.start}"
            yield PrunedEntry(
                entry=entry, reason=PruneReason.CAPTURED, why=f"the same words stand in {where}", into=where
            )


def _redundant(entries: Sequence[MemoryEntry]) -> Iterator[PrunedEntry]:
    """Yields entries that another one in the file includes; of two equal ones the later stays."""
    said = [(said_words(entry.text), entry) for entry in entries]
    gone: set[int] = set()
    for at, (words, entry) in enumerate(said):
        if entry.kept:
            continue
        for other, (longer, kept) in enumerate(said):
            if other == at or other in gone or not is_held(words, longer):
                continue
            # Of two that are equal only one may go.
            if len(longer) > len(words) or kept.kept or _comes_later(kept, entry):
                gone.add(at)
                yield PrunedEntry(
                    entry=entry,
                    reason=PruneReason.REDUNDANT,
                    why=f"merged into line {kept.start}, which says all of it: {_shown(kept)}",
                    into=f"{kept.path}:{kept.start}",
                )
                break


def _comes_later(entry: MemoryEntry, other: MemoryEntry) -> bool:
    return (entry.day or date.min, entry.start) > (other.day or date.min, other.start)


def _stale(entries: Sequence[MemoryEntry], today: date) -> Iterator[PrunedEntry]:
    newest: dict[tuple[str, tuple[str, ...]], tuple[MemoryEntry, tuple[str, ...]]] = {}
    for entry in entries:
        setting = _setting(entry)
        if setting is not None and entry.day is not None:
            # The same key under two headings may be about two things.
            key = (entry.section, setting[0])
            if key not in newest or _comes_later(entry, newest[key][0]):
                newest[key] = entry, setting[1]
    for entry in entries:
        if why := _past(entry, today) or _replaced(entry, newest):
            yield PrunedEntry(entry=entry, reason=PruneReason.SUPERSEDED, why=why)


def _past(entry: MemoryEntry, today: date) -> str:
    if _SUPERSEDED.search(entry.text):
        return "it is marked as superseded"
    if _STRUCK.fullmatch(_COMMENT.sub("", entry.text)):
        return "it is struck out"
    if _DONE.match(entry.text) and "\n" not in entry.text:
        return "it is a task that is done"
    if "[TEMPORARY]" in entry.text and "[CURATE]" not in entry.text:
        return "it is marked as temporary"
    ends = [day for match in _WORDS["until"].finditer(entry.text) if (day := parse_day(match[1])) is not None]
    return f"it held until {max(ends)}" if ends and max(ends) < today else ""


def _replaced(
    entry: MemoryEntry, newest: Mapping[tuple[str, tuple[str, ...]], tuple[MemoryEntry, tuple[str, ...]]]
) -> str:
    setting = _setting(entry)
    later = newest.get((entry.section, setting[0])) if setting is not None else None
    if setting is None or later is None or entry.day is None or later[0].day is None:
        return ""
    # Of the same day neither is known to be the later.
    if later[0].day <= entry.day or later[1] == setting[1]:
        return ""
    return f"line {later[0].start} of {later[0].day} has another value: {_shown(later[0])}"


def _setting(entry: MemoryEntry) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Gives key and value of a one-line entry like `Port of billing: 5432`; None for another."""
    if "\n" in entry.text:
        return None
    found = _SETTING.fullmatch(_LEAD.sub("", _CODE.sub("", _COMMENT.sub("", entry.text)), count=1).strip())
    if found is None:
        return None
    key, value = (tuple(_WORD.findall(part.casefold())) for part in found.groups())
    fits = 2 <= len(key) <= 6 and 0 < len(value) <= MOST_VALUE
    # A key of one word says too little, and one of many is a sentence.
    return (key, value) if fits and _WORDS.words("many").isdisjoint(key) else None


def _historical(entries: Sequence[MemoryEntry], today: date) -> Iterator[PrunedEntry]:
    """Yields the oldest dated entries, then from the end the undated ones below the lines that agents load."""
    for entry in sorted((one for one in entries if one.day is not None), key=lambda one: (one.day, one.start)):
        if entry.day is not None and (today - entry.day).days > HISTORICAL_DAYS:
            why = f"of {entry.day}, {(today - entry.day).days} days ago: the oldest go first"
            yield PrunedEntry(entry=entry, reason=PruneReason.HISTORICAL, why=why)
    for entry in reversed(entries):
        if entry.day is None and entry.start > MOST_LOADED:
            why = f"undated, and below the {MOST_LOADED} lines that an agent loads"
            yield PrunedEntry(entry=entry, reason=PruneReason.HISTORICAL, why=why)


def _shown(entry: MemoryEntry) -> str:
    first = visible_line(redact(" ".join(entry.text.split())))
    return first if len(first) <= 60 else f"{first[:60]}…"
