"""Dates files without a date of their own by their first commits."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.plans.apply.git_record import GitRecord


class FirstCommitDates:
    """Gives first-commit dates from the repository, if there is one. A git that did not answer in time is not asked
    again, and `problem` says so. `git` is called when there is a file to date."""

    def __init__(self, git: "Callable[[], GitRecord]", zone: str) -> None:
        self._git, self._zone = git, zone
        self.problem = ""

    def __call__(self, paths: Sequence[str]) -> Mapping[str, date]:
        if not paths:
            return {}
        from engine.history.commit_dates import CommitDates

        repository = self._git().usable()
        if self.problem or repository is None:
            return {}
        dates = CommitDates(repository, self._zone)
        known = dates(paths)
        self.problem = dates.problem
        return known
