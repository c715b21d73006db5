"""Commits closed transcripts at once, each by itself (autopoiesis §8.2); one that git refuses now is tried again."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.history.commit import commit_paths
from engine.history.repository import Repository
from engine.history.request import CommitRequest, Content, Trailer
from engine.lifecycle.capture.records import ClosedTranscript, TranscriptRecords
from engine.plans.commit_text import conversation_subject
from engine.state.private_files import make_private
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import WorkspaceRoot


class TranscriptCommits:
    """Commits to the repository of the workspace, by git's plumbing (decision D22)."""

    def __init__(
        self, root: WorkspaceRoot, scratch: Path, filters: Mapping[str, str], private: tuple[str, ...]
    ) -> None:
        self._root, self._scratch, self._filters, self._private = root, scratch, filters, private

    def commit(self, repository: Repository, records: TranscriptRecords) -> tuple[str, ...]:
        """Commits every closed transcript that is not in git yet; what went wrong, a line for each."""
        problems: list[str] = []
        for closed in records.owed():
            problems += self._one(repository, records, closed)
        return tuple(problems)

    def _one(self, repository: Repository, records: TranscriptRecords, closed: ClosedTranscript) -> tuple[str, ...]:
        make_private(self._scratch)
        report = commit_paths(repository, self._request(closed, closed.closed_at), lambda path: self._content(closed))
        if not report.owed:
            records.keep(msgspec.structs.replace(closed, committed=True))
        return tuple(f"{closed.path}: {problem}" for problem in report.problems)

    def _request(self, closed: ClosedTranscript, at: datetime) -> CommitRequest:
        return CommitRequest(
            paths=(closed.path,),
            subject=conversation_subject(closed.path),
            trailers=(Trailer("Session", closed.path), Trailer("Memdeck-Transcript", closed.sha256)),
            at=at,
            filters=self._filters,
            private=self._private,
            scratch=self._scratch,
        )

    def _content(self, closed: ClosedTranscript) -> Content:
        data = self._root.read(closed.path)
        if sha256_hex(data) != closed.sha256:
            raise MemdeckError("another program changed it since its close", where=closed.path)
        return Content(data)
