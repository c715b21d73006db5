"""Records each operation as one commit in the workspace's own git, and finds the audit heads kept there (D22, G21)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from engine.errors import MemdeckError
from engine.history.commit import CommitRequest, Trailer, commit_paths
from engine.history.messages import trailer_values
from engine.history.repository import NoRepository, Repository, find_repository
from engine.plans.executor.context import CommitOutcome
from engine.plans.operation import ChainHead, Operation
from engine.plans.policy.values import Policy
from engine.plans.records.audit import AuditLog
from engine.plans.records.state import StateFolder, make_private
from engine.workspace.paths import MAX_KEPT, Missing, Root

_OPERATION, _PLAN, _AUDIT, _LOG = "Memdeck-Operation", "Memdeck-Plan", "Memdeck-Audit", "Memdeck-Log"


class GitRecord:
    """The workspace's repository, looked up anew each time: it may appear, move or vanish while the console is open."""

    def __init__(
        self,
        root: Root,
        *,
        policy: Policy,
        state: StateFolder,
        audit: AuditLog,
        clock: Callable[[], datetime],
        env: Mapping[str, str],
    ) -> None:
        self._root = root
        self._policy = policy
        self._state = state
        self._audit = audit
        self._clock = clock
        self._env = env

    def repository(self) -> Repository | NoRepository:
        """The repository in use, or why there is none."""
        return find_repository(Path(self._root.identity.path), self._policy.git.outside, self._env)

    def __call__(self, operation: Operation, paths: Sequence[str], head: ChainHead) -> CommitOutcome:
        """Commits exactly `paths` as they are now; an operation that is committed already gives that commit."""
        if not self._policy.git.commit:
            return CommitOutcome(None)
        repository = self.repository()
        if isinstance(repository, NoRepository):
            return CommitOutcome(None, (f"not committed: {repository.reason}",) if repository.reason else ())
        scratch = self._state.path / "git"
        make_private(scratch)
        request = CommitRequest(
            paths=tuple(paths),
            subject=operation.message,
            trailers=(
                Trailer(_OPERATION, operation.id),
                Trailer(_PLAN, operation.plan),
                Trailer(_AUDIT, f"{head.seq} {head.hash}"),
                Trailer(_LOG, self._audit.identity()),
            ),
            at=self._clock(),
            filters=self._policy.git.filters,
            scratch=scratch,
        )
        report = commit_paths(repository, request, self._read)
        return CommitOutcome(report.commit, report.problems)

    def anchors(self) -> tuple[ChainHead, ...]:
        """The audit heads in commits made from this very log; what belongs to another log says nothing about ours."""
        repository, identity = self.repository(), self._audit.identity()
        if isinstance(repository, NoRepository) or not identity:
            return ()
        try:
            values = list(trailer_values(repository.git, repository.head(), f"{_LOG}: {identity}", _AUDIT))
        except MemdeckError:
            return ()
        return tuple(head for value in values if (head := _head(value)) is not None)

    def _read(self, path: str) -> bytes | None:
        try:
            return self._root.read(path, MAX_KEPT)
        except Missing:
            return None


def _head(value: str) -> ChainHead | None:
    seq, _, digest = value.partition(" ")
    return ChainHead(int(seq), digest) if seq.isdecimal() and len(seq) < 16 and len(digest) == 64 else None
