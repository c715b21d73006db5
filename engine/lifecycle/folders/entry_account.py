"""The account of a review: the outcome of every entry of BEFORE, and the junk among new ones."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.lifecycle.account import Account
from engine.lifecycle.prune.memory_entries import MemoryEntry, memory_entries
from engine.models.noise import machine_lines
from engine.text.document import split_lines
from engine.text.language import SMALL
from engine.text.markdown import heading_of

MERGED_SHARE = 0.6  # the share of an entry's words, all its numbers among them, that one entry of AFTER has to hold
_RAREST = 5  # words by which an entry that could hold another one is looked for
_POSTINGS = 500  # entries with one word that are looked at; those of a rarer word come first
_WORD = re.compile(r"[぀-ヿ㐀-鿿가-힯]|[^\W぀-ヿ㐀-鿿가-힯]+")
_LEFTOVER = re.compile(r"\b(?:NO_REPLY|HEARTBEAT_OK)\b|\[score=\d|<!--\s*openclaw-memory-promotion")
_CONVERSATION = re.compile(r"[-*+\s]*(?:\*\*)?(?:assistant|human)(?:\*\*)?\s*:", re.IGNORECASE)
_BROKEN_OFF = re.compile(r"(?:…|\.\.\.)\s*\Z")
_VALUES = re.compile(r"[-*+\s]*\{\s*\"[^\"\n]{1,60}\"\s*:")


def entries_of(texts: Mapping[str, str]) -> list[MemoryEntry]:
    return [entry for path in sorted(texts) for entry in memory_entries(path, texts[path])]


def entry_account(before: Sequence[MemoryEntry], after: Sequence[MemoryEntry], archived: Iterable[str]) -> Account:
    """Accounts for the entries by path and line: kept, merged, archived with their note, or omitted."""
    there = Counter(plain(entry) for entry in after)
    known, gone = EntryWordIndex(after), frozenset(archived)
    parts: dict[str, set[str]] = defaultdict(set)
    for entry in before:
        if there[plain(entry)] > 0:
            part = "kept"
        elif known.holder(entry) is not None:
            part = "merged"
        else:
            part = "archived" if entry.path in gone else "left_out"
        parts[part].add(name_of(entry))
    return Account(entries=frozenset(map(name_of, before)), **{part: frozenset(names) for part, names in parts.items()})


def name_of(entry: MemoryEntry) -> str:
    """Gives an entry's name, such as `knowledge/x.md:12`."""
    return f"{entry.path}:{entry.start}"


def junk(texts: Mapping[str, str], before: Iterable[MemoryEntry]) -> dict[str, list[str]]:
    """Gives by path the new entries that look like no memory, each with its line and the reason."""
    old = {plain(entry) for entry in before}
    seen: set[str] = set()
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(texts):
        machine = machine_lines(split_lines(texts[path]))
        for entry in memory_entries(path, texts[path]):
            words = plain(entry)
            # What was there before is not the consolidation's doing.
            reason = "" if words in old else _junk(entry, machine) or ("said twice" if words in seen else "")
            seen.add(words)
            if reason:
                found[path].append(f"line {entry.start} looks like junk: {reason}")
    return found


def _junk(entry: MemoryEntry, machine: Mapping[int, str]) -> str:
    rows = range(entry.start - 1, entry.end)
    if not (words := set(_words(entry.text))):
        return "no word"
    if (words <= SMALL and entry.text.lstrip()[:1] in "-*+") or _BROKEN_OFF.search(entry.text):
        return "it breaks off"
    if entry.text[:1] in "-*+" and heading_of(entry.text.lstrip("-*+ \t")) is not None:
        return "a heading in the place of an entry"
    if _LEFTOVER.search(entry.text):
        return "a mark of the tool that wrote it"
    if _CONVERSATION.match(entry.text):
        return "a line of a conversation"
    if _VALUES.match(entry.text):
        return "values of a program"
    return machine[rows[0]] if all(row in machine for row in rows) else ""


def plain(entry: MemoryEntry) -> str:
    """Gives an entry's words without the signs between them."""
    return " ".join(_words(entry.text))


def _words(text: str) -> Iterator[str]:
    return (match[0].casefold() for match in _WORD.finditer(text))


class EntryWordIndex:
    """Finds the entry that has most of another entry's words."""

    def __init__(self, entries: Sequence[MemoryEntry]) -> None:
        self._sets = [frozenset(_words(entry.text)) for entry in entries]
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(self._sets):
            for word in words:
                self._places[word].append(place)

    def holder(self, entry: MemoryEntry) -> int | None:
        """Gives the number of the first entry with enough of these words and all of its numbers, or None."""
        words = frozenset(_words(entry.text))
        # A merge may leave words out and no number: a port or a date has no other word for it.
        numbers = {word for word in words if any(char.isdigit() for char in word)}
        rare = sorted(
            (word for word in words if word in self._places), key=lambda word: (len(self._places[word]), word)
        )
        places = {place for word in rare[:_RAREST] for place in self._places[word][:_POSTINGS]}
        full = (place for place in places if numbers <= self._sets[place])
        least = MERGED_SHARE * len(words)
        return min((place for place in full if len(words & self._sets[place]) >= least), default=None)
