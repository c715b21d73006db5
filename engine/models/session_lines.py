"""Finds an agent platform's lines in a note: session heads, injected prompts, heartbeats, exec and cron lines. Rules
match whole lines or their beginning, so that a sentence *about* a heartbeat stays. No summary reads such lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from engine.models.cue_matcher import alternatives
from engine.models.labels import key_role
from engine.models.noise import found_in, machine_lines
from engine.text.pattern_file import PatternFile, pattern_file
from engine.text.secrets.detector import find_secrets
from engine.text.text_lines import joined
from engine.workspace.generated import generated_blocks

_FORMS = PatternFile(
    __package__,
    "session_lines_patterns.toml",
    "beat quiet news routine_key head_key signs envelope sender from_line message_id dated stamped mark"
    " ident may_hold_any line_end escaped lead role entry goes_on",
)
_LONGEST_STAMP = 120  # characters of a line with nothing but a name and a time


def without_chat_headers(lines: Sequence[str]) -> Sequence[str]:
    r"""Removes chat metadata and resolves literal `\n`, keeping line numbers; each message becomes an item."""
    return [_message(line) for line in lines] if _FORMS["may_hold_any"].search(joined(lines)) else lines


def _message(line: str) -> str:
    if not _FORMS["may_hold_any"].search(line):
        return line
    if len(line) <= _LONGEST_STAMP and _FORMS["stamped"].fullmatch(line):
        return ""
    text = _FORMS["escaped"].sub(" · ", line).strip(" ·") if _holds_escapes(line) else line
    if head := _FORMS["envelope"].match(text):
        text = _FORMS["message_id"].sub("", _FORMS["from_line"].sub("", text[head.end() :])).rstrip()
        sender = _FORMS["sender"].match(text)
        return f"- {text[sender.end() :] if sender else text}"
    if dated := _FORMS["dated"].match(text):
        return f"- {text[dated.end() :]}"
    return _FORMS["ident"].sub("", _FORMS["mark"].sub("", _FORMS["message_id"].sub("", text)))


def _holds_escapes(line: str) -> bool:
    r"""Tells whether `\n` on a line are unresolved line ends: at its end, twice, or before a sentence."""
    if "\\n" not in line or "`" in line:
        return False
    return line.rstrip().endswith("\\n") or line.count("\\n") > 1 or _FORMS["line_end"].search(line) is not None


SESSION = "session header line"
PROMPT = "line of an injected prompt"
HEARTBEAT = "routine heartbeat line"
EVENT = "exec, hook or cron line"
RESULT = "tool result line"
CHAT = "chat metadata line"
PROGRESS = "progress line"
PATH = "link-only line"


_DIGITS = re.compile(r"\d+")
_REACH = 400  # characters of a line that are looked at
_HEAD_REACH = 10  # lines below a session's heading that may be its metadata


@cache
def _rules() -> tuple[tuple[str, re.Pattern[str]], ...]:
    rules = pattern_file(__package__, "session_lines.toml")["rules"]
    return tuple((reason, re.compile(alternatives(table))) for reason, table in rules.items())


@cache
def _signs() -> Any:
    import re2

    return re2.compile(_FORMS.texts["signs"].encode())


def session_lines(lines: Sequence[str]) -> dict[int, str]:
    """Returns, by line index from 0, the reason why a platform wrote the line."""
    if not found_in(lines, _signs().search):
        return {}
    bodies = [_body(line) for line in lines]
    ruled = (
        (index, next((name for name, rule in _rules() if rule.match(body)), "")) for index, body in enumerate(bodies)
    )
    found = {index: reason for index, reason in ruled if reason and bodies[index]}
    found.update(dict.fromkeys(_head_metadata(bodies, found), SESSION))
    found.update(dict.fromkeys(_heartbeats(lines, bodies), HEARTBEAT))
    return found


def _body(line: str) -> str:
    text = line[_FORMS["lead"].match(line).end() :]  # type: ignore[union-attr]  # matches the empty string too
    role = _FORMS["role"].match(text)
    if role is not None and not text.casefold().startswith("system"):
        text = text[role.end() :]
    return text[:_REACH].strip()


def _head_metadata(bodies: Sequence[str], found: dict[int, str]) -> Iterator[int]:
    """Yields metadata lines such as `Source: telegram` near a session's head; elsewhere they may be notes."""
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
    """Yields heartbeats that found nothing, and repeats that differ only in figures."""
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
    """Tells whether a heartbeat found nothing: zeros only, no news."""
    return not rest.strip(" \t.:;—–-!✓✅") or (bool(_FORMS["quiet"].search(rest)) and not _FORMS["news"].search(rest))


NOT_FOR_US = "line holding a secret"
METADATA = "metadata line"

_LONGEST = 64 * 1024  # characters within which frontmatter ends, or does not


def left_out_lines(lines: Sequence[str]) -> dict[int, str]:
    """Returns, by line index from 0, the reason why a line is omitted (decisions G16, C10, C27)."""
    text = joined(lines)
    found = session_lines(lines)
    found.update(machine_lines(lines))
    found.update(dict.fromkeys(range(unended_metadata(lines)), METADATA))
    for block in generated_blocks(text):
        is_conflict = block.kind == "merge-conflict"
        reason = "merge-conflict line" if is_conflict else f"line of a generated block ({block.tool})"
        found.update(dict.fromkeys(range(block.start - 1, block.end), reason))
    found.update(dict.fromkeys(secret_lines(text), NOT_FOR_US))
    return found


def unended_metadata(lines: Sequence[str]) -> int:
    """Counts the first lines that belong to an unclosed frontmatter; 0 if there is none."""
    if not lines or lines[0].rstrip() != "---" or _is_closed(lines):
        return 0
    count = 1
    for line in lines[1:]:
        entry = _FORMS["entry"].match(line)
        goes_on = count > 1 and _FORMS["goes_on"].match(line)
        if key_role(entry[1]) in ("decision", "insight") if entry else not goes_on:
            break
        count += 1
    return count if count > 1 else 0


def _is_closed(lines: Sequence[str]) -> bool:
    length = 0
    for line in lines[1:]:
        if line.rstrip() in ("---", "..."):
            return True
        length += len(line) + 1
        if length > _LONGEST:
            break
    return False


def secret_lines(text: str) -> list[int]:
    """Returns the line indexes, from 0, that contain a part of a secret."""
    found: list[int] = []
    for secret in find_secrets(text):
        first = secret.line - 1
        found += range(first, first + 1 + text.count("\n", secret.start, secret.end))
    return found
