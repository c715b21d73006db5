"""Finds statements that were replaced by later ones, and marks them in texts (D61)."""

import re
from operator import itemgetter

import msgspec

from engine.errors import MemdeckError
from engine.extraction.rows import holds_entries, is_lasting
from engine.lifecycle.forget.sought_words import statement, tokens
from engine.search.values import SearchHit
from engine.text.document import split_lines
from engine.text.sentences import sentences
from engine.workspace.layout import is_archived
from engine.workspace.snapshot import Snapshot

_OVER = re.compile(r"^(.*?) \(superseded: (?:[0-9a-f]{10} )?(\d{4}-\d\d-\d\d)\b", re.MULTILINE)
_ROW = re.compile(r"^- (\d{4}-\d\d-\d\d): ((?:(?!\(superseded: ).)*) <!-- x:[0-9a-f]{10} -->\r?$", re.MULTILINE)
_TOLD = re.compile(r"\((?:superseded|said otherwise on|instead of)\b")
_FEWEST = 3  # words of a statement: fewer stand in lines that have nothing to do with it

Days = dict[str, str]
Pairs = list[tuple[str, str]]


class OlderStatements:
    """Reads the marks that plans and people put after superseded lines; each note is cached until it changes."""

    def __init__(self) -> None:
        self._notes: dict[str, tuple[Pairs, Pairs]] = {}
        self._over: tuple[Snapshot | None, Days] = (None, {})

    def marked(self, text: str, snapshot: Snapshot) -> str:
        """Adds a mark after each superseded line, as in a compiled prompt."""
        if not (over := self._days(snapshot)):
            return text
        lines = ((line, _since(line, over)) for line in text.split("\n"))
        return "\n".join(f"{line} (said otherwise on {day})" if day else line for line, day in lines)

    def marked_hit(self, hit: SearchHit, snapshot: Snapshot) -> SearchHit:
        """Adds a mark before the hit's snippet if its line is superseded."""
        over = self._days(snapshot)
        lines = split_lines(_text(snapshot, hit.path)) if over else []
        day = _since(lines[hit.line - 1], over) if 0 < hit.line <= len(lines) else ""
        return msgspec.structs.replace(hit, snippet=f"(said otherwise on {day}) {hit.snippet}") if day else hit

    def _days(self, snapshot: Snapshot) -> Days:
        """Gives the day of each superseded statement, by its words; without those that were stated again later."""
        if self._over[0] is not snapshot:
            files = [facts for facts in snapshot.files.values() if holds_entries(facts.path) or is_lasting(facts.path)]
            files = [facts for facts in files if not is_archived(facts.path)]
            known, self._notes = self._notes, {}
            for facts in files:
                self._notes[facts.sha256] = known.get(facts.sha256) or _days_in(_text(snapshot, facts.path))
            pairs = ([pair for note in self._notes.values() for pair in note[at]] for at in (0, 1))
            over, held = (dict(sorted(some, key=itemgetter(1))) for some in pairs)
            self._over = snapshot, {words: day for words, day in over.items() if held.get(words, "") < day}
        return self._over[1]


def _text(snapshot: Snapshot, path: str) -> str:
    try:
        return snapshot.reader(path).decode("utf-8", "replace")
    except MemdeckError:
        return ""


def _days_in(text: str) -> tuple[Pairs, Pairs]:
    """Gives the words and day of each superseded statement in a note, and of each of its entries."""
    over = [(_words(statement(line)), day) for line, day in _OVER.findall(text)]
    return over, [(_words(quote), day) for day, quote in _ROW.findall(text)]


def _words(text: str) -> str:
    return " ".join(tokens(text))


def _since(line: str, over: Days) -> str:
    """Gives the day on which the line's statement was superseded; empty if it was not, or the line says so."""
    whole = "" if _TOLD.search(line) else statement(line)
    said = map(_words, (whole, *sentences(whole)))
    return max((over.get(words, "") for words in said if words.count(" ") >= _FEWEST - 1), default="")
