"""Records each operation as one commit in the workspace's git, and reads the audit heads of these commits (D22,
G21). Commits follow the order of operations; one that fails is recorded, and later ones wait for it."""

import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import Damaged, MemdeckError, Refused
from engine.history.exploration_start import clear_left_over, left_over
from engine.history.git import Git
from engine.history.git_index import clear_dead, dead_files
from engine.history.git_locks import age_words, standing_locks
from engine.history.new_repository import begin_repository, folder_owner
from engine.history.repository import NoRepository, Repository, find_repository
from engine.history.request import CommitReport, CommitRequest, Content, Since, Trailer, trailer_values
from engine.history.tags import TagKind, make_next_tag
from engine.plans.apply.context import CommitOutcome, Settled, reason
from engine.plans.file_damage import late_lines
from engine.plans.git_places import INIT, in_git, names_crypt
from engine.plans.operation import ChainHead, Operation, OperationKind
from engine.plans.plan import Plan
from engine.plans.policy.values import Policy
from engine.plans.prediction import effect_sides
from engine.plans.records.audit import AuditLog
from engine.plans.records.displaced import DisplacedStore
from engine.plans.records.journal import OwedCommit, OwedCommits, OwedFile
from engine.plans.records.operations import Operations
from engine.state.folder import StateFolder
from engine.state.private_files import make_private
from engine.text.canonical_json import sha256_hex
from engine.text.secrets.detector import redacted
from engine.workspace.paths import MAX_KEPT, FileMissing, WorkspaceRoot
from engine.workspace.values import Finding, Progress, Tick, notice

_OPERATION, _PLAN, _AUDIT, _LOG = "Memdeck-Operation", "Memdeck-Plan", "Memdeck-Audit", "Memdeck-Log"
_SETTLING = "memdeck recover makes it, and so does the next apply"
_RECENT = 100  # audit records among which an earlier try at telling of a commit is looked for


class GitRecord:
    """The workspace's repository, found again at each call: it may appear, move or vanish while the console is open."""

    def __init__(
        self,
        root: WorkspaceRoot,
        *,
        policy: Policy,
        state: StateFolder,
        audit: AuditLog,
        clock: Callable[[], datetime],
        env: Mapping[str, str],
    ) -> None:
        self._root, self._policy, self._state, self._audit = root, policy, state, audit
        self._clock, self._env = clock, env
        self._owed = OwedCommits(state)
        self._displaced = DisplacedStore(state.displaced)

    def repository(self) -> Repository | NoRepository:
        """Gives the repository in use, or why there is none."""
        return find_repository(Path(self._root.identity.path), self._policy.git.outside, self._env)

    def usable(self) -> Repository | None:
        """Gives the repository in use; None if there is none."""
        repository = self.repository()
        return repository if isinstance(repository, Repository) else None

    def written_by_owner(self, repository: Repository) -> Git:
        """Gives the git that writes refs, run as the git folder's owner where memdeck runs as root."""
        owner = folder_owner(repository.git.folder)
        return repository.git if owner is None else msgspec.structs.replace(repository.git, owner=owner)

    def check_commits(self) -> None:
        """Raises `Refused` where the policy allows no writes to git."""
        if not self._policy.git.commit:
            raise Refused("the policy's git.commit is off: nothing is written to git", where="git.commit")

    def writable(self) -> Repository:
        """Gives the workspace's repository; `Refused` where it may not be written."""
        self.check_commits()
        repository = self.repository()
        if isinstance(repository, NoRepository):
            raise Refused(repository.reason or "there is no git here", where="git", hint="memdeck init begins one")
        return repository

    def clear_cut_off(self, repository: Repository) -> None:
        """Clears what a killed git of memdeck left in the repository."""
        clear_left_over(repository, self.written_by_owner(repository), self.scratch)

    def tag_before(self, name: str) -> str:
        """Tags HEAD as `memory/before/NAME`; gives the reason if it could not, empty if it did or there is no git."""
        if not self._policy.git.commit:
            return ""
        try:
            repository = self.repository()
            head = "" if isinstance(repository, NoRepository) else repository.head()
            if isinstance(repository, NoRepository) or not head:
                return ""
            git = self.written_by_owner(repository)
            clear_left_over(repository, git, self.scratch)
            make_next_tag(git, TagKind.BEFORE, name, head, self.scratch)
        except (OSError, MemdeckError) as error:
            return f"not tagged before it was applied: {reason(error)}"
        return ""

    def prepare(self, plan: Plan, numbers: Sequence[int]) -> None:
        """Sets up git-crypt before a change of `.gitattributes` that names it; raises `Refused` or `GitFailed`. In
        the other order the agent's git would not know the filter and commit in clear."""
        from engine.history.crypt_setup import set_up_crypt

        if plan.system != INIT or not any(names_crypt(change) for change in plan.changes if change.n in numbers):
            return
        begin_repository(Path(self._root.identity.path), self._env)
        repository = self.repository()
        if isinstance(repository, NoRepository):
            raise Refused(repository.reason or "there is no git here", where="git-crypt", hint="memdeck doctor")
        set_up_crypt(repository, self.written_by_owner(repository), self._policy.git.private)

    def __call__(
        self, operation: Operation, paths: Sequence[str], head: ChainHead, tick: Tick | None = None
    ) -> CommitOutcome:
        """Commits `paths` as the operation left them; an operation that is committed already gives its commit."""
        # What lies in the git folder itself, such as a hook, is no file of a commit.
        paths = [path for path in paths if not in_git(path)]
        if not self._policy.git.commit or not paths:
            return CommitOutcome(None)
        if operation.system == INIT and operation.kind is OperationKind.APPLY:
            begin_repository(Path(self._root.identity.path), self._env)
        repository = self.repository()
        if isinstance(repository, NoRepository) and not repository.passing:
            return CommitOutcome(None, (f"not committed: {repository.reason}",) if repository.reason else ())
        wanted = self._wanted(operation, paths, head)
        try:
            report = self._in_order(repository, wanted, tick)
        except (OSError, MemdeckError) as error:
            report = _not_committed(reason(error))
        if not report.owed:
            self._owed.forget(operation.id)
            return CommitOutcome(report.commit, report.problems)
        self._remember(repository, wanted, report)
        *others, last = report.problems
        return CommitOutcome(report.commit, (*others, f"{last} · {_SETTLING}"), owed=True)

    def settle(self, tick: Tick | None = None) -> tuple[Settled, ...]:
        """Makes the owed commits, oldest first; stops at the first that fails again."""
        return tuple(self._settled(self.repository(), "", tick)) if self._policy.git.commit else ()

    @property
    def scratch(self) -> Path:
        """The private folder in which commits are made and intents are recorded."""
        return self._state.path / "git"

    def clear(self) -> tuple[str, ...]:
        """Removes what killed memdecks left in the git folder; gives the names. A behind index stays locked."""
        repository = self.repository()
        if isinstance(repository, NoRepository):
            return ()
        refs = clear_left_over(repository, self.written_by_owner(repository), self.scratch)
        # The lock keeps another git from taking the old index for a change back.
        if any(owed.commit for owed in self._owed.entries()):
            return refs
        return (*refs, *clear_dead(repository.git.folder))

    def findings(self) -> tuple[Finding, ...]:
        """Reports owed commits, locks that stop them, and what killed memdecks left."""
        return tuple(self._findings()) if self._policy.git.commit else ()

    def anchors(self) -> tuple[ChainHead, ...]:
        """Reads the audit heads in commits that were made from this very log."""
        repository, identity = self.repository(), self._audit.identity()
        if isinstance(repository, NoRepository) or not identity:
            return ()
        try:
            values = list(trailer_values(repository.git, repository.head(), f"{_LOG}: {identity}", _AUDIT))
        except MemdeckError:
            return ()
        return tuple(head for value in values if (head := _head(value)) is not None)

    # ── making commits ─────────────────────────────────────────────────────────────────────────────────────────────

    def _in_order(self, repository: Repository | NoRepository, wanted: OwedCommit, tick: Tick | None) -> CommitReport:
        # In the order of the operations: a later commit would take in what an earlier one has to say.
        for settled in self._settled(repository, wanted.operation, tick):
            if settled.outcome.owed:
                why = settled.outcome.problems[-1].removeprefix("not committed: ")
                return _not_committed(f"the commit of {settled.operation} comes first: {why}")
        earlier = next((owed for owed in self._owed.entries() if owed.operation == wanted.operation), None)
        # What was noted when it became owed names the bytes of then.
        return self._make(repository, earlier or wanted, self._since(earlier), tick)

    def _settled(self, repository: Repository | NoRepository, but: str, tick: Tick | None) -> Iterator[Settled]:
        for owed in self._owed.entries():
            if owed.operation == but:
                continue
            report = self._make(repository, owed, self._since(owed), tick)
            if report.owed:
                self._owed.save(msgspec.structs.replace(owed, why=report.owed, commit=report.commit))
            else:
                self._tell(owed, report)
            yield Settled(owed.operation, CommitOutcome(report.commit, report.problems, owed=bool(report.owed)))
            if report.owed:
                return

    def _make(
        self, repository: Repository | NoRepository, owed: OwedCommit, since: Since | None, tick: Tick | None
    ) -> CommitReport:
        from engine.history.commit import commit_paths
        from engine.plans.commit_task import SESSION

        if isinstance(repository, NoRepository):
            return _not_committed(repository.reason or "there is no git repository any more")
        make_private(self.scratch)
        first, *body = owed.subject.split("\n")
        named = (line.removeprefix(SESSION) for line in body if line.startswith(SESSION))
        sessions = (Trailer(SESSION.rstrip(": "), session) for session in named)
        request = CommitRequest(
            paths=tuple(file.path for file in owed.files),
            subject=first,
            body=tuple(line for line in body if line and not line.startswith(SESSION)),
            trailers=(
                *sessions,
                Trailer(_OPERATION, owed.operation),
                Trailer(_PLAN, owed.plan),
                Trailer(_AUDIT, f"{owed.audit.seq} {owed.audit.hash}"),
                Trailer(_LOG, self._audit.identity()),
            ),
            at=owed.at,
            filters=self._policy.git.filters,
            private=self._policy.git.private,
            scratch=self.scratch,
            since=since,
        )
        files = {file.path: file for file in owed.files}
        return commit_paths(_telling(repository, tick), request, lambda path: self._content(files[path]))

    def _wanted(self, operation: Operation, paths: Sequence[str], head: ChainHead) -> OwedCommit:
        done = effect_sides(operation.effects[i] for i in operation.done)
        files = {path: OwedFile(path, after, before) for path, before, after in done}
        now = self._clock()
        return OwedCommit(
            operation=operation.id,
            plan=operation.plan,
            subject=operation.message,
            audit=head,
            at=operation.finished_at or now,
            files=tuple(self._dressed(files[path]) for path in paths if path in files),
            since=now,
            why="",
        )

    def _dressed(self, file: OwedFile) -> OwedFile:
        try:
            facts = self._root.lstat(file.path) if file.sha256 is not None else None
        except MemdeckError:
            return file
        return msgspec.structs.replace(file, executable=facts is not None and bool(facts.st_mode & stat.S_IXUSR))

    def _content(self, file: OwedFile) -> Content | None:
        return None if file.sha256 is None else Content(self._bytes(file.path, file.sha256), file.executable)

    def _bytes(self, path: str, sha256: str) -> bytes:
        """Gives the bytes that an operation left: of the workspace file, its beginning, or from the store."""
        try:
            present = self._root.read(path, MAX_KEPT)
        except FileMissing:
            present = b""
        if sha256_hex(present) == sha256:
            return present
        if (late := late_lines(path, present, sha256, None)) is not None:
            return late.original
        try:
            return self._displaced.get(sha256)
        except Damaged as error:
            raise MemdeckError("another program changed it since, and only that is known", where=path) from error

    # ── remembering ────────────────────────────────────────────────────────────────────────────────────────────────

    def _remember(self, repository: Repository | NoRepository, wanted: OwedCommit, report: CommitReport) -> None:
        """Keeps the bytes and then the record of an owed commit. An earlier record keeps its instant and base."""
        for file in wanted.files:
            if file.sha256 is not None:
                with suppress(MemdeckError):  # it is left out when the time comes, and told
                    self._displaced.put(self._bytes(file.path, file.sha256))
        self._displaced.flush()
        earlier = next((owed for owed in self._owed.entries() if owed.operation == wanted.operation), None)
        owed = earlier or msgspec.structs.replace(wanted, base=_base(repository))
        self._owed.save(msgspec.structs.replace(owed, why=report.owed, commit=report.commit))

    def _since(self, owed: OwedCommit | None) -> Since | None:
        if owed is None:
            return None
        befores = {file.path: file.before for file in owed.files}

        def before(path: str) -> bytes | None:
            sha256 = befores[path]
            try:
                return None if sha256 is None else self._displaced.get(sha256)
            except Damaged:
                return None

        return Since(owed.base, before)

    def _tell(self, owed: OwedCommit, report: CommitReport) -> None:
        """Records that an owed commit was made; may run twice after a crash."""
        told = {"operation": owed.operation, "commit": report.commit, "problems": redacted(report.problems)}
        known = (record.data for record in self._audit.records(limit=_RECENT) if record.kind == "commit")
        if all(data.get("operation") != owed.operation for data in known):
            self._audit.append("commit", self._clock(), told)
        operations = Operations(self._state.operations)
        if owed.operation in operations.ids():
            operation = operations.load(owed.operation)
            about_git = ("not committed: ", "the index does not show the commit yet")
            others = (problem for problem in operation.problems if not problem.startswith(about_git))
            problems = (*others, *report.problems)
            operations.save(msgspec.structs.replace(operation, commit=report.commit, problems=problems))
        self._owed.forget(owed.operation)

    def _findings(self) -> Iterator[Finding]:
        now = self._clock()
        try:
            entries = self._owed.entries()
        except Damaged as error:
            yield notice("owed_damaged", error.where, error.message, error.hint)
            entries = ()
        for owed in entries:
            what = "its commit is not made yet" if owed.commit is None else "git's index does not show its commit yet"
            what = f"{what}, for {age_words(now - owed.since)}: {owed.why}"
            yield notice("commit_owed", owed.operation, what, _SETTLING)
        repository = self.repository()
        if isinstance(repository, NoRepository):
            return
        left = (*dead_files(repository.git.folder), *left_over(self.scratch))
        if left:
            what = f"a memdeck that died left {', '.join(left)} in the git folder"
            yield notice("git_left_over", str(repository.git.folder), what, "memdeck recover")
        for lock in standing_locks(repository.git.folder, repository.branch(), now):
            what = f"it keeps every commit away, for {age_words(lock.age)}: {lock.known}"
            yield notice("git_lock", str(lock.path), what, lock.fix)


def _telling(repository: Repository, tick: Tick | None) -> Repository:
    if tick is None:
        return repository

    def waiting(command: str, gone: float, limit: float) -> None:
        tick(Progress(f"waiting for {command}, seconds", int(gone), int(limit)))

    return msgspec.structs.replace(repository, git=msgspec.structs.replace(repository.git, waiting=waiting))


def _base(repository: Repository | NoRepository) -> str | None:
    try:
        return None if isinstance(repository, NoRepository) else repository.head()
    except MemdeckError:
        return None


def _not_committed(why: str) -> CommitReport:
    return CommitReport(None, (f"not committed: {why}",), owed=why)


def _head(value: str) -> ChainHead | None:
    seq, _, digest = value.partition(" ")
    return ChainHead(int(seq), digest) if seq.isdecimal() and len(seq) < 16 and len(digest) == 64 else None
