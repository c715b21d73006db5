"""Tells the kind of a sentence by its words; doubt, questions and hearsay have none (decisions D44, D61)."""

import re
from collections.abc import Container, Iterator, Sequence
from itertools import dropwhile, islice

from engine.extraction.address_words import words_of
from engine.extraction.addresses import Address, addresses
from engine.extraction.candidate_lines import OWN, Form, possible_forms
from engine.extraction.entry import EntryKind
from engine.extraction.own_words import OPENING_QUOTES, is_asked, statements, without_quotations
from engine.extraction.words import TABLES, compiled, pattern
from engine.models.cue_matcher import QUESTION_ENDS, Cue, matcher
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn

_ORDER = (EntryKind.CORRECTION, EntryKind.PREFERENCE)
_LATER = (EntryKind.PROCEDURE, EntryKind.PERSON)
_CUES: frozenset[Cue] = frozenset(
    ("not_decision", "request", "open", "insight", "not_insight", "decision", "plan", "rule")
)
"""The cues in use; only these are compiled."""
_SHARED = frozenset({EntryKind.DECISION, EntryKind.LESSON})
TOLD = (EntryKind.JOURNAL, EntryKind.FACT)  # kinds that tell what happened or what holds


def kind_of(sentence: str, role: Speaker) -> EntryKind | None:
    """Returns the kind of a sentence; None for a question, a doubt, or what does not last."""
    plain, forms = without_quotations(sentence), possible_forms(sentence, role)
    if not forms or plain.endswith(QUESTION_ENDS) or plain.startswith(OPENING_QUOTES) or is_nobodys(plain):
        return None
    says = _said(plain, forms)
    if role is Speaker.USER:
        for kind in _ORDER:
            if kind in says or f"{OWN}{kind}" in says:
                return kind
    # After the user's kinds: "no, use tabs" rejects and is a correction all the same.
    if pattern("doubt.rejected").search(plain) or is_asked(plain):
        return None
    if pattern("doubt.conditional").search(plain):
        return EntryKind.PROCEDURE if role is Speaker.USER and _late(says) is EntryKind.PROCEDURE else None
    if role is Speaker.AGENT and pattern("doubt.advised").search(plain):
        return EntryKind.JOURNAL if EntryKind.JOURNAL in says else None
    found = _kind_of_plain(plain, role, says)
    return None if role is Speaker.AGENT and found in _SHARED and not pattern("doubt.ours").search(plain) else found


def kind_of_line(text: str) -> EntryKind | None:
    """Returns the kind of a journal's line by its first statement with one; a proposal there was agreed to."""
    if pattern("doubt.play").search(text):
        return None
    kinds = (kind_of(sentence, Speaker.USER) for sentence in statements(text))
    agreed = pattern("doubt.proposal").search(text) and not is_nobodys(text)
    return next((kind for kind in kinds if kind is not None), EntryKind.DECISION if agreed else None)


def is_nobodys(plain: str) -> bool:
    """Tells whether a sentence is doubted, hearsay, or approval or blame without an object."""
    return any(pattern(f"doubt.{doubt}").search(plain) for doubt in ("doubt", "hearsay", "standing"))


def _said(plain: str, forms: Sequence[Form]) -> frozenset[str]:
    """Returns the kinds whose forms match; excludes what did not happen or is only wished for."""
    found = {form.kind for form in forms if form.kind and compiled(form.pattern).search(plain)}
    for kind in [kind for kind in found if kind.startswith(OWN)]:
        key = f"not_own.{kind.removeprefix(OWN)}"
        if TABLES.lines(key) and pattern(key).search(plain):
            found.discard(kind)
    return frozenset(found)


def _kind_of_plain(plain: str, role: Speaker, says: Container[str]) -> EntryKind | None:
    known = matcher(_CUES).cues(plain)
    told = next((kind for kind in TOLD if f"{OWN}{kind}" in says), None)
    learned = EntryKind.LESSON in says or f"{OWN}{EntryKind.LESSON}" in says
    if known & {"not_decision", "request", "open"} and not learned:
        if role is Speaker.AGENT and "request" not in known and EntryKind.JOURNAL in says:
            return EntryKind.JOURNAL
        return (_late(says) if "not_decision" not in known and "open" not in known else None) or told
    if learned or ("insight" in known and "not_insight" not in known):
        return EntryKind.LESSON
    decided = EntryKind.DECISION in says or f"{OWN}{EntryKind.DECISION}" in says or "decision" in known
    if decided or (role is Speaker.USER and "plan" in known):
        return EntryKind.DECISION
    if role is Speaker.AGENT and EntryKind.JOURNAL in says:
        return EntryKind.JOURNAL
    return _late(says) or next((kind for kind in TOLD if kind in says), None) or told


def lasting_statements(turn: SessionTurn) -> Iterator[str]:
    """Yields the sentences of a turn that may be entries: no question, rejection or role play."""
    if turn.speaker is Speaker.SYSTEM or pattern("doubt.play").search(turn.text):
        return
    for sentence in statements(turn.text, turn.speaker):
        plain = without_quotations(sentence)
        out = any(pattern(f"doubt.{doubt}").search(plain) for doubt in ("rejected", "conditional")) or is_asked(plain)
        if not out and not plain.endswith(QUESTION_ENDS):
            yield sentence


def _late(says: Container[str]) -> EntryKind | None:
    return next((kind for kind in _LATER if kind in says or f"{OWN}{kind}" in says), None)


def is_rule(sentence: str) -> bool:
    """Tells whether a sentence says how something should be done from now on."""
    return "rule" in matcher(_CUES).cues(sentence) or bool(pattern("said.lesson").search(sentence))


def is_proposal(sentence: str) -> bool:
    """Tells whether an agent proposes how something should be: no advice, condition or next step."""
    other = any(pattern(f"doubt.{doubt}").search(sentence) for doubt in ("announced", "conditional"))
    return not other and pattern("doubt.proposal").search(sentence) is not None


def is_blame(sentence: str) -> bool:
    """Tells whether a sentence says that something is wrong without the right value, which may follow."""
    plain = without_quotations(sentence)
    blames = EntryKind.CORRECTION in _said(plain, possible_forms(sentence, Speaker.USER))
    return blames and pattern("doubt.standing").search(plain) is not None


def held_instead(blame: str, text: str) -> str | None:
    """Returns the sentence after a blame if it says what holds and no rule finds it; else None."""
    for sentence in islice(dropwhile(lambda said: said != blame, statements(text)), 1, 2):
        plain = without_quotations(sentence)
        over = plain.endswith(QUESTION_ENDS) or is_nobodys(plain) or is_asked(plain)
        holds = pattern("doubt.holds").search(plain) and not pattern("doubt.moment").search(plain)
        if holds and not over and kind_of(sentence, Speaker.USER) is None:
            return sentence
    return None


_LONGEST = 160  # characters; a longer sentence tells a story. Of Chinese less than half.
_UNSURE = ("prefer", "quality", "have")  # attributes that other rules tell better
_COLON = re.compile(r": |：")
_SURE = frozenset({"own", "place", "name"})


def says_value(sentence: str) -> bool:
    """Tells whether a person states a value of something of theirs: "staging port is 5434 now"."""
    text = sentence.lower().replace("’", "'")
    words = words_of(text)
    longest = _LONGEST * 2 // 5 if words.joined else _LONGEST
    head = _COLON.split(text, maxsplit=1)[0]
    announced = len(head) < len(text) and words.marks["changed"].search(head) is not None  # "final convention: …"
    if len(text) > longest or (len(head) < len(text) and not announced) or text.startswith("["):
        return False
    ours = announced or words.marks["ours"].search(text) is not None
    if words.marks["orders"].search(text) or (not ours and words.marks["others"].search(text)):
        return False
    definite = words.joined or words.marks["owned"].match(text) is not None
    return any(_states(address, ours=ours or words.joined, definite=definite) for address in addresses(sentence))


def _states(one: Address, *, ours: bool, definite: bool) -> bool:
    if one.negated:
        return len(one.content) > 1 and (one.verb == "drop" or (ours and one.changed))
    told = one.attribute == "quality" and ours and len(one.subject) > 1
    if not one.holds or (one.attribute.startswith(_UNSURE) and not told):
        return False
    sure = bool(one.typed | one.value & one.names) or one.changed or one.moved or one.attribute in _SURE
    return (ours or (sure and (definite or bool(one.verb)))) and (bool(one.subject) or (ours and len(one.run) > 1))
