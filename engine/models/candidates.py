"""The sentences of a note that a summary may pick from, with what speaks for and against each."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from engine.models.blocks import Block, read_blocks
from engine.models.cleaning import clean_lines
from engine.models.cue_match import matcher
from engine.models.cues import QUESTION_ENDS, Cue
from engine.models.language import Language, language_of
from engine.models.left_out import left_out_lines
from engine.models.sentences import sentence_spans
from engine.models.summary import Note

LONGEST_SENTENCE = 1_000
MOST_SENTENCES = 50_000
"""Of one note; the rest is counted as left out."""

_LETTER = re.compile(r"[^\W\d_]")


class Candidate(NamedTuple):
    """One sentence of a note: its lines in the file, its section and place, and its cues."""

    text: str
    start: int
    end: int
    section: int
    leads: bool
    role: str
    kind: str
    speaker: str
    question: bool
    cues: frozenset[Cue]


class Reading(NamedTuple):
    """A note as read: its language, its candidates in order, and what was left out."""

    language: Language
    candidates: list[Candidate]
    dropped: Counter[str]


def read_note(note: Note) -> Reading:
    """Every distinct sentence of the note in order, cleaned; secrets, code and other tools' blocks left out."""
    lines = clean_lines(note.text)
    parsed = read_blocks(lines, left_out_lines(lines))
    found: list[Candidate] = []
    seen: set[str] = set()
    for block in parsed.blocks:
        for candidate in _sentences(block, note.first_line, parsed.dropped):
            key = candidate.text.casefold()
            if key in seen:
                parsed.dropped["repeated sentence"] += 1
            elif len(found) >= MOST_SENTENCES:
                parsed.dropped[f"sentence after the first {MOST_SENTENCES}"] += 1
            else:
                seen.add(key)
                found.append(candidate)
    if len(found) < 3:
        found += _from_headings(parsed.headings, note.first_line, seen)
        found.sort(key=lambda candidate: candidate.start)
    return Reading(language_of("\n".join(c.text for c in found[:400])), found, parsed.dropped)


def _sentences(block: Block, first_line: int, dropped: Counter[str]) -> list[Candidate]:
    found: list[Candidate] = []
    for start, end in sentence_spans(block.text):
        if end - start > LONGEST_SENTENCE:
            dropped["end of a sentence over 1,000 characters"] += 1
            end = start + LONGEST_SENTENCE
        text = block.text[start:end]
        if not _LETTER.search(text):
            continue
        first, last = _lines_of(block.lines, start, end)
        found.append(_candidate(block, text, first + first_line, last + first_line, not found))
    return found


def _candidate(block: Block, text: str, start: int, end: int, leads: bool) -> Candidate:
    cues = matcher().cues(text)
    question = text.rstrip("\"'”’»)*_」』）").endswith(QUESTION_ENDS)
    return Candidate(text, start, end, block.section, leads, block.role, block.kind, block.speaker, question, cues)


def _lines_of(lines: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """First and last line index that hold the characters `start` to `end`."""
    if len(lines) == 1:
        return lines[0][1], lines[0][1]
    first = last = lines[0][1]
    for offset, index in lines:
        if offset <= start:
            first = index
        if offset < end:
            last = index
    return first, last


def _from_headings(headings: Sequence[tuple[str, int]], first_line: int, seen: set[str]) -> list[Candidate]:
    """Headings stand in where a note has hardly any sentences."""
    nothing: frozenset[Cue] = frozenset()
    return [
        Candidate(title, index + first_line, index + first_line, place, False, "", "heading", "", False, nothing)
        for place, (title, index) in enumerate(headings)
        if title.casefold() not in seen and _LETTER.search(title)
    ]
