"""Finds the entries of a session by rules: a sentence is of one kind, and doubt takes it out (decision D44)."""

import re
from collections.abc import Container, Iterator, Sequence
from functools import cache
from itertools import islice

from engine.lifecycle.extract import cues, doubt_cues
from engine.lifecycle.extract.candidate_lines import candidate_lines
from engine.lifecycle.extract.entry import EntryGrade, EntryKind, ExtractedEntry, TranscriptTurn
from engine.models.cue_matcher import alternatives, matcher
from engine.models.cues import QUESTION_ENDS, Cue
from engine.text.markdown import code_mask, heading_of
from engine.text.sentences import sentences
from engine.text.transcript_marks import Speaker

VERSION = "rules-2"
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("「", "」"), ("《", "》"))
_QUOTED = re.compile("|".join(f"{opens}[^{ends}\\n]{{1,400}}[{ends}]" for opens, ends in _QUOTES))
_OPENS = tuple(opens for opens, _ in _QUOTES)
"""Each begins a quotation that goes on after its sentence."""
_SKIPPED = re.compile(r"^\s*(?:>|\||\\)")
_LISTED = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|\*\*)\s*")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_ARTICLES = "The|Our|My|A|An|This|That|It|We|I|Der|Die|Das|Unser|Unsere|Mein|Meine|Ein|Eine|Es|Wir|Ich"
_CAPITAL = rf"(?-i:(?!(?:{_ARTICLES})\b)[A-ZÄÖÜ])"
_SHORTEST, _LONGEST = 4, 400
_BRIEF = 40
"""Characters of a message that is nothing but a yes."""
_TAKEN_BACK = 60
"""Characters after a decision, or at the head of the next answer, in which it may be taken back."""
_WITHDRAWN = frozenset({EntryKind.DECISION, EntryKind.PREFERENCE})
_OF_USER = frozenset({EntryKind.PREFERENCE, EntryKind.CORRECTION})
_ORDER = (EntryKind.CORRECTION, EntryKind.PREFERENCE)
_LATER = (EntryKind.PROCEDURE, EntryKind.PERSON)
_CUES: frozenset[Cue] = frozenset(
    ("not_decision", "request", "open", "insight", "not_insight", "decision", "plan", "rule")
)
"""The cues that are asked for: a process that reads transcripts makes no others ready."""


def find_entries(turns: Sequence[TranscriptTurn]) -> Iterator[ExtractedEntry]:
    """The entries of one session, in the order of its turns."""
    for at, turn in enumerate(turns):
        among = candidate_lines(turn.text, turn.role)
        if not among or turn.role is Speaker.SYSTEM:
            continue
        reply = next((one for one in islice(turns, at + 1, None) if one.role is Speaker.USER), None)
        found = list(_entries_of(turn, reply, among))
        if found and not _pattern("play").search(turn.text):
            yield from found


def _entries_of(turn: TranscriptTurn, reply: TranscriptTurn | None, among: Container[int]) -> Iterator[ExtractedEntry]:
    corrected = False
    for sentence in statements(turn.text, turn.role, among):
        if not candidate_lines(sentence, turn.role):  # another sentence of its line
            continue
        kind = EntryKind.CORRECTION if corrected and _is_rule(sentence) else kind_of(sentence, turn.role)
        if kind is None:
            if turn.role is Speaker.AGENT and _pattern("proposal").search(sentence):
                yield _entry(EntryKind.DECISION, _answered(reply), sentence, turn)
            continue
        if (corrected and kind is EntryKind.CORRECTION) or (kind in _WITHDRAWN and _taken_back(sentence, turn, reply)):
            continue
        corrected = corrected or kind is EntryKind.CORRECTION
        yield _entry(kind, _grade(kind, turn, reply), sentence, turn)


def _taken_back(sentence: str, turn: TranscriptTurn, reply: TranscriptTurn | None) -> bool:
    """Tells whether the words right after a sentence take it back, in its message or in the user's next."""
    rest = turn.text.partition(sentence)[2]
    # At the end of a message the next words are the user's.
    if len(rest) < _TAKEN_BACK and reply is not None:
        rest += f"\n{reply.text[: _TAKEN_BACK - len(rest)]}"
    return bool(_pattern("withdrawn").search(rest[:_TAKEN_BACK]))


def statements(text: str, role: Speaker = Speaker.USER, among: Container[int] | None = None) -> Iterator[str]:
    """The sentences of a message that somebody says in their own words: no code, no quotation, no table.

    An agent's lists are left out: they advise and describe, and tell of nothing that was done. `among` are the numbers
    of the lines that count, from 0; None for all.
    """
    lines = text.split("\n")
    for number, (line, is_code) in enumerate(zip(lines, code_mask(lines), strict=True)):
        if (among is not None and number not in among) or is_code or heading_of(line) is not None:
            continue
        if not _SKIPPED.match(line) and not (role is Speaker.AGENT and _LISTED.match(line)):
            yield from (one for one in sentences(_BULLET.sub("", line)) if _SHORTEST <= len(one) <= _LONGEST)


def kind_of(sentence: str, role: Speaker) -> EntryKind | None:
    """The kind of a sentence; None where it is a question, in doubt, or says nothing that lasts."""
    plain = _QUOTED.sub("…", sentence).strip()
    if plain.endswith(QUESTION_ENDS) or plain.startswith(_OPENS) or _pattern("doubt").search(plain):
        return None
    if role is Speaker.USER:
        for kind in _ORDER:
            if _pattern(kind).search(plain):
                return kind
    # After the user's kinds: "no, use tabs" rejects and is a correction all the same.
    if _pattern("rejected").search(plain):
        return None
    known = matcher(_CUES).cues(plain)
    if known & {"not_decision", "request", "open"} and not _pattern("lesson").search(plain):
        return _late(plain) if "not_decision" not in known and "open" not in known else None
    if _pattern("lesson").search(plain) or ("insight" in known and "not_insight" not in known):
        return EntryKind.LESSON
    if _decided(plain, role, known):
        return EntryKind.DECISION
    if role is Speaker.AGENT and _pattern("journal").search(plain):
        return EntryKind.JOURNAL
    return _late(plain) or _outcome(plain, role)


def _decided(plain: str, role: Speaker, known: Container[str]) -> bool:
    if _pattern("decision").search(plain) or "decision" in known:
        return True
    return role is Speaker.USER and ("plan" in known or bool(_pattern("own_decision").search(plain)))


def lasting_statements(turn: TranscriptTurn) -> Iterator[str]:
    """The sentences of a turn that may be entries, whoever judges: no question, nothing rejected, no role play."""
    if turn.role is Speaker.SYSTEM or _pattern("play").search(turn.text):
        return
    for sentence in statements(turn.text, turn.role):
        plain = _QUOTED.sub("…", sentence).strip()
        if not plain.endswith(QUESTION_ENDS) and not _pattern("rejected").search(plain):
            yield sentence


def graded_entry(
    kind: EntryKind, sentence: str, turn: TranscriptTurn, turns: Sequence[TranscriptTurn]
) -> ExtractedEntry | None:
    """An entry of a kind that somebody else found, graded by who said it; None where only a user says such a thing."""
    if kind in _OF_USER and turn.role is not Speaker.USER:
        return None
    reply = next((one for one in turns if one.line > turn.line and one.role is Speaker.USER), None)
    return _entry(kind, _grade(kind, turn, reply), sentence, turn)


def _late(plain: str) -> EntryKind | None:
    return next((kind for kind in _LATER if _pattern(kind).search(plain)), None)


def _outcome(plain: str, role: Speaker) -> EntryKind | None:
    if _pattern("journal").search(plain):
        return EntryKind.JOURNAL
    return EntryKind.FACT if role is Speaker.USER and _pattern(EntryKind.FACT).search(plain) else None


def _is_rule(sentence: str) -> bool:
    return "rule" in matcher(_CUES).cues(sentence) or bool(_pattern("lesson").search(sentence))


def _grade(kind: EntryKind, turn: TranscriptTurn, reply: TranscriptTurn | None) -> EntryGrade:
    """A person's words are stated, and an agent's of what it did; what else an agent holds is inferred until a yes."""
    if turn.role is Speaker.USER or kind is EntryKind.JOURNAL:
        return EntryGrade.STATED
    answer = _answered(reply)
    return answer if answer is EntryGrade.CONFIRMED else EntryGrade.INFERRED


def _answered(reply: TranscriptTurn | None) -> EntryGrade:
    text = reply.text.strip() if reply is not None else ""
    affirmed = len(text) <= _BRIEF and _pattern("affirmed").search(text) and not _pattern("but").search(text)
    return EntryGrade.CONFIRMED if affirmed else EntryGrade.PROPOSED


def _entry(kind: EntryKind, grade: EntryGrade, sentence: str, turn: TranscriptTurn) -> ExtractedEntry:
    return ExtractedEntry(kind=kind, grade=grade, quote=sentence, turn=turn)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """One pattern of a table; `\\p{N}` in it stands for the capital letter of a name, and not of an article."""
    tables: dict[str, str] = {
        **{kind.value: table for kind, table in cues.KINDS.items()},
        "decision": cues.EXTRA_DECISION,
        "lesson": cues.EXTRA_LESSON,
        "journal": cues.EXTRA_JOURNAL,
        "own_decision": cues.OWN_DECISION,
        "rejected": doubt_cues.REJECTED,
        "play": doubt_cues.PLAY,
        "affirmed": doubt_cues.AFFIRMED,
        "proposal": doubt_cues.PROPOSAL,
        "but": doubt_cues.BUT,
        "doubt": doubt_cues.DOUBT,
        "withdrawn": doubt_cues.WITHDRAWN,
    }
    made = alternatives(tables[name]).replace(r"\p{N}", _CAPITAL)
    return re.compile(made, re.IGNORECASE)
