"""Finds the entries of a session: what rules hear, what likely lasts, and what a yes confirms (decisions D44, D59)."""

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
"""The judge's version: what it heard without the encoder is not taken for what it hears with it."""
_BRIEF, _LAST = 60, 4
"""Characters of a message that is little but a yes, and the last sentences of the message that it may answer."""
_TAKEN_BACK, _RETRACTED = 60, 300
"""Characters behind a statement, up to the head of the next answer, in which it may be taken back; and those in which
it may be told to be a joke, or meant for somebody else."""
_CHAT, _CHAT_LINES = 600, 2  # characters, and breaks of line, of a message that a person typed; a longer one is pasted
_OF_USER = frozenset({EntryKind.PREFERENCE, EntryKind.CORRECTION})
_OF_MOMENT = frozenset({EntryKind.JOURNAL, EntryKind.FACT, EntryKind.PERSON, EntryKind.PROCEDURE})
_NEEDED = {EntryKind.JOURNAL: "dated", EntryKind.PROCEDURE: "purpose", EntryKind.CORRECTION: "holds"}
_ONE_LINE = frozenset({0})
_WORK = re.compile(r"`[^`\n]+`|(?:^|\s)[\w.-]*/[\w./-]+\.\w{1,5}\b", re.MULTILINE)
_WORK_SHARE = 4
"""A session is one of work on files where one in so many messages of the agent names code, a tool or a path."""


def judged_entries(
    turns: Sequence[SessionTurn], *, at_work: bool | None = None, offers: bool = False
) -> Iterator[ExtractedEntry]:
    """The entries of one session by rules and likeness: whoever needs what lasts asks here (decision D59). With
    `offers` what else a person said that may last is proposed, of work on files too (decision B27)."""
    return find_entries(turns, likely_kinds, at_work=at_work, offers=offers)


def find_entries(
    turns: Sequence[SessionTurn],
    likely: LikelyKinds | None = None,
    *,
    at_work: bool | None = None,
    offers: bool = False,
) -> Iterator[ExtractedEntry]:
    """The entries of one session, in the order of its turns; `likely` adds to what rules hear, and takes back.
    `at_work` says what `is_work` told of the whole session, where the turns are a part of one."""
    at_work = is_work(turns) if at_work is None else at_work
    read = [
        _read(turns, at, heard=offers or not at_work)
        for at, turn in enumerate(turns)
        if turn.speaker is not Speaker.SYSTEM
    ]
    # All at once: the encoder is three times as fast over many.
    asked = list(dict.fromkeys(one for each in read for one in each.told()))
    kinds = dict(zip(asked, likely(asked), strict=True)) if likely is not None else {}
    agreed = {} if likely is None or at_work else _agreed(turns)
    for each in read:
        found = list(_judged(each, kinds, least=HEARD if at_work else HEARD_IN_TALK, offers=offers))
        if each.turn.line in agreed and not any(one.grade is EntryGrade.CONFIRMED for one in found):
            held = _entry(EntryKind.DECISION, EntryGrade.CONFIRMED, agreed[each.turn.line], each.turn)
            found = [*(one for one in found if one.quote != held.quote), held]
        if found and not pattern("doubt.play").search(each.turn.text):
            for one in found:
                passing = at_work and (one.quote in each.unheard or _is_of_the_moment(one))
                if not passing or (offers and one.turn.speaker is Speaker.USER):
                    yield _trusted(one, is_offer=passing)


def _agreed(turns: Sequence[SessionTurn]) -> dict[int, str]:
    """The sentence of the agent that each brief answer most likely agrees to, by the line of its turn."""
    pairs, lines = list[AnsweredSentence](), list[tuple[int, int]]()
    for at, turn in enumerate(turns):
        answer = _answer(turns, at) if turn.speaker is Speaker.AGENT else None
        if answer is not None and answer.trusted and len(answer.text) <= _BRIEF:
            last = list(statements(turn.text, Speaker.AGENT))[-_LAST:]
            pairs += [AnsweredSentence(one, answer.text) for one in last]
            lines += [(answer.line, turn.line)] * len(last)
    told = sorted(zip(likely_agreements(pairs), lines, pairs, strict=True))
    best = {answer: (line, pair.proposed) for likely, (answer, line), pair in told if likely >= AGREED}
    return dict(best.values())


def _answer(turns: Sequence[SessionTurn], at: int) -> SessionTurn | None:
    """The person's next message; behind a question the one after the agent's reply."""
    answers = [one for one in islice(turns, at + 1, at + 4) if one.speaker is Speaker.USER]
    return next((one for one in answers if not one.text.rstrip().endswith(QUESTION_ENDS)), None)


class _ReadTurn(NamedTuple):
    """A turn, the person's next one, what rules find in it, and the statements in which they find nothing."""

    turn: SessionTurn
    reply: SessionTurn | None
    found: list[ExtractedEntry]
    unheard: list[str]

    def told(self) -> Iterator[ToldSentence]:
        """The sentences of a person of which it is asked how likely they last."""
        heard = [one.quote for one in self.found] if self.turn.speaker is Speaker.USER else []
        yield from (ToldSentence(one, self.turn.text) for one in (*heard, *self.unheard))


def _read(turns: Sequence[SessionTurn], at: int, *, heard: bool) -> _ReadTurn:
    turn = turns[at]
    reply = next((one for one in islice(turns, at + 1, None) if one.speaker is Speaker.USER), None)
    # Of one line each sentence is asked for by itself.
    among = candidate_lines(turn.text, turn.speaker) if "\n" in turn.text else _ONE_LINE
    found = list(_entries_of(turn, reply, among))
    # In work on files any word may stand with a value, and is about the step under way.
    unheard = unheard_statements(turn, found) if heard else []
    unheard = [one for one in unheard if not _taken_back(one, turn, reply)]
    return _ReadTurn(turn, reply, found, unheard)


def is_work(turns: Sequence[SessionTurn]) -> bool:
    """Tells whether a session is work on files, in which most of what a person says is about the next step."""
    told = [turn for turn in turns if turn.speaker is Speaker.AGENT]
    working = sum(turn.on_files or bool(_WORK.search(turn.text)) for turn in told)
    return bool(told) and _WORK_SHARE * working >= len(told)


def _is_of_the_moment(entry: ExtractedEntry) -> bool:
    """Tells whether an entry of a session of work is about the step under way. What lasts of such a session has its
    day, where it happened; its purpose, where it is how something is done; and says what holds, where it corrects. Of
    what an agent holds only a proposal can be agreed to, and a yes to a question ("Should we move it?") is the next
    step."""
    if entry.turn.speaker is Speaker.AGENT:
        is_step = entry.quote.endswith(QUESTION_ENDS) or pattern("doubt.step").search(entry.quote) is not None
        return entry.grade is EntryGrade.CONFIRMED and (entry.kind is not EntryKind.DECISION or is_step)
    needed = _NEEDED.get(entry.kind)
    lacks = needed is not None and not pattern(f"doubt.{needed}").search(entry.quote)
    passing = pattern("doubt.moment" if entry.kind in _OF_MOMENT else "doubt.step")
    return lacks or (entry.kind is not EntryKind.LESSON and passing.search(entry.quote) is not None)


def _trusted(entry: ExtractedEntry, *, is_offer: bool) -> ExtractedEntry:
    """The entry, at most proposed where its turn is not known to be the owner's (decision D57)."""
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
    """The entries of a turn in order: what rules hear, values that a person states (D61), and what likely lasts. What a
    rule hears and the model gives less than `least` is none, since a word that rules know stands in any text; but a
    value that a person announces in the place of others ("final convention: …") is heard by its address alone."""
    found = [(one, kinds.get(ToldSentence(one.quote, read.turn.text))) for one in read.found]
    for text in read.unheard:
        kind = kinds.get(ToldSentence(text, read.turn.text))
        is_sure = sentence_kinds.says_value(text) or (kind is not None and kind.probability >= LIKELY)
        if is_sure or (offers and kind is not None and kind.lasts >= LASTS):
            grade = EntryGrade.STATED if is_sure else EntryGrade.PROPOSED
            found.append((_entry(kind.kind if kind is not None else EntryKind.FACT, grade, text, read.turn), kind))
    for entry, kind in sorted(found, key=lambda one: read.turn.text.find(one[0].quote)):
        announced = not {":", "："}.isdisjoint(entry.quote) and sentence_kinds.says_value(entry.quote)
        if kind is None or kind.lasts >= least or announced:
            yield entry
        elif offers:  # a flush loses nothing that anybody hears
            yield msgspec.structs.replace(entry, grade=EntryGrade.PROPOSED)


def unheard_statements(turn: SessionTurn, found: Sequence[ExtractedEntry]) -> list[str]:
    """The statements of a message that a person typed in which no rule finds an entry, none of them nobody's."""
    if turn.speaker is not Speaker.USER or len(turn.text) > _CHAT or turn.text.count("\n") > _CHAT_LINES:
        return []
    known = {one.quote for one in found}
    own = (one for one in sentence_kinds.lasting_statements(turn) if one not in known)
    return [one for one in own if not sentence_kinds.is_nobodys(without_quotations(one))]


def _taken_back(sentence: str, turn: SessionTurn, reply: SessionTurn | None) -> bool:
    """Tells whether the words behind a statement take it back, in its message or in the user's next."""
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
    """An entry of a kind that somebody else found, graded by who said it; None where only a user says such a thing."""
    if kind in _OF_USER and turn.speaker is not Speaker.USER:
        return None
    reply = next((one for one in turns if one.line > turn.line and one.speaker is Speaker.USER), None)
    return _entry(kind, _grade(kind, turn, reply), sentence, turn)


def _grade(kind: EntryKind, turn: SessionTurn, reply: SessionTurn | None) -> EntryGrade:
    """A person's words are stated; what an agent holds, or tells of its own work, is inferred until a yes."""
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
