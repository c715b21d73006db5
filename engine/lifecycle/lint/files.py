"""Lints the files whose form the specification gives: transcripts, knowledge and topics (§2)."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from engine.errors import MemdeckError
from engine.history.gitmodules import shared_name
from engine.lifecycle.lint.knowledge import knowledge_faults
from engine.lifecycle.lint.links import Fault, FileHead, LinkRules, body_lines, read_head, text_faults
from engine.lifecycle.references.file_links import is_silent
from engine.text.secrets.detector import redact
from engine.text.transcript_marks import DAY, TOOL, as_written, instant
from engine.topics.files.topic_file import is_topic_path, read_topic
from engine.workspace.dates import parse_day
from engine.workspace.layout import MEMORY_MD_PATHS
from engine.workspace.paths import relative_path
from engine.workspace.values import Skipped
from engine.workspace.wreckage import CONFLICT, COPY, conflict_line, left_reason

_TURN = re.compile(r"## (\d{2}):(\d{2}) — (?:user|agent|system)(?: \[(?:[\w-]{1,40}|from [^\[\]\n]{1,60})\])?\s*\Z")
"""The form of §2.1; readers of transcripts accept a hyphen and one digit too."""
_OTHER_MARK = re.compile(r"> \[(?:attachment:[^\]]+\]|knowledge:[^\]\s]+\] \S.*)\s*\Z")
_EMBEDDED = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,[A-Za-z0-9+/=]{200}")
"""200 characters: a message may mention such a link, but an embedded file is longer."""
_PLACE = re.compile(r"raw/conversations/(\d{4})/(\d{2})/(\d{2})/(\d{2})(\d{2})-[^/]+\.md")


def is_transcript(path: str) -> bool:
    """Tells whether a path is that of a transcript; other files there are other tools' sessions."""
    return _PLACE.fullmatch(path) is not None


def transcript_faults(head: FileHead) -> Iterator[Fault]:
    """Yields a transcript's faults, none with a fix, because a closed transcript never changes."""
    if not head.text("session_id").strip():
        yield head.fault("session_id", "session_id", "a transcript has the id of its session")
    yield from _times(head)
    for key in ("tokens_in", "tokens_out"):
        if key in head.values and not head.text(key).isdecimal():
            yield head.fault("tokens", key, f"`{key}` is a number of tokens")
    if isinstance(head.values.get("tags"), str) and head.text("tags"):
        yield head.fault("tags", "tags", "`tags` is a list")
    yield from text_faults(head, ("model", "channel", "topic"))
    yield from _changes(head)
    yield from _clock(head)
    for number, line in body_lines(head):
        if problem := _mark(line):
            yield Fault(kind=problem[0], path=head.path, line=number, what=problem[1])


def _times(head: FileHead) -> Iterator[Fault]:
    started, ended = as_written(head.text("started")), instant(head.text("ended"))
    if started is None:
        yield head.fault("started", "started", "`started` is a time in ISO 8601, with its offset")
    elif (place := _PLACE.fullmatch(head.path)) and "".join(place.groups()) != f"{started:%Y%m%d%H%M}":
        yield head.fault("transcript_name", "started", "folder and name of the file say another time")
    if "ended" in head.values and ended is None:
        yield head.fault("ended", "ended", "`ended` is a time in ISO 8601, with its offset")
    if started is not None and ended is not None and ended < started:
        yield head.fault("order", "ended", "the session ended before it started")


def _changes(head: FileHead) -> Iterator[Fault]:
    written: Any = head.values.get("knowledge_changes") or []
    if not isinstance(written, list):
        yield head.fault("knowledge_changes", "knowledge_changes", "`knowledge_changes` is a list")
        return
    for at, change in enumerate(written):
        line = head.places.get(("knowledge_changes", at), 1)
        if not isinstance(change, dict) or not change.get("path") or not change.get("action"):
            what = "a change has a `path` and an `action`"
            yield Fault(kind="knowledge_changes", path=head.path, line=line, what=what)
            continue
        try:
            relative_path(str(change["path"]))
        except MemdeckError as error:
            yield Fault(kind="outside", path=head.path, line=line, what=f"the path of a change: {error.message}")


def _clock(head: FileHead) -> Iterator[Fault]:
    """Yields each turn over an hour before the last one, unless a line begins a new day between them (decision D42)."""
    last = 0
    for number, line in body_lines(head):
        if DAY.match(line):
            last = 0
        elif turn := _TURN.match(line):
            at = int(turn[1]) * 60 + int(turn[2])
            if at < last - 60:
                what = "the clock goes back, and no line `<!-- YYYY-MM-DD -->` says that a new day begins"
                yield Fault(kind="clock", path=head.path, line=number, what=what)
            last = at


def _mark(line: str) -> tuple[str, str] | None:
    """Gives the fault of a line with a mark, or None. A message line that looks like a mark is escaped (D33)."""
    if line.startswith("## "):
        turn = _TURN.match(line)
        if turn is None or int(turn[1]) > 23 or int(turn[2]) > 59:
            return "turn", "a turn is `## HH:MM — user`, `agent` or `system`"
    elif line.startswith("> [") and not TOOL.match(line) and not _OTHER_MARK.match(line):
        return "mark", "a mark is `> [tool:…]`, `> [knowledge:…] path` or `> [attachment:…]`"
    elif line.startswith("<!-- ") and line[5:6].isdigit() and not ((day := DAY.match(line)) and parse_day(day[1])):
        return "day", "a new day is `<!-- YYYY-MM-DD -->`"
    return ("embedded", "binary content is named by its path, never embedded") if _EMBEDDED.search(line) else None


IDENTITY = "knowledge/identity/"
IDENTITY_BYTES = 17 * 1024  # all identity files together: they are loaded at every turn (§2.2)


def is_linted(path: str) -> bool:
    """Tells whether the specification gives files at this path a form."""
    knowledge = path.startswith("knowledge/") or path in MEMORY_MD_PATHS
    return path.endswith(".md") and (knowledge or is_topic_path(path) or is_transcript(path))


def workspace_faults(paths: Collection[str], content: Callable[[str], bytes]) -> Iterator[Fault]:
    """Yields every fault of the files at `paths`, by file and line, but none of shared knowledge."""
    identity, rules = 0, LinkRules(paths, content)
    for path in sorted(paths):
        if shared_name(path) or (is_silent(path) and not is_linted(path)):
            continue
        data = content(path)
        if line := conflict_line(data):
            yield Fault(kind="conflict", path=path, line=line, what="markers of a merge that nobody settled")
        own = file_faults(path, data, paths) if is_linted(path) else ()
        found = sorted((*own, *rules.faults(path, data)), key=lambda fault: fault.line)
        yield from (replace(fault, what=redact(fault.what)) for fault in found)
        if path.startswith(IDENTITY):
            identity += len(data)
            if identity > IDENTITY_BYTES >= identity - len(data):
                what = f"with this file the identity files pass {IDENTITY_BYTES // 1024} KB together"
                yield Fault(kind="identity_size", path=path, line=1, what=what)


def unread_faults(skipped: Iterable[Skipped]) -> Iterator[Fault]:
    """Yields a fault for each note that could not be read or is no source (decision G32), with its line if known."""
    for skipped_file in skipped:
        kind = "conflict" if CONFLICT in skipped_file.reason else "copy" if COPY in skipped_file.reason else "encoding"
        if skipped_file.path.endswith(".md") or left_reason(skipped_file.path.rpartition("/")[2]):
            line = re.search(r" on line (\d{1,9})\Z", skipped_file.reason)
            kind = "link" if skipped_file.reason.startswith("a link") else kind
            yield Fault(kind=kind, path=skipped_file.path, line=int(line[1]) if line else 1, what=skipped_file.reason)


def file_faults(path: str, data: bytes, paths: Collection[str]) -> Iterator[Fault]:
    """Yields the faults of one file; `paths` are all files, which subscriptions may name."""
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield Fault(kind="encoding", path=path, line=data.count(b"\n", 0, error.start) + 1, what="not UTF-8")
        return
    if is_topic_path(path):
        yield from _topic(path, data, paths)
        return
    head, faults = read_head(path, data)
    yield from faults
    if not faults:
        yield from transcript_faults(head) if is_transcript(path) else knowledge_faults(head, data)


def _topic(path: str, data: bytes, paths: Collection[str]) -> Iterator[Fault]:
    read = read_topic(path, data)
    for problem in read.problems:
        if problem.error:
            yield Fault(kind="topic", path=path, line=problem.line, what=problem.message)
    for subscription in read.topic.subscriptions if read.topic is not None else ():
        if subscription.endswith(".md") and "*" not in subscription and subscription not in paths:
            head, _ = read_head(path, data)
            line = head.places.get(("subscriptions", head.values["subscriptions"].index(subscription)), 1)
            yield Fault(kind="subscription", path=path, line=line, what=f"no note of the workspace is {subscription}")
