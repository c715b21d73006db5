"""Lists the sentences that a summary may choose from, with their features."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from engine.models.block_reader import indent
from engine.models.blocks import Parsed, read_blocks
from engine.models.cue_matcher import QUESTION_ENDS, Cue, matcher
from engine.models.labels import Role, Speaker
from engine.models.session_lines import left_out_lines, without_chat_headers
from engine.models.summary import PointLine
from engine.text.language import Language, language_of
from engine.text.pattern_file import PatternFile
from engine.text.sentences import sentences

LONGEST_SENTENCE = 1_000  # characters kept of one sentence
MOST_SENTENCES = 50_000  # sentences kept of one note
SAMPLED = 20  # sentences by which the note's language is told
FEW = 3  # with fewer sentences than these, headings stand in

_FORMS = PatternFile(__package__, "sentence_patterns.toml", "letter telling_title exact label")
_CLOSERS = "\"'”’»)*_`」』）】 "


class SentenceCandidate(msgspec.Struct, frozen=True, gc=False):
    """One sentence of a note, its lines in the file, and its features."""

    text: str
    start: int
    end: int
    leads: bool
    role: Role
    kind: str
    speaker: Speaker
    question: bool
    exact: bool  # holds a figure, or quoted or marked words
    cues: frozenset[Cue]
    listed: tuple[PointLine, ...] = ()  # the leading line and the items, where the text is a list
    owner: str = ""  # the heading or lead that names whose line it is, where it does not stand in the text


class ReadNote(NamedTuple):
    """A note as read: language, sentences in order, omitted lines by reason, and first heading."""

    language: Language
    candidates: list[SentenceCandidate]
    dropped: Counter[str]
    title: str = ""


SentenceForm = Callable[[Iterable[SentenceCandidate], Parsed, Sequence[str], int], Iterable[SentenceCandidate]]
"""Makes candidates from the sentences of a note that begins at line `first_line` of the file."""


def read_lines(lines: Sequence[str], first_line: int, form: SentenceForm | None = None) -> ReadNote:
    """Returns distinct sentences of clean lines; without a `form`, headings stand in for missing sentences."""
    lines = without_chat_headers(lines)
    parsed = read_blocks(lines, left_out_lines(lines))
    found: list[SentenceCandidate] = []
    labels: list[SentenceCandidate] = []
    seen: set[str] = set()
    given = _candidates(parsed, first_line)
    for candidate in (form or with_first_items)(given, parsed, lines, first_line):
        key = candidate.text.casefold()
        if "small_talk" in candidate.cues:
            parsed.dropped[SMALL_TALK] += 1
        elif key in seen:
            parsed.dropped["repeated sentence"] += 1
        elif len(found) >= MOST_SENTENCES:
            parsed.dropped[f"sentence after the first {MOST_SENTENCES:,}"] += 1
        else:
            seen.add(key)
            (labels if _is_label(candidate) else found).append(candidate)
    if not found:
        found = labels
    if len(found) < FEW and form is None:
        titles = (heading for heading in _headings(parsed, first_line) if heading.text.casefold() not in seen)
        found += [title for title in titles if not found or _FORMS["telling_title"].search(title.text)]
        found.sort(key=lambda candidate: candidate.start)
    language = language_of(" ".join([candidate.text for candidate in found[:SAMPLED]]))
    title, index = parsed.headings[0] if parsed.headings else ("", 0)
    opens = found and lines[index].startswith("# ") and index + first_line < found[0].start
    return ReadNote(language, found, parsed.dropped, title if opens else "")


def _candidates(parsed: Parsed, first_line: int) -> Iterator[SentenceCandidate]:
    cues = matcher().cues
    for block in parsed.blocks:
        leads = True
        at = 0
        for sentence in sentences(block.text):
            start = end = block.first
            if block.breaks:
                at = block.text.find(sentence, at)
                start, end = block.line(at), block.line(at + len(sentence) - 1)
                at += len(sentence)
            text = sentence[:LONGEST_SENTENCE]
            if len(text) < len(sentence):
                parsed.dropped[f"end of a sentence over {LONGEST_SENTENCE:,} characters"] += 1
            if not (text[0].isalpha() or _FORMS["letter"].search(text)):
                continue
            bare = text.rstrip(_CLOSERS) if text[-1] in _CLOSERS else text
            yield SentenceCandidate(
                text,
                start + first_line,
                end + first_line,
                leads,
                block.role if leads or block.rest is None else block.rest,
                block.kind,
                block.speaker,
                bare.endswith(QUESTION_ENDS),
                _FORMS["exact"].search(text) is not None,
                cues(text),
            )
            leads = False


def _is_label(candidate: SentenceCandidate) -> bool:
    """Tells whether a paragraph is only a label of what follows, like `Daily notes`."""
    alone = candidate.kind == "paragraph" and not (candidate.speaker or candidate.role or candidate.cues)
    return alone and _FORMS["label"].fullmatch(candidate.text) is not None


def _headings(parsed: Parsed, first_line: int) -> list[SentenceCandidate]:
    nothing: frozenset[Cue] = frozenset()
    return [
        SentenceCandidate(
            title, index + first_line, index + first_line, False, "", "heading", "", False, False, nothing
        )
        for title, index in parsed.headings
        if _FORMS["letter"].search(title)
    ]


SMALL_TALK = "small talk"
LEADS_NOWHERE = "line that leads to a list"
_COLONS = (":", "：")
_REACH = 2  # lines from a lead to its first item: one may be blank


def with_first_items(
    candidates: Iterable[SentenceCandidate], parsed: Parsed, lines: Sequence[str], first_line: int
) -> Iterator[SentenceCandidate]:
    """Joins a candidate that ends in a colon with its first item; drops it if there is none."""
    lead: SentenceCandidate | None = None
    for candidate in candidates:
        if lead is not None:
            if (joined := _joined(lead, candidate, lines, first_line)) is None:
                parsed.dropped[LEADS_NOWHERE] += 1
            else:
                candidate = joined
        lead = candidate if candidate.text.rstrip("*_ ").endswith(_COLONS) else None
        if lead is None:
            yield candidate
    if lead is not None:
        parsed.dropped[LEADS_NOWHERE] += 1


def _joined(
    lead: "SentenceCandidate", item: "SentenceCandidate", lines: Sequence[str], first_line: int
) -> "SentenceCandidate | None":
    """Joins a lead and its first item; None if `item` is not in its list."""
    if item.kind not in ("item", "row") or not item.leads or item.start - lead.end > _REACH:
        return None
    if lead.kind == "item" and indent(lines[item.start - first_line]) <= indent(lines[lead.start - first_line]):
        return None
    return msgspec.structs.replace(
        lead,
        text=f"{lead.text.rstrip('*_ ')} {item.text}",
        end=item.end,
        exact=lead.exact or item.exact,
        cues=lead.cues | item.cues,
    )
