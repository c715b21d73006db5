"""The workspace's repository for the front ends: memory tags, explorations, commits of the agent's changes. It
changes no workspace file; the policy's `git.commit` must allow its writes to git."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError, Refused
from engine.history.exploration_start import Opened, clear_left_over, explore
from engine.history.explorations import Exploration, explorations
from engine.history.gitmodules import FILE as GITMODULES
from engine.history.gitmodules import FOLDER, shared_entries
from engine.history.push import push
from engine.history.repository import Repository
from engine.history.tags import MemoryTag, TagKind, due_tags, make_tag, memory_tags, recent_commits
from engine.plans.memory_status import Degraded
from engine.plans.prediction import manifest
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.state.private_files import make_private
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line
from engine.workspace.layout import CONVERSATIONS

if TYPE_CHECKING:
    from engine.monitoring.agent_commits import AgentCommits, NoteChange

_OPERATIONS = 300  # operations among which the bytes of a note are looked for


class TagsMade(msgspec.Struct, frozen=True):
    """The tags of days and weeks that were made, and problems with others."""

    names: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class RepositoryService:
    """Tags memory's history. Asks nobody, and runs no program that the repository names."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def tags(self) -> tuple[MemoryTag, ...]:
        """Gives every memory tag, newest first; none without git."""
        repository = self._opened.git.usable()
        return () if repository is None else memory_tags(repository)

    def tag(self, kind: TagKind, name: str) -> str:
        """Tags HEAD, and gives the tag's full name; `Refused` where there is nothing to tag."""
        with self._opened.lock, disk_errors("the tag cannot be made"):
            repository = self._writable()
            if not (head := repository.head()):
                raise Refused("the branch has no commit yet", where=str(repository.git.top), hint="commit first")
            return make_tag(self._opened.git.written_by_owner(repository), kind, name, head, self._scratch)

    def tag_days(self) -> TagsMade:
        """Tags the last commit of each past day and week without a tag; nothing under a what-if time."""
        opened = self._opened
        repository = opened.git.usable()
        if repository is None or not opened.policy.git.commit or opened.what_if is not None:
            return TagsMade()
        with self._opened.lock:
            now, names, problems = self._opened.real_clock(), list[str](), list[str]()
            known = {tag.name for tag in memory_tags(repository)}
            git = opened.git.written_by_owner(repository)
            clear_left_over(repository, git, self._scratch)
            for kind, name, commit in due_tags(recent_commits(repository, now), known, now, opened.policy.time_zone):
                try:
                    names.append(make_tag(git, kind, name, commit, self._scratch))
                except MemdeckError as error:
                    problems.append(error.line())
            return TagsMade(tuple(names), tuple(problems))

    @property
    def commits_others(self) -> bool:
        """Tells whether the policy allows commits of the agent's changes (decision D34)."""
        git = self._opened.policy.git
        return git.commit and git.commit_others

    def commit_others(self, said: str = "") -> "AgentCommits":
        """Commits the agent's changes and closed transcripts if `git.commit_others` allows it (D34), with `said` in
        each subject. Commits nothing during an operation, before its owed commit, or under a what-if time."""
        from engine.monitoring.agent_commits import AgentCommits, commit_changes, committable, finish_pending
        from engine.monitoring.agent_commits import note_changes as changes_of
        from engine.plans.apply.entry import refuse_unfinished
        from engine.services.transcripts import closed_transcripts

        opened = self._opened
        repository = opened.git.usable()
        if repository is None or not self.commits_others or opened.what_if is not None:
            return AgentCommits()
        context, scratch = opened.context, self._scratch
        with self._opened.lock, context.hold("committing the agent's changes"):
            refuse_unfinished(context)
            # Commits follow the order in which the workspace changed: what is owed comes first.
            owed = [settled for settled in opened.git.settle() if settled.outcome.owed]
            stuck = finish_pending(repository, scratch, opened.root.read_or_none, opened.policy.git)
            if owed or stuck:
                return AgentCommits(problems=(*(f"the commit of {one.operation} comes first" for one in owed), *stuck))
            snapshot = self._opened.scan()
            closed = set(closed_transcripts(snapshot))
            # An open transcript still grows; it is committed once, when it is closed (D21).
            live = [path for path in snapshot.files if path.startswith(f"{CONVERSATIONS}/") and path not in closed]
            # Notes of shared knowledge are in git as a submodule, never as files.
            shared = {f"{FOLDER}{name}/" for name in shared_entries(opened.root.read_or_none(GITMODULES) or b"")}
            outside = {path for path in snapshot.files if opened.root.is_outside(path)}
            left = {*live, *outside, *(path for path in snapshot.files if path.startswith(tuple(shared)))}
            live = [path for path in live if path not in outside]
            paths = [path for path in snapshot.files if path not in left]
            changes = changes_of(repository, paths, opened.root.read_or_none, self._is_gone)
            rules = opened.policy.git
            kept, problems = committable(repository, changes, self._left_by_us(changes), rules)
            made = commit_changes(repository, kept, context.clock(), live, scratch, rules, said)
            return AgentCommits(made.commits, (*problems, *made.problems))

    def explorations(self) -> tuple[Exploration, ...]:
        """Gives every exploration and replay branch, oldest first; none without git."""
        repository = self._opened.git.usable()
        return () if repository is None else explorations(repository)

    def explore(self, name: str, folder: Path | None = None) -> Opened:
        """Begins an exploration in a new folder, by default beside the workspace; `Refused` with the reason."""
        with self._opened.lock, disk_errors("the folder cannot be made"):
            repository = self._writable()
            workspace = Path(self._opened.root.identity.path)
            return explore(
                repository, name, folder or workspace.parent / f"{workspace.name}-explore" / name, self._scratch
            )

    def alarms(self) -> tuple[Degraded, ...]:
        """Reports explorations older than a week, for the status (decision D55)."""
        try:
            old = [exploration for exploration in self.explorations() if exploration.is_old(self._opened.now())]
        except MemdeckError:
            return ()  # that git does not answer is told already
        if not old:
            return ()
        days = (self._opened.now() - old[0].begun).days
        many = f" and {len(old) - 1:,} more" if len(old) > 1 else ""
        name = visible_line(old[0].branch.removeprefix("explore/"))[:60]
        what = f"the exploration {name}{many} lasts for {days:,} days"
        return (Degraded(id="explore", what=what, fix="merge it, or memdeck plan branches ends it and leaves a tag"),)

    def push(self) -> str:
        """Pushes branch and tags if the policy's `git.push` is on; says what was done. `GitFailed` or `Refused`."""
        git, repository = self._opened.policy.git, self._opened.git.usable()
        if not git.push or repository is None or self._opened.what_if is not None:
            return ""
        make_private(self._scratch)
        tags = memory_tags(repository)
        commit = push(repository, git.remote, git.branch, tags, self._scratch, self._opened.env)
        return f"{git.remote} has {git.branch} at {commit[:12]}, and {len(tags)} tags"

    def _is_gone(self, path: str) -> bool:
        """Tells whether nothing is at a path; a link or folder there is no deletion."""
        try:
            return self._opened.root.lstat(path) is None
        except MemdeckError:
            return False

    def _left_by_us(self, changes: "Sequence[NoteChange]") -> "Callable[[NoteChange], bool]":
        """Gives a test whether a change's bytes were left by an operation."""
        asked = {change.path for change in changes}
        left: dict[str, set[str | None]] = {}
        for operation in self._opened.operations.newest(_OPERATIONS) if asked else ():
            for path, sha256 in manifest(operation.effects[index] for index in operation.done).items():
                if path in asked:
                    left.setdefault(path, set()).add(sha256)
        return lambda one: (None if one.data is None else sha256_hex(one.data)) in left.get(one.path, ())

    def _writable(self) -> Repository:
        """Gives the repository after clearing leftovers; `Refused` where it may not be written."""
        repository = self._opened.git.writable()
        self._opened.git.clear_cut_off(repository)
        return repository

    @property
    def _scratch(self) -> Path:
        return self._opened.git.scratch
