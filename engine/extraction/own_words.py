"""Finds the sentences of a message that are the speaker's own words, and those that only ask for something."""

import re
from collections.abc import Container, Iterator
from functools import cache

from engine.extraction.words import TABLES, pattern, plain_marks
from engine.text.markdown import code_mask, heading_of
from engine.text.sentences import sentences
from engine.text.transcript_marks import Speaker

_PAIRS = (('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("《", "》"))
_QUOTED = re.compile("|".join(f"{opens}[^{ends}\\n]{{1,400}}[{ends}]" for opens, ends in _PAIRS))
OPENING_QUOTES = tuple(opens for opens, _ in _PAIRS)  # each begins a quotation that goes on after its sentence
_SKIPPED = re.compile(r"^\s*(?:>|\||\\|[-+]{3} |@@|\+)")
_LISTED = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)]|\*\*)\s*")
_BULLET = re.compile(r"^\s*(?:[-*]|\d{1,3}[.)])\s+")
_DIFF = re.compile(r"(?m)^(?:@@ |\+|diff --git )")
_LOGGED = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[[\w .:-]{2,30}\] ?\S|"
    r"(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE|[A-ZÄÖÜ]{4,} \d+:)[ :]|\S+@\S+[:~].*[$#%] |[$➜❯] |\w+Error: )"
)
"""Matches the beginning of a program's line: a time to the minute, a level in brackets or capitals, a prompt."""
_CODE = re.compile(
    r"^\s*(?://|/\*|\*/|<!--|(?:def|class|const|let|var|import|return|function|public) .*[(){};=])|[;{}]\s*$|=> ?[{(]"
)
_CAST = re.compile(r"(?m)^([A-ZÄÖÜ]{2,}(?: [A-ZÄÖÜ]+)?): ")  # begins what a person of a play says
_ALIGNED = re.compile(r"\S(?:[ \t]{3,}|\t)\S")
_COLONS = (":", "：")
_LOWER_END = re.compile(r"(?<=\w\w[.!?])(?<!\bvs\.)(?<!\b(?:dr|mr|ms|st|no)\.)(?<!etc\.)\s+(?=[a-zäöüß])")
"""Matches the end of a sentence before a lower-case one."""
_SHORTEST, _LONGEST = 4, 400
_PASTED = 600  # characters above which most of a person's message is somebody else's text, but for what speaks of them


def statements(text: str, role: Speaker = Speaker.USER, among: Container[int] | None = None) -> Iterator[str]:
    """Yields the sentences of a message in the speaker's own words. Skips an agent's lists, which advise and describe
    but report nothing done. `among`: numbers, from 0, of the lines to read; None for all."""
    if len(set(_CAST.findall(text))) > 1:
        return
    lines = text.split("\n")
    is_diff, pasted = bool(_DIFF.search(text)), role is Speaker.USER and len(text) > _PASTED
    for number, (line, is_code) in enumerate(zip(lines, code_mask(lines), strict=True)):
        if (among is not None and number not in among) or is_code or heading_of(line) is not None:
            continue
        if not _is_material(line, role, is_diff=is_diff):
            yield from (phrase for phrase in _said(_BULLET.sub("", line)) if not pasted or is_own(phrase))


def without_quotations(sentence: str) -> str:
    """Replaces each quotation in a sentence by a sign; punctuation becomes that of the tables."""
    return plain_marks(_QUOTED.sub("…", sentence).strip())


def is_own(sentence: str) -> bool:
    """Tells whether a sentence is about its speaker; in languages that omit the person, any may be."""
    return pattern("passing.first_person").search(sentence) is not None


def is_asked(sentence: str) -> bool:
    """Tells whether a sentence asks for something, assigns a role or advises."""
    return bool(pattern("passing.asked").search(sentence) or _request().match(sentence))


@cache
def _request() -> re.Pattern[str]:
    """Matches requests, except those for later sessions, which are rules."""
    first, anywhere = ("|".join(TABLES.lines("passing.request", edges=edges)) for edges in (True, False))
    return re.compile(rf"(?i)\s*(?!.*(?:{TABLES.alternatives('passing.lasting')}))(?:{first}|.{{0,12}}?(?:{anywhere}))")


def _is_material(line: str, role: Speaker, *, is_diff: bool) -> bool:
    """Tells whether a line belongs to a table, program or document, or to an agent's list."""
    return bool(
        _SKIPPED.match(line)
        or _LOGGED.match(line)
        or _CODE.search(line)
        or _ALIGNED.search(line)
        or (is_diff and line.startswith("-"))
        or (role is Speaker.AGENT and _LISTED.match(line))
    )


def _said(line: str) -> Iterator[str]:
    """Yields the sentences of a line; skips quotations, too short or long ones, and announcements."""
    quoted, at = [found.span() for found in _QUOTED.finditer(line)], 0
    for one in (part for whole in sentences(line) for part in _LOWER_END.split(whole) if part):
        at = max(line.find(one, at), 0)
        inside = any(first < at < end or (first == at and at + len(one) <= end) for first, end in quoted)
        if not inside and _SHORTEST <= len(one) <= _LONGEST and not one.rstrip("*_ ").endswith(_COLONS):
            yield one
        at += len(one)
