"""Lints the files of a workspace that the specification gives a form: transcripts, knowledge and topics (§2)."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from engine.history.gitmodules import shared_name
from engine.lifecycle.lint.fault import Fault, read_head
from engine.lifecycle.lint.knowledge import knowledge_faults
from engine.lifecycle.lint.links import LinkRules
from engine.lifecycle.lint.transcripts import is_transcript, transcript_faults
from engine.lifecycle.references.file_links import is_silent
from engine.topics.files.topic_file import is_topic_path, read_topic
from engine.workspace.memory_md import MEMORY_MD_PATHS
from engine.workspace.values import Skipped
from engine.workspace.wreckage import CONFLICT, COPY, conflict_line, left_reason

IDENTITY = "knowledge/identity/"
IDENTITY_BYTES = 17 * 1024
"""All identity files together: they are loaded at every turn (§2.2)."""


def is_linted(path: str) -> bool:
    """Tells whether the specification gives a file of this place a form."""
    knowledge = path.startswith("knowledge/") or path in MEMORY_MD_PATHS
    return path.endswith(".md") and (knowledge or is_topic_path(path) or is_transcript(path))


def workspace_faults(paths: Collection[str], content: Callable[[str], bytes]) -> Iterator[Fault]:
    """Every fault of the files at `paths`, file by file, by line; links are judged in every note.

    Shared knowledge is kept in form where it is written.
    """
    identity, rules = 0, LinkRules(paths, content)
    for path in sorted(paths):
        if shared_name(path) or (is_silent(path) and not is_linted(path)):
            continue
        data = content(path)
        if line := conflict_line(data):
            yield Fault(kind="conflict", path=path, line=line, what="markers of a merge that nobody settled")
        own = file_faults(path, data, paths) if is_linted(path) else ()
        yield from sorted((*own, *rules.faults(path, data)), key=lambda fault: fault.line)
        if path.startswith(IDENTITY):
            identity += len(data)
            if identity > IDENTITY_BYTES >= identity - len(data):
                what = f"with this file the identity files pass {IDENTITY_BYTES // 1024} KB together"
                yield Fault(kind="identity_size", path=path, line=1, what=what)


def unread_faults(skipped: Iterable[Skipped]) -> Iterator[Fault]:
    """The notes that could not be read, or are no sources (decision G32), with the line where the reason names one."""
    for one in skipped:
        kind = "conflict" if CONFLICT in one.reason else "copy" if COPY in one.reason else "encoding"
        if one.path.endswith(".md") or left_reason(one.path.rpartition("/")[2]):
            line = re.search(r" on line (\d{1,9})\Z", one.reason)
            kind = "link" if one.reason.startswith("a link") else kind
            yield Fault(kind=kind, path=one.path, line=int(line[1]) if line else 1, what=one.reason)


def file_faults(path: str, data: bytes, paths: Collection[str]) -> Iterator[Fault]:
    """The faults of one file; `paths` are all files of the workspace, of which subscriptions name some."""
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
