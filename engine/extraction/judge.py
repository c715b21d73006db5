"""Judges the entries of a session: by rules, by likeness, and by a yes to a proposal (decisions D44, D59)."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from engine.extraction import sentence_kinds
from engine.extraction.candidate_lines import candidate_lines, possible_forms
from engine.extraction.entry import EntryGrade, EntryKind, ExtractedEntry
from engine.extraction.likely_kinds import (
    AGREED,
    HEARD,
    HEARD_IN_TALK,
    LASTS,
    LIKELY,
    AnsweredSentence,
    LikelyKind,
    LikelyKinds,
    ToldSentence,
    likely_agreements,
    likely_kinds,
)
from engine.extraction.own_words import statements, without_quotations
from engine.extraction.words import pattern, plain_marks
from engine.models.cue_matcher import QUESTION_ENDS
from engine.text.encoder.encoder import TextEncoder, encoder_problem
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn

VERSION = "rules-7" if encoder_problem() else f"rules-7+{TextEncoder.id}"
"""The judge's version, which differs without the encoder, as its findings do."""
_BRIEF, _LAST = 60, 4
"""Most characters of a message that is mainly a yes, and number of last sentences that it may answer."""
_TAKEN_BACK, _RETRACTED = 60, 300
"""Characters after a statement, up to the next answer's beginning, in which it may be taken back; and in which it may
be called a joke or meant for somebody else."""
_CHAT, _CHAT_LINES = 600, 2  # characters, and breaks of line, of a message that a person typed; a longer one is pasted
_OF_USER = frozenset({EntryKind.PREFERENCE, EntryKind.CORRECTION})
_OF_MOMENT = frozenset({EntryKind.JOURNAL, EntryKind.FACT, EntryKind.PERSON, EntryKind.PROCEDURE})
_NEEDED = {EntryKind.JOURNAL: "dated", EntryKind.PROCEDURE: "purpose", EntryKind.CORRECTION: "holds"}
_ONE_LINE = frozenset({0})
_WORK = re.compile(r"`[^`\n]+`|(?:^|\s)[\w.-]*/[\w./-]+\.\w{1,5}\b", re.MULTILINE)
_WORK_SHARE = 4
"""A session is work on files if one in this many messages of the agent names code, a tool or a path."""


def judged_entries(
    turns: Sequence[SessionTurn], *, at_work: bool | None = None, offers: bool = False
) -> Iterator[ExtractedEntry]:
    """Yields the entries of one session by rules and likeness, for all callers (decision D59). `offers`: also proposes
    what may last of a person's other words, even in work on files (decision B27)."""
    return find_entries(turns, likely_kinds, at_work=at_work, offers=offers)


def find_entries(
    turns: Sequence[SessionTurn],
    likely: LikelyKinds | None = None,
    *,
    at_work: bool | None = None,
    offers: bool = False,
) -> Iterator[ExtractedEntry]:
    """Yields one session's entries in order of turns. `likely` corrects the rules; `at_work`: it is work on files."""
    at_work = is_work(turns) if at_work is None else at_work
    read = [
        _read(turns, at, heard=offers or not at_work)
        for at, turn in enumerate(turns)
        if turn.speaker is not Speaker.SYSTEM
    ]
    # All at once: the encoder is three times as fast over many.
    asked = list(dict.fromkeys(sentence for each in read for sentence in each.told()))
    kinds = dict(zip(asked, likely(asked), strict=True)) if likely is not None else {}
    agreed = {} if likely is None or at_work else _agreed(turns)
    for each in read:
        found = list(_judged(each, kinds, least=HEARD if at_work else HEARD_IN_TALK, offers=offers))
        if each.turn.line in agreed and not any(entry.grade is EntryGrade.CONFIRMED for entry in found):
            held = _entry(EntryKind.DECISION, EntryGrade.CONFIRMED, agreed[each.turn.line], each.turn)
            found = [*(entry for entry in found if entry.quote != held.quote), held]
        if found and not pattern("doubt.play").search(each.turn.text):
            for entry in found:
                passing = at_work and (entry.quote in each.unheard or _is_of_the_moment(entry))
                if not passing or (offers and entry.turn.speaker is Speaker.USER):
                    yield _trusted(entry, is_offer=passing)


def _agreed(turns: Sequence[SessionTurn]) -> dict[int, str]:
    """Returns the agent's sentence that each brief answer most probably agrees to, by the line of its turn."""
    pairs, lines = list[AnsweredSentence](), list[tuple[int, int]]()
    for at, turn in enumerate(turns):
        answer = _answer(turns, at) if turn.speaker is Speaker.AGENT else None
        if answer is not None and answer.trusted and len(answer.text) <= _BRIEF:
            last = list(statements(turn.text, Speaker.AGENT))[-_LAST:]
            pairs += [AnsweredSentence(sentence, answer.text) for sentence in last]
            lines += [(answer.line, turn.line)] * len(last)
    told = sorted(zip(likely_agreements(pairs), lines, pairs, strict=True))
    best = {answer: (line, pair.proposed) for likely, (answer, line), pair in told if likely >= AGREED}
    return dict(best.values())


def _answer(turns: Sequence[SessionTurn], at: int) -> SessionTurn | None:
    """Returns the person's next message, or the one after if that is a question."""
    answers = [near for near in islice(turns, at + 1, at + 4) if near.speaker is Speaker.USER]
    return next((answer for answer in answers if not answer.text.rstrip().endswith(QUESTION_ENDS)), None)


class _ReadTurn(NamedTuple):
    """A turn, the person's next one, the entries that rules find, and the statements without an entry."""

    turn: SessionTurn
    reply: SessionTurn | None
    found: list[ExtractedEntry]
    unheard: list[str]

    def told(self) -> Iterator[ToldSentence]:
        """Yields a person's sentences whose likelihood is needed."""
        heard = [entry.quote for entry in self.found] if self.turn.speaker is Speaker.USER else []
        yield from (ToldSentence(sentence, self.turn.text) for sentence in (*heard, *self.unheard))


def _read(turns: Sequence[SessionTurn], at: int, *, heard: bool) -> _ReadTurn:
    turn = turns[at]
    reply = next((later for later in islice(turns, at + 1, None) if later.speaker is Speaker.USER), None)
    # Of one line each sentence is asked for by itself.
    among = candidate_lines(turn.text, turn.speaker) if "\n" in turn.text else _ONE_LINE
    found = list(_entries_of(turn, reply, among))
    # In work on files any word may stand with a value, and is about the step under way.
    unheard = unheard_statements(turn, found) if heard else []
    unheard = [sentence for sentence in unheard if not _taken_back(sentence, turn, reply)]
    return _ReadTurn(turn, reply, found, unheard)


def is_work(turns: Sequence[SessionTurn]) -> bool:
    """Tells whether a session is work on files, in which most of a person's words are about the next step."""
    told = [turn for turn in turns if turn.speaker is Speaker.AGENT]
    working = sum(turn.on_files or bool(_WORK.search(turn.text)) for turn in told)
    return bool(told) and _WORK_SHARE * working >= len(told)


def _is_of_the_moment(entry: ExtractedEntry) -> bool:
    """Tells whether an entry is only about the present step of work, as a yes is. To last, an event needs a day, a
    procedure a purpose, a correction a value; an agent's words last only as an agreed proposal."""
    if entry.turn.speaker is Speaker.AGENT:
        is_step = entry.quote.endswith(QUESTION_ENDS) or pattern("doubt.step").search(entry.quote) is not None
        return entry.grade is EntryGrade.CONFIRMED and (entry.kind is not EntryKind.DECISION or is_step)
    needed = _NEEDED.get(entry.kind)
    lacks = needed is not None and not pattern(f"doubt.{needed}").search(entry.quote)
    passing = pattern("doubt.moment" if entry.kind in _OF_MOMENT else "doubt.step")
    return lacks or (entry.kind is not EntryKind.LESSON and passing.search(entry.quote) is not None)


def _trusted(entry: ExtractedEntry, *, is_offer: bool) -> ExtractedEntry:
    """Returns the entry, at most proposed if its turn may not be the owner's (decision D57)."""
    return entry if entry.turn.trusted and not is_offer else msgspec.structs.replace(entry, grade=EntryGrade.PROPOSED)


def _entries_of(turn: SessionTurn, reply: SessionTurn | None, among: Container[int]) -> Iterator[ExtractedEntry]:
    corrected = blamed = False
    for sentence in statements(turn.text, turn.speaker, among):
        if turn.speaker is Speaker.USER and sentence_kinds.is_blame(sentence):
            blamed = True
            if (instead := sentence_kinds.held_instead(sentence, turn.text)) is not None:
                yield _entry(EntryKind.CORRECTION, EntryGrade.STATED, instead, turn)
            continue
        if not possible_forms(sentence, turn.speaker):  # another sentence of its line
            continue
        kind = (
            EntryKind.CORRECTION
            if (corrected or blamed) and sentence_kinds.is_rule(sentence)
            else sentence_kinds.kind_of(sentence, turn.speaker)
        )
        if kind is None:
            if turn.speaker is Speaker.AGENT and sentence_kinds.is_proposal(sentence):
                yield _entry(EntryKind.DECISION, _answered(reply), sentence, turn)
            continue
        told = (corrected or blamed) and kind in sentence_kinds.TOLD  # what holds instead is part of the correction
        kind = EntryKind.CORRECTION if told else kind
        once_more = corrected and not told and kind is EntryKind.CORRECTION
        if once_more or _taken_back(sentence, turn, reply):
            continue
        corrected = corrected or kind is EntryKind.CORRECTION
        yield _entry(kind, _grade(kind, turn, reply), sentence, turn)


def _judged(
    read: _ReadTurn, kinds: Mapping[ToldSentence, LikelyKind | None], *, least: float, offers: bool
) -> Iterator[ExtractedEntry]:
    """Yields the entries of a turn: rules' finds, stated values (D61), and probable ones. Drops a rule's find with
    probability below `least`, except a value announced in place of another ("final convention: …")."""
    found = [(entry, kinds.get(ToldSentence(entry.quote, read.turn.text))) for entry in read.found]
    for text in read.unheard:
        kind = kinds.get(ToldSentence(text, read.turn.text))
        is_sure = sentence_kinds.says_value(text) or (kind is not None and kind.probability >= LIKELY)
        if is_sure or (offers and kind is not None and kind.lasts >= LASTS):
            grade = EntryGrade.STATED if is_sure else EntryGrade.PROPOSED
            found.append((_entry(kind.kind if kind is not None else EntryKind.FACT, grade, text, read.turn), kind))
    for entry, kind in sorted(found, key=lambda entry: read.turn.text.find(entry[0].quote)):
        announced = not {":", "："}.isdisjoint(entry.quote) and sentence_kinds.says_value(entry.quote)
        if kind is None or kind.lasts >= least or announced:
            yield entry
        elif offers:  # a flush loses nothing that anybody hears
            yield msgspec.structs.replace(entry, grade=EntryGrade.PROPOSED)


def unheard_statements(turn: SessionTurn, found: Sequence[ExtractedEntry]) -> list[str]:
    """Returns the statements of a short typed message in which rules find no entry."""
    if turn.speaker is not Speaker.USER or len(turn.text) > _CHAT or turn.text.count("\n") > _CHAT_LINES:
        return []
    known = {entry.quote for entry in found}
    own = (statement for statement in sentence_kinds.lasting_statements(turn) if statement not in known)
    return [sentence for sentence in own if not sentence_kinds.is_nobodys(without_quotations(sentence))]


def _taken_back(sentence: str, turn: SessionTurn, reply: SessionTurn | None) -> bool:
    """Tells whether the words after a statement, or the user's next message, take it back."""
    rest = turn.text.partition(sentence)[2]
    if pattern("doubt.retracted").search(f"{rest[:_RETRACTED]}\n{reply.text[:_TAKEN_BACK] if reply else ''}"):
        return True
    # At the end of a message the next words are the user's.
    if len(rest) < _TAKEN_BACK and reply is not None:
        rest += f"\n{reply.text[: _TAKEN_BACK - len(rest)]}"
    return bool(pattern("doubt.withdrawn").search(rest[:_TAKEN_BACK]))


def graded_entry(
    kind: EntryKind, sentence: str, turn: SessionTurn, turns: Sequence[SessionTurn]
) -> ExtractedEntry | None:
    """Grades an entry that somebody else found, by its speaker; None if only a user can say that kind."""
    if kind in _OF_USER and turn.speaker is not Speaker.USER:
        return None
    reply = next((one for one in turns if one.line > turn.line and one.speaker is Speaker.USER), None)
    return _entry(kind, _grade(kind, turn, reply), sentence, turn)


def _grade(kind: EntryKind, turn: SessionTurn, reply: SessionTurn | None) -> EntryGrade:
    """Returns stated for a person's words; an agent's are inferred until a person says yes."""
    if turn.speaker is Speaker.USER:
        return EntryGrade.STATED
    answer = _answered(reply) if kind is not EntryKind.JOURNAL else EntryGrade.INFERRED
    return answer if answer is EntryGrade.CONFIRMED else EntryGrade.INFERRED


def _answered(reply: SessionTurn | None) -> EntryGrade:
    text = plain_marks(reply.text.strip()) if reply is not None and reply.trusted else ""
    affirmed = len(text) <= _BRIEF and pattern("doubt.affirmed").search(text) and not pattern("doubt.but").search(text)
    return EntryGrade.CONFIRMED if affirmed else EntryGrade.PROPOSED


def _entry(kind: EntryKind, grade: EntryGrade, sentence: str, turn: SessionTurn) -> ExtractedEntry:
    return ExtractedEntry(kind=kind, grade=grade, quote=sentence, turn=turn)
