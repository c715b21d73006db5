"""Finds the lines that may hold an entry, and the forms that a sentence may have (§8.3). Each pattern of the tables is
widened for a linear-time engine, RE2, that searches the whole message. The wider patterns match wherever the exact ones
do, so that exact ones are tried only there."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

from engine.extraction.entry import EntryKind
from engine.extraction.words import TABLES, plain_digits, plain_marks
from engine.models.cue_matcher import TABLES as CUE_TABLES
from engine.models.cue_matcher import Cue
from engine.text.pattern_file import filter_bytes
from engine.text.transcript_marks import Speaker

_CUES: dict[Speaker, tuple[Cue, ...]] = {
    Speaker.USER: ("insight", "decision", "plan", "rule"),
    Speaker.AGENT: ("insight", "decision"),
}
_EITHER = (EntryKind.PROCEDURE, EntryKind.PERSON, EntryKind.DECISION, EntryKind.LESSON, EntryKind.JOURNAL)
OWN = "own "  # stands before the kind of a form that only a user has


class Form(NamedTuple):
    """One alternative of a table. `kind`: the kind that it indicates, empty for cue words of summaries."""

    kind: str
    pattern: str


def candidate_lines(text: str, role: Speaker) -> frozenset[int]:
    """Returns the numbers, from 0, of the lines of a message that may hold an entry; no other line holds one."""
    data, wider = filter_bytes(plain_marks(text)), _filter(role)[1]
    if wider is None:
        return frozenset()
    lines, found = data.count(b"\n") + 1, set[int]()
    for at in wider.Match(data) or ():
        if len(found) == lines:  # each may already
            break
        found.update(_numbers(wider.re(at), data))
    return frozenset(found)


@lru_cache(maxsize=8)
def possible_forms(sentence: str, role: Speaker) -> tuple[Form, ...]:
    """Returns the forms that a sentence may have; without any, it holds no entry."""
    forms, wider = _filter(role)
    fired = wider.Match(filter_bytes(plain_marks(sentence))) if wider is not None else ()
    return tuple(forms[at] for at in fired or ())


def _numbers(pattern: Any, data: bytes) -> Iterator[int]:
    at = number = 0
    while (found := pattern.search(data, at)) is not None:
        number += data.count(b"\n", at, found.start())
        yield number
        at = data.find(b"\n", found.start()) + 1
        number += 1
        if not at:
            return


@cache
def _filter(role: Speaker) -> tuple[tuple[Form, ...], Any]:
    """Returns a speaker's forms, and the filter over their patterns in the same order."""
    forms = tuple(dict.fromkeys(_forms(role)))
    return forms, TABLES.filter_over([form.pattern for form in forms], plain_digits)


def _forms(role: Speaker) -> Iterator[Form]:
    if role is Speaker.SYSTEM:
        return
    is_user = role is Speaker.USER
    for kind in EntryKind if is_user else _EITHER:
        yield from (Form(kind.value, line) for line in TABLES.lines(f"said.{kind.value}"))
    for kind in EntryKind if is_user else ():
        yield from (Form(f"{OWN}{kind.value}", line) for line in TABLES.lines(f"own.{kind.value}"))
    if not is_user:
        yield from (Form("", line) for line in TABLES.lines("doubt.proposal"))
    for cue in _CUES.get(role, ()):
        yield from (Form("", line) for line in CUE_TABLES.lines(f"cues.{cue}"))
