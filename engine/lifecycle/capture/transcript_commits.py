"""Commits closed transcripts at once, each by itself (autopoiesis §8.2); one that git refuses now is tried again."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.history.commit import commit_paths
from engine.history.repository import Repository
from engine.history.request import CommitRequest, Content, Trailer
from engine.lifecycle.capture.records import TranscriptRecords
from engine.plans.commit_text import conversation_subject
from engine.state.private_files import make_private
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import WorkspaceRoot


def commit_transcripts(
    root: WorkspaceRoot,
    repository: Repository,
    records: TranscriptRecords,
    scratch: Path,
    filters: Mapping[str, str],
    private: tuple[str, ...],
) -> tuple[str, ...]:
    """Commits every closed transcript that is not in git yet, by git's plumbing (decision D22); gives what went wrong,
    a line for each."""
    problems: list[str] = []
    for closed in records.owed():
        make_private(scratch)
        request = CommitRequest(
            paths=(closed.path,),
            subject=conversation_subject(closed.path),
            trailers=(Trailer("Session", closed.path), Trailer("Memdeck-Transcript", closed.sha256)),
            at=closed.closed_at,
            filters=filters,
            private=private,
            scratch=scratch,
        )
        report = commit_paths(repository, request, partial(_content, root, closed.sha256))
        if not report.owed:
            records.keep(msgspec.structs.replace(closed, committed=True))
        problems += (f"{closed.path}: {problem}" for problem in report.problems)
    return tuple(problems)


def _content(root: WorkspaceRoot, sha256: str, path: str) -> Content:
    data = root.read(path)
    if sha256_hex(data) != sha256:
        raise MemdeckError("another program changed it since its close", where=path)
    return Content(data)
