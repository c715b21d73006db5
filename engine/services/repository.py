"""The workspace's repository for the front ends: its tags of memory.

Of the workspace's files it changes none. What it writes in git follows the policy's `git.commit`.
"""

from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError, Refused
from engine.history.repository import NoRepository, Repository
from engine.services.open_workspace import OpenWorkspace
from engine.workspace.dates import zone_of

if TYPE_CHECKING:
    from engine.history.tags import MemoryTag, TagKind


class TagsMade(msgspec.Struct, frozen=True):
    """The tags of days and weeks that were made, and why another could not be."""

    names: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class RepositoryService:
    """Tags the memory's history. It asks nobody, and runs nothing that the repository names."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def tags(self) -> "tuple[MemoryTag, ...]":
        """Every tag of memory, newest first; none where there is no git."""
        from engine.history.tags import memory_tags

        repository = self._opened.parts.git.repository()
        return () if isinstance(repository, NoRepository) else memory_tags(repository)

    def tag(self, kind: "TagKind", name: str) -> str:
        """Tags what is committed now, and gives the tag's whole name; `Refused` where there is nothing to tag."""
        from engine.history.tags import make_tag

        with self._opened.lock:
            repository = self._writable()
            head = repository.head()
            if not head:
                raise Refused("the branch has no commit yet", where=str(repository.git.top), hint="commit first")
            return make_tag(self._opened.parts.git.written_by_owner(repository), kind, name, head)

    def tag_days(self) -> TagsMade:
        """Tags the last commit of each day and each week that is over and has none; nothing for a supposed instant."""
        from engine.history.tags import due_tags, make_tag, memory_tags, recent_commits

        parts = self._opened.parts
        repository = parts.git.repository()
        if isinstance(repository, NoRepository) or not parts.policy.git.commit or parts.what_if is not None:
            return TagsMade()
        with self._opened.lock:
            now, names, problems = self._opened.real_now(), list[str](), list[str]()
            known = {tag.name for tag in memory_tags(repository)}
            git = parts.git.written_by_owner(repository)
            commits = recent_commits(repository, now)
            for kind, name, commit in due_tags(commits, known, now, zone_of(parts.policy.zone)):
                try:
                    names.append(make_tag(git, kind, name, commit))
                except MemdeckError as error:
                    problems.append(error.line())
            return TagsMade(tuple(names), tuple(problems))

    def _writable(self) -> Repository:
        """The repository; `Refused` with the reason where it may not be written."""
        parts = self._opened.parts
        if not parts.policy.git.commit:
            raise Refused("the policy's git.commit is off: nothing is written to git", where="git.commit")
        repository = parts.git.repository()
        if isinstance(repository, NoRepository):
            raise Refused(repository.reason or "there is no git here", where="git", hint="memdeck init begins one")
        return repository
