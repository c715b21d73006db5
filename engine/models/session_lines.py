"""Finds what an agent's platform wrote into a note: session heads, injected prompts, heartbeats, exec and cron lines.

Session dumps, heartbeat logs and chat exports are a third of real notes; the forms are those of OpenClaw's
session-memory hook, its heartbeat and memory flush, and of common progress output. A sentence *about* a heartbeat or a
cron job stays: each rule takes a line from its start, or whole.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from engine.models.cue_matcher import alternatives
from engine.models.line_parts import found_in

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

_RULES: tuple[tuple[str, str], ...] = (
    (
        PROMPT,
        r"""
        (?:HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)\W*$
        (?i:(?:please )?(?:read|follow|check|consult|open|consider)\b.{0,60}\bHEARTBEAT\.md\b)
        (?i:(?:if|when|unless) .{0,80}\b(?:reply|respond|answer)\b.{0,30}\b)(?:HEARTBEAT_OK|NO_REPLY|DONE)\b
        (?i:(?:reply|respond|answer)(?: only)?(?: with)? (?:exactly )?)["'`]?(?:HEARTBEAT_OK|NO_REPLY|DONE)\b
        (?i:do not infer or repeat old tasks|follow it strictly|when reading HEARTBEAT\.md)
        (?i:.{0,40}\b(?:reply|respond) with )["'`]?(?:HEARTBEAT_OK|NO_REPLY)\b
        (?i:write any lasting notes to )
        (?i:pre-compaction memory flush|session nearing compaction|store durable memories now)
        (?i:a new session was started via |run your session startup sequence|post-compaction (?:audit|context refresh))
        (?i:you are (?:running|waking up) (?:as|from) (?:a |an )?(?:cron|heartbeat|scheduled))
        """,
    ),
    (
        EVENT,
        r"""
        (?i:system(?: \(untrusted\))?:\s*\[\d{4}-\d\d-\d\d)
        (?i:\[\d{4}-\d\d-\d\d[^\]]{0,30}\]\s*(?:exec|cron|hook|node|gateway|model|heartbeat)\b)
        (?i:\[?(?:exec|background exec)(?: \S+)? (?:completed|failed|started|finished|exited|running)\b)
        (?i:\[(?:cron|hook|exec|schedule|heartbeat)(?:[: ][^\]]{0,120})?\])
        (?i:(?:cron|cron job|hook|scheduled job)s?\s?[:'"“`].{0,80}\b(?:started|finished|ran|done|completed|failed)\b)
        (?i:(?:cron|cron job|scheduled job) \S+ (?:started|finished|ran|completed|exited|fired)\b)
        """,
    ),
    (
        RESULT,
        r"""
        (?i:tool[_ ]?(?:results?|calls?|use|output)\s?[:：])
        (?i:\[tool(?:[_ ]?(?:results?|calls?|use|output))?(?:[: ][^\]]{0,80})?\])
        (?i:exit(?:ed with)? (?:code|status)?\s?-?\d+\W*$)
        (?i:\(no output\)\W*$)
        (?i:ran \S+.{0,40}\b\d+ tests? passed\W*$)
        (?i:=*\s?(?:\d+ (?:tests? )?(?:passed|failed|skipped|errors?|warnings?)[, ]*)+(?:in \d\S*(?: s)?)?[\s=.]*$)
        """,
    ),
    (
        CHAT,
        r"""
        \[message_id:[^\]]*\]\W*$
        (?i:(?:to|from|cc|bcc|reply-to)\s?:\s?[^@\n]{0,80}@\S+\W*$)
        (?i:current time\s?[:：])
        .{0,60}\(untrusted(?: metadata|, for context)?[^)]*\)\s?:
        (?i:\[(?:media attached|queued messages|quoting|replying to|forwarded from|reacted)\b[^\]]*\]\W*$)
        (?i:(?:message[_ ]id|chat[_ ]id|sender[_ ]id|conversation[_ ]label|group[_ ]id|thread[_ ]id)["']?\s?[:：])
        (?i:<media omitted>|<attached: )
        """,
    ),
    (
        SESSION,
        r"""
        (?i:\*{0,2}session (?:key|id|file)\*{0,2}\s?[:：])
        (?i:(?:session|sitzung|sesión|会话)(?: log)?\s?[:：—–-]\s?\d{4}-\d\d-\d\d)
        (?i:session log$|conversation summary$)
        """,
    ),
    (
        PROGRESS,
        r"""
        .{0,20}[█▓▒░]{2,}
        [\[(]?\d{1,6}\s?/\s?\d{1,6}[\])]?(?:\s+\S+){0,4}\W*$
        (?i:step \d+ ?(?:/|of) ?\d+\b)
        (?i:(?:\w+ing|processed|downloaded|uploaded|indexed|copied)\b.{0,40}\d+ ?(?:/|of) ?\d+)
        (?i:\w+ing\b.{0,40}\d{1,3}(?:\.\d+)?\s?%)
        (?i:(?:progress|fortschritt|progression|progreso|avance|进度|進捗|진행률?)\s?[:：=]?\s?\d{1,3}(?:[.,]\d+)?\s?[%％]\W*$)
        (?i:(?:still )?(?:working on (?:it|this)|processing|loading|running|please wait|one moment)\s?(?:…|\.\.\.)\s*$)
        (?i:\W{0,3}(?:done|ok|finished|complete|completed|fertig|terminé|listo|完成)\W*$)
        """,
    ),
    (PATH, r"(?:[<(\[]?https?://\S+|<?(?:[~.]{0,2}/|[A-Z]:\\|[\w.-]+/)[\w./\\@+-]*[\w/]>?)\W*$"),
)  # fmt: skip

_BEAT = re.compile(
    r"(?i)\W*(?:\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?)?\W*(?:heartbeat(?:_ok)?|HB|心跳)\b\W*(?:check|poll|run|tick)?(?P<rest>.*)"
)
_QUIET = re.compile(
    r"""(?xi)
    \b(?:ok|okay|nominal|idle|quiet|unchanged|none|n/a|skipped|received|0)\b
    | \bno(?:thing|body|\ new|\ change|\ urgent|ne|\ )
    | \ball\ (?:clear|good|quiet|systems|fine) | \bchecked\b | \bnichts\b | \bkeine? | \bgeen\b | \brien\b | \bnada\b
    | \bsin\ novedad | 无|没有|正常 | 異常なし | 이상 ?없
    """
)
_NEWS = re.compile(
    r"(?i)\b(?:failed|error|urgent mail from|arrived|down|lost|overdue|replied|paid|broke\w*|fehler)\b|失败|エラー"
)
_ROUTINE_KEY = re.compile(
    r"(?i)(?:inbox|e?-?mails?|calendar|status|tasks?|mentions|notifications?|weather|alerts?|messages?|disk|health)\s?[:：]\s?(?P<rest>.*)"
)
_DIGITS = re.compile(r"\d+")
_HEAD_KEY = re.compile(
    r"\*{0,2}(?:source|channel|model|provider|agent|sender|chat|workspace|started|ended)\*{0,2}\s?[:：]", re.IGNORECASE
)
_REACH = 400
"""Characters of a line that are looked at."""
_HEAD_REACH = 10
"""Lines below a session's heading that may be its metadata."""
_SIGNS = (
    r"(?i)(?m:^[\s>*+-]*(?:to|from|cc|bcc|reply-to)\s?:.*@)"
    r"|heartbeat|no_reply|_skip\b|session|sitzung|sesión|会话|untrusted|current time|message_id|chat_id"
    r"|cron|exec|hook|tool|memory flush|durable memor|compaction|lasting notes|media|attached|\bdone\b"
    r"|working on|[█▓▒░]|\d ?/ ?\d|step \d|\d ?%| of \d"
    r"|\bHB\b|心跳|exit|no output|\[\d{4}-|完成|https?://|(?m:^[\s>*+-]*(?:[~.]{0,2}/|[\w.-]+/|[A-Z]:)\S*\s*$)"
    r"|\d (?:tests? )?(?:passed|failed)"
    r"|loading|running|one moment|please wait|processing|fertig|terminé|listo|(?m:^\W*(?:ok|finished|completed?)\W*$)"
)  # fmt: skip


_PATTERNS = tuple((reason, re.compile(alternatives(table))) for reason, table in _RULES)


@cache
def _signs() -> Any:
    import re2

    return re2.compile(_SIGNS.encode())


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
    """The line behind its list mark and the name of who speaks."""
    text = line[_LEAD.match(line).end() :]  # type: ignore[union-attr]  # matches the empty string too
    role = _ROLE.match(text)
    if role is not None and not text.casefold().startswith("system"):
        text = text[role.end() :]
    return text[:_REACH].strip()


def _reason(body: str) -> str:
    return next((reason for reason, pattern in _PATTERNS if pattern.match(body)), "")


def _head_metadata(bodies: Sequence[str], found: dict[int, str]) -> Iterator[int]:
    """Lines such as `Source: telegram`, only near a session's head: elsewhere they may be what somebody noted."""
    last = -_HEAD_REACH
    for index, body in enumerate(bodies):
        if found.get(index) == SESSION:
            last = index
        elif body and index - last < _HEAD_REACH:
            if _HEAD_KEY.match(body):
                yield index
            else:
                last = -_HEAD_REACH


def _heartbeats(lines: Sequence[str], bodies: Sequence[str]) -> Iterator[int]:
    """Heartbeats that found nothing, and those that say the same again but for their figures."""
    beats = {index: beat["rest"] for index, body in enumerate(bodies) if (beat := _BEAT.match(body))}
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
            key = _ROUTINE_KEY.match(body)
            if _is_quiet(key["rest"]) if key else len(body) < 40 and _is_quiet(body):
                yield index


def _is_quiet(rest: str) -> bool:
    """Tells whether a heartbeat came to nothing; a figure of zero counts, news of any kind does not."""
    return not rest.strip(" \t.:;—–-!✓✅") or (bool(_QUIET.search(rest)) and not _NEWS.search(rest))
