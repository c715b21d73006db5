"""Records on which days and how each file was used, in the operator's state (decision D46)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import date
from enum import StrEnum

import msgspec

from engine.errors import MemdeckError
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table, TableRows
from engine.text.canonical_json import sha256_hex

MOST_FILES = 20_000  # files of which days are kept; those that were first of use go first
ENTRY, QUESTION = "~entry/", "~asked/"  # beginnings of keys that are no paths, behind all usual ones; then a hash
DAYS_LOADED = 14  # days on which an entry was loaded without any use, from which on it is told
RARE = 4  # entries in which a word may stand and still point at one of them
FEWEST = 2  # words that an answer must share with an entry, one of them rare: then it used it
MOST_DAYS = 400  # days of one file, the newest

Days = dict[str, tuple[str, ...]]  # the kinds of references of each day, by the day as ISO text


class ReferenceKind(StrEnum):
    """The uses that count. Links and subscriptions are in the files, so they are not stored."""

    COMPILED = "compiled"
    OPENED = "opened"
    READ = "read"
    LOADED = "loaded"  # of an entry: a session began with it
    CITED = "cited"  # of an entry: an answer used it
    ASKED = "asked"  # of a question: nothing was found
    LINKED = "linked"
    SUBSCRIBED = "subscribed"


class ReferenceDays:
    """Days by path. A kind counts once a day, so that reading in a loop counts no more."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.REFERENCE_DAYS)
        self._known: set[tuple[str, str, str]] = set()

    def add(self, kind: ReferenceKind, paths: Collection[str], day: date) -> None:
        """Counts a use of these files on a day; does nothing where the state cannot be written."""
        new = [path for path in paths if (kind.value, path, day.isoformat()) not in self._known]
        if not new:
            return
        with suppress(MemdeckError), self._table.change() as rows:
            for path in new:
                _add(rows, path, kind, day.isoformat())
            highest, count = rows.extent()
            if count > MOST_FILES:
                rows.drop_numbers(number for number, _ in rows.below(highest)[: count - MOST_FILES])
            self._known |= {(kind.value, path, day.isoformat()) for path in new}

    def idle(self) -> Mapping[str, int]:
        """Gives by key the days on which entries were loaded that no answer used, from 14 days on."""
        kinds = {key: [kind for of_day in days.values() for kind in of_day] for key, days in self._entries().items()}
        found = {key: of.count("loaded") for key, of in kinds.items() if "cited" not in of}
        return {key: count for key, count in found.items() if count >= DAYS_LOADED}

    def keep_only(self, entries: Collection[str]) -> None:
        with suppress(MemdeckError), self._table.change() as rows:
            for key in self._entries().keys() - set(entries):
                rows.drop(key)

    def _entries(self, prefix: str = ENTRY) -> Mapping[str, Days]:
        return {key: days for key, days in self._table.values(Days, prefix).items() if key.startswith(prefix)}

    def questions(self) -> Mapping[str, Days]:
        """Gives the days of unanswered questions, by key."""
        return self._entries(QUESTION)

    def all(self) -> Mapping[str, Days]:
        """Gives the days of every file; none where they cannot be read."""
        return self._table.values(Days)


def text_key(text: str) -> str:
    """Gives the hash by which a text is counted, without its words."""
    return sha256_hex(text.encode("utf-8", "surrogatepass"))[:12]


def used_entries(said: frozenset[str], entries: Sequence[frozenset[str]]) -> list[int]:
    """Gives the numbers of the entries that share enough words with an answer, one of them rare."""
    shared = [said & words for words in entries]
    common = Counter(word for words in shared for word in words)
    return [n for n, words in enumerate(shared) if len(words) >= FEWEST and any(common[w] <= RARE for w in words)]


def _add(rows: TableRows, path: str, kind: ReferenceKind, day: str) -> None:
    body = rows.get(path)
    try:
        days: Days = msgspec.json.decode(body, type=Days) if body is not None else {}
    except msgspec.DecodeError:
        days = {}
    days[day] = tuple(sorted({*days.get(day, ()), kind.value}))
    rows.put(path, msgspec.json.encode(dict(sorted(days.items())[-MOST_DAYS:])))
