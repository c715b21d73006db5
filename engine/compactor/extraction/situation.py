"""Finds the context and the consequence of a statement in its note (§Entry Schema)."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from datetime import date

import msgspec

from engine.compactor.extraction.durability import WORDS as REASONS
from engine.compactor.extraction.durability import is_talk, leaning_rules, says_something, statement
from engine.compactor.semantic.pollution import line_pollution
from engine.errors import MemdeckError
from engine.models.facts import fact_text
from engine.models.labels import heading_role
from engine.models.owners import read_note
from engine.models.plain_line import point_text
from engine.models.sentence_candidates import SentenceCandidate
from engine.models.summary import NoteToSummarise, Point
from engine.text.derived import derived_line
from engine.text.document import Document, split_lines
from engine.text.pattern_file import PatternFile
from engine.workspace.layout import ARCHIVE
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts, LineSpan

LONGEST_CONTEXT = 240  # characters; a longer summary point is no brief description of a situation
REACH = 12  # lines of the whole note around a sentence that can be about the same thing

_WORD = re.compile(r"\w{4,}|[\u3400-\u9fff]{2}")
_WORDS = PatternFile(
    __package__, "situation.toml", "common generic to_somebody going_on consequence after_comma begins depends"
)
_LETTERS = re.compile(r"(?<![\w-])[^\W\d_]{2,}(?![\w-]*\d)")  # a word that is no part of a key such as `ses_b277`
_TURN = re.compile(r"\W*\d{1,2}[:.]\d\d(?::\d\d)?\W*\S*(?:\s\S+)?$")  # the time of a turn, and who speaks
FEWEST_WORDS = 5  # words of a sentence that says what was going on


class WholeNote(msgspec.Struct, frozen=True):
    """The sentences and headings of the archived note that an episodic file was compiled from."""

    path: str
    candidates: tuple[SentenceCandidate, ...]
    headings: tuple[int, ...]  # the lines where its sections begin
    titles: tuple[str, ...] = ()  # the text of each of them

    def around(self, text: str, said: str = "") -> "tuple[str, LineSpan] | None":
        """Returns the sentence before or nearest to `text` in its passage, None if not found. Skips what was `said`."""
        if (here := self._sentence(text)) is None:
            return None
        section = bisect_right(self.headings, here.start)
        near = [sentence for sentence in self._of(section) if abs(sentence.start - here.start) <= REACH]
        words = words_of(text)
        told = {
            sentence: derived_line(statement(point_text(fact_text(sentence.text))))
            for sentence in near
            if sentence is not here and _key(text) not in _key(sentence.text) and _tells(sentence)
        }
        shared = {
            sentence: len(words & words_of(told[sentence]))
            for sentence in told
            if not repeats(told[sentence], f"{text} {said}")
        }
        # What shares no word and says nothing of what somebody is at is about something else.
        usable = [sentence for sentence in shared if shared[sentence] or _WORDS["going_on"].search(told[sentence])]
        best = max(usable, key=lambda sentence: (shared[sentence], sentence.leads, -sentence.start), default=None)
        return (told[best], LineSpan(self.path, best.start, best.end)) if best is not None else None

    def rule_after(self, text: str) -> "tuple[str, LineSpan] | None":
        """Returns the rule in the sentence right after `text`, in the same section; None if there is none."""
        if (here := self._sentence(text)) is None:
            return None
        own = self._of(bisect_right(self.headings, here.start))
        nearest = next(iter(own[own.index(here) + 1 :]), None)
        if nearest is None or nearest.start > here.end + 1 or nearest.speaker == "assistant" or nearest.question:
            return None
        found = None if line_pollution(nearest.text, 1) else _WORDS["begins"].search(nearest.text)
        where = LineSpan(self.path, nearest.start, nearest.end)
        return (derived_line(found["what"].strip(" .。")), where) if found else None

    def _of(self, section: int) -> list[SentenceCandidate]:
        return [candidate for candidate in self.candidates if bisect_right(self.headings, candidate.start) == section]

    def section(self, text: str) -> int | None:
        """Returns the section number of the sentence with `text`; None if there is none."""
        here = self._sentence(text)
        return bisect_right(self.headings, here.start) if here is not None else None

    def is_of_an_assistant(self, text: str) -> bool:
        """Tells whether an assistant said the sentence with `text`: an assistant's tastes are no facts."""
        here = self._sentence(text)
        return here is not None and here.speaker == "assistant"

    def heading(self, text: str) -> str:
        """Returns the informative heading above the sentence with `text`; empty if none."""
        section = self.section(text)
        return telling_heading(self.titles[section - 1]) if section else ""

    def _sentence(self, text: str) -> SentenceCandidate | None:
        wanted = _key(text)
        return next((candidate for candidate in self.candidates if wanted in _key(candidate.text)), None)


def whole_note(snapshot: Snapshot, facts: FileFacts) -> WholeNote | None:
    """Reads the archived note that an episodic file names as its source; None if missing or unreadable."""
    path = facts.frontmatter.get("archived-as")
    if not isinstance(path, str) or not path.startswith(f"{ARCHIVE}/") or path not in snapshot.files:
        return None
    with suppress(MemdeckError):
        document = Document.from_bytes(snapshot.content(path))
        first = document.frontmatter.body_line
        text = "\n".join(line.replace("\r", " ") for line in document.body_lines) + "\n"
        headings = {n: line for n, line in enumerate(split_lines(text), first) if line.startswith("#")}
        candidates = tuple(read_note(NoteToSummarise(path, text, first)).candidates)
        return WholeNote(path, candidates, tuple(headings), tuple(headings.values()))
    return None


def telling_heading(heading: str) -> str:
    """Returns the text of an informative heading; empty for a mere date or the name of a part."""
    title = derived_line(heading.strip(" #*_"))
    tells = _LETTERS.search(title) and not (_TURN.match(title) or _WORDS["generic"].search(title))
    return "" if not tells or heading_role(title) or line_pollution(title, 1) else title


def related(points: Sequence[Point], insight: Point) -> Point | None:
    """Returns the first point that shares most words with the insight, at least two; None if there is none."""
    words = words_of(insight.text)
    brief = (point for point in points if len(point.text) <= LONGEST_CONTEXT and not line_pollution(point.text, 1))
    usable = (point for point in brief if not same(point, insight))
    shared = ((len(words & words_of(point.text)), point) for point in usable)
    count, best = max(shared, key=lambda pair: pair[0], default=(0, None))
    return best if count >= 2 else None


def explains(context: str, insight: str) -> bool:
    """Tells whether a context gives a reason that the insight lacks; another context is not worth its room (A29)."""
    return bool(REASONS["reason"].search(context)) and not REASONS["reason"].search(insight)


def consequence(text: str) -> str:
    """Returns the clause of a sentence that says what to do from now on; empty if none."""
    found = _WORDS["consequence"].search(text)
    if found is None and not _WORDS["depends"].search(text):
        found = _WORDS["after_comma"].search(text)
    return found["what"].strip(" .。") if found else ""


def dated(context: str, insight: str, day: date) -> str:
    """Puts the date before the context if the insight says `today` or `last week`."""
    if not REASONS["relative"].search(insight) or day.isoformat() in context:
        return context
    return f"{day.isoformat()}: {context}" if context else day.isoformat()


def words_of(text: str) -> set[str]:
    """Returns the words by which two sentences are compared."""
    return {word for word in _WORD.findall(text.casefold()) if not _WORDS["common"].fullmatch(word)}


def same(point: Point, insight: Point) -> bool:
    """Tells whether one of two points contains the other."""
    one, other = point.text.casefold(), insight.text.casefold()
    return one in other or other in one


def repeats(one: str, text: str, fewest: int = 0) -> bool:
    """Tells whether `text` contains at least half of a sentence's words; False below `fewest` words."""
    words = words_of(one)
    return len(words) >= fewest and 2 * len(words & words_of(text)) >= len(words)


def _tells(one: SentenceCandidate) -> bool:
    if one.question or one.speaker == "assistant" or one.kind == "heading":
        return False
    text = fact_text(one.text)
    is_sentence = 20 <= len(one.text) <= LONGEST_CONTEXT and says_something(text, FEWEST_WORDS)
    to_somebody = _WORDS["to_somebody"].search(text) or is_talk(text)
    return is_sentence and not to_somebody and not leaning_rules(text) and not line_pollution(text, 1)


def _key(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
