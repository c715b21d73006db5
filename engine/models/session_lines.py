"""Finds what an agent's platform wrote into a note: session heads, injected prompts, heartbeats, exec and cron lines.
A sentence *about* a heartbeat or a cron job stays: each rule takes a line from its start, or whole."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from engine.models.cue_matcher import alternatives
from engine.models.noise import found_in
from engine.text.pattern_file import PatternFile, pattern_file

SESSION = "session header line"
PROMPT = "line of an injected prompt"
HEARTBEAT = "routine heartbeat line"
EVENT = "exec, hook or cron line"
RESULT = "tool result line"
CHAT = "chat metadata line"
PROGRESS = "progress line"
PATH = "link-only line"

_LEAD = re.compile(r"[\s>]*(?:#{1,6}\s+|(?:[-*+•]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?")
_ROLE = re.compile(r"\*{0,2}(?:user|human|assistant|agent|system)\*{0,2}\s?:\*{0,2}\s*(?=\S)", re.IGNORECASE)

_FORMS = PatternFile(__package__, "session_lines_patterns.toml", "beat quiet news routine_key head_key signs")
_DIGITS = re.compile(r"\d+")
_REACH = 400
"""Characters of a line that are looked at."""
_HEAD_REACH = 10
"""Lines below a session's heading that may be its metadata."""


@cache
def _rules() -> tuple[tuple[str, re.Pattern[str]], ...]:
    rules = pattern_file(__package__, "session_lines.toml")["rules"]
    return tuple((reason, re.compile(alternatives(table))) for reason, table in rules.items())


@cache
def _signs() -> Any:
    import re2

    return re2.compile(_FORMS.texts["signs"].encode())


def session_lines(lines: Sequence[str]) -> dict[int, str]:
    """Line index (from 0) to the reason why a platform wrote it."""
    if not found_in(lines, _signs().search):
        return {}
    bodies = [_body(line) for line in lines]
    found = {index: reason for index, body in enumerate(bodies) if body and (reason := _reason(body))}
    found.update(dict.fromkeys(_head_metadata(bodies, found), SESSION))
    found.update(dict.fromkeys(_heartbeats(lines, bodies), HEARTBEAT))
    return found


def _body(line: str) -> str:
    """Gives the line without its list mark and the name of who speaks."""
    text = line[_LEAD.match(line).end() :]  # type: ignore[union-attr]  # matches the empty string too
    role = _ROLE.match(text)
    if role is not None and not text.casefold().startswith("system"):
        text = text[role.end() :]
    return text[:_REACH].strip()


def _reason(body: str) -> str:
    return next((reason for reason, pattern in _rules() if pattern.match(body)), "")


def _head_metadata(bodies: Sequence[str], found: dict[int, str]) -> Iterator[int]:
    """Lines such as `Source: telegram`, only near a session's head: elsewhere they may be what somebody noted."""
    last = -_HEAD_REACH
    for index, body in enumerate(bodies):
        if found.get(index) == SESSION:
            last = index
        elif body and index - last < _HEAD_REACH:
            if _FORMS["head_key"].match(body):
                yield index
            else:
                last = -_HEAD_REACH


def _heartbeats(lines: Sequence[str], bodies: Sequence[str]) -> Iterator[int]:
    """Heartbeats that found nothing, and those that say the same again but for their figures."""
    beats = {index: beat["rest"] for index, body in enumerate(bodies) if (beat := _FORMS["beat"].match(body))}
    counts = Counter(_DIGITS.sub("0", rest) for rest in beats.values())
    inside = False
    for index, body in enumerate(bodies):
        heading = lines[index].lstrip().startswith("#")
        if index in beats:
            rest = beats[index]
            inside = inside or heading
            if heading or _is_quiet(rest) or counts[_DIGITS.sub("0", rest)] > 1:
                yield index
        elif heading:
            inside = False
        elif inside and body:
            key = _FORMS["routine_key"].match(body)
            if _is_quiet(key["rest"]) if key else len(body) < 40 and _is_quiet(body):
                yield index


def _is_quiet(rest: str) -> bool:
    """Tells whether a heartbeat came to nothing; a figure of zero counts, news of any kind does not."""
    return not rest.strip(" \t.:;—–-!✓✅") or (bool(_FORMS["quiet"].search(rest)) and not _FORMS["news"].search(rest))
