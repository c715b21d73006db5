r"""Finds the lines of a message that may hold an entry, so that the exact patterns read only those (§8.3).

Each table of cue words is widened into a pattern that a linear-time engine runs over the whole message: a word's edges,
anchors and bounds of repetition are left away, and `[^…]` becomes any character, because a quotation is cut out of a
sentence before the exact patterns see it. What the exact patterns find is always found by the wider ones.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from engine.lifecycle.extract import cues, doubt_cues
from engine.lifecycle.extract.entry import EntryKind
from engine.models.cue_matcher import alternative_lines
from engine.models.cues import CJK, LATIN, Cue
from engine.text.transcript_marks import Speaker

_MEMORY = 8 << 20
"""Bytes that RE2 may use for the one pattern of all cues."""
_EITHER = (
    *(cues.EXTRA_DECISION, cues.EXTRA_LESSON, cues.EXTRA_JOURNAL),
    *(cues.KINDS[EntryKind.PROCEDURE], cues.KINDS[EntryKind.PERSON]),
)
_USER = (
    cues.OWN_DECISION,
    *(cues.KINDS[kind] for kind in (EntryKind.CORRECTION, EntryKind.PREFERENCE, EntryKind.FACT)),
)
_CUES: dict[Speaker, tuple[Cue, ...]] = {
    Speaker.USER: ("insight", "decision", "plan", "rule"),
    Speaker.AGENT: ("insight", "decision"),
}
_TABLES = {Speaker.USER: (*_EITHER, *_USER), Speaker.AGENT: (*_EITHER, doubt_cues.PROPOSAL)}
_WIDER = (
    (r"\p{N}", r"(?-i:[A-ZÄÖÜ])"),
    (re.compile(r"\[(?:\^[^\]]*|[^\]]*\\w[^\]]*)\]"), "."),
    (re.compile(r"\{\d+(?:,\d*)?\}\??"), "*"),
    (re.compile(r"[\^$]|\\b"), ""),
    (r"\w", r"[_0-9A-Za-z\x{80}-\x{10ffff}]"),
    (r"\d", r"\pN"),
)


def candidate_lines(text: str, role: Speaker) -> frozenset[int]:
    """The numbers, from 0, of the lines of a message that may hold an entry; no other line holds one."""
    # Python takes these letters for an `i` without regard to case, the other engine does not.
    data = text.replace("İ", "i").replace("ı", "i").encode("utf-8", "replace")
    wider = _filter(role)
    # The filter tells which patterns are possible by the words that they need; most messages have none of them.
    possible = (wider.Match(data, True) or ()) if wider is not None else ()
    return frozenset(number for at in possible for number in _numbers(wider.re(at), data))


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
def _filter(role: Speaker) -> Any:
    """A filter over each pattern of all tables; None where there are none.

    All patterns as one would be an automaton that is too large for its memory, and many times slower.
    """
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = _MEMORY
    tables = (*_TABLES.get(role, ()), *(one.get(cue, "") for cue in _CUES.get(role, ()) for one in (LATIN, CJK)))
    patterns = dict.fromkeys(_wider(line) for table in tables for line in alternative_lines(table))
    if not patterns:
        return None
    found = re2.Filter()
    for pattern in patterns:
        found.Add(pattern, options)
    found.Compile()
    return found


def _wider(pattern: str) -> str:
    for narrow, wide in _WIDER:
        pattern = pattern.replace(narrow, wide) if isinstance(narrow, str) else narrow.sub(wide, pattern)
    return pattern
