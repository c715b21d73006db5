r"""Finds the lines of a message that may hold an entry, so that the exact patterns read only those (§8.3).

Each table of cue words is widened into a pattern that a linear-time engine runs over the whole message: a word's edges,
anchors and bounds of repetition are left away, and `[^…]` becomes any character, because a quotation is cut out of a
sentence before the exact patterns see it. What the exact patterns find is always found by the wider ones.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from engine.lifecycle.extract import cues
from engine.lifecycle.extract.entry import EntryKind
from engine.models.cue_matcher import alternative_lines
from engine.models.cues import CJK, LATIN, Cue
from engine.text.transcript_marks import Speaker

_MEMORY = 16 << 20
_EITHER = (
    *(cues.EXTRA_DECISION, cues.EXTRA_LESSON, cues.EXTRA_JOURNAL),
    *(cues.KINDS[EntryKind.PROCEDURE], cues.KINDS[EntryKind.PERSON]),
)
_USER = tuple(cues.KINDS[kind] for kind in (EntryKind.CORRECTION, EntryKind.PREFERENCE, EntryKind.FACT))
_CUES: dict[Speaker, tuple[Cue, ...]] = {
    Speaker.USER: ("insight", "decision", "plan", "rule"),
    Speaker.AGENT: ("insight", "decision"),
}
_TABLES = {Speaker.USER: (*_EITHER, *_USER), Speaker.AGENT: (*_EITHER, cues.PROPOSAL)}
_WIDER = (
    (r"\p{N}", r"(?-i:[A-ZÄÖÜ])"),
    (re.compile(r"\[(?:\^[^\]]*|[^\]]*\\w[^\]]*)\]"), "."),
    (re.compile(r"\{\d+(?:,\d*)?\}\??"), "*"),
    (re.compile(r"\^|\\b"), ""),
    (r"\w", r"[_0-9A-Za-z\x{80}-\x{10ffff}]"),
    (r"\d", r"\pN"),
)


def candidate_lines(text: str, role: Speaker) -> frozenset[int]:
    """The numbers, from 0, of the lines of a message that may hold an entry; no other line holds one."""
    # Python takes these letters for an `i` without regard to case, the other engine does not.
    data = text.replace("İ", "i").replace("ı", "i").encode("utf-8", "replace")
    return frozenset(number for pattern in _patterns(role) for number in _numbers(pattern, data))


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
def _patterns(role: Speaker) -> tuple[Any, ...]:
    """The patterns of all tables: one of what repeats nothing, and one of each table's rest.

    All of them together would be one automaton that is too large for its memory, and many times slower.
    """
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = _MEMORY
    plain, repeating = list[str](), list[str]()
    for table in (*_TABLES.get(role, ()), *(one.get(cue, "") for cue in _CUES.get(role, ()) for one in (LATIN, CJK))):
        lines = [_wider(line) for line in alternative_lines(table)]
        rest = [line for line in lines if "*" in line or "+" in line]
        plain += [line for line in lines if line not in rest]
        repeating += ["|".join(rest)] if rest else []
    return tuple(re2.compile(one, options) for one in ("|".join(plain), *repeating) if one)


def _wider(pattern: str) -> str:
    for narrow, wide in _WIDER:
        pattern = pattern.replace(narrow, wide) if isinstance(narrow, str) else narrow.sub(wide, pattern)
    return pattern
