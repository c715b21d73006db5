"""Dates files by their first commits, for those that tell no date of their own."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.plans.apply.git_record import GitRecord


class GitOwner(Protocol):
    """Gives the record of a workspace's git, once there is a file to be dated by it."""

    @property
    def git(self) -> "GitRecord": ...


class FirstCommitDates:
    """First-commit dates from whatever repository there is when they are asked for. One that did not answer in time is
    not asked again while the console is open; `problem` then says so."""

    def __init__(self, owner: GitOwner, zone: str) -> None:
        self._owner = owner
        self._zone = zone
        self.problem = ""

    def __call__(self, paths: Sequence[str]) -> Mapping[str, date]:
        if not paths:
            return {}
        from engine.history.commit_dates import CommitDates
        from engine.history.repository import NoRepository

        repository = self._owner.git.repository()
        if self.problem or isinstance(repository, NoRepository):
            return {}
        dates = CommitDates(repository, self._zone)
        known = dates(paths)
        self.problem = dates.problem
        return known
