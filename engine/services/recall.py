"""The past for the front ends: when a text came, who wrote a line, and the notes at an instant."""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from engine.errors import UsageError
from engine.extraction.held import EntryRecords, HeldAnswer, held_on
from engine.extraction.rows import entry_rows
from engine.history.git import GitFailed
from engine.history.git_hazards import operator_settings, rules_obstacle
from engine.history.repository import NoRepository, Repository
from engine.history.repository_history import Commit, commit_named, line_commits
from engine.monitoring.last_look import SeenStore
from engine.monitoring.recall import blame
from engine.monitoring.recall.blame import Blame
from engine.monitoring.recall.occurrences import Occurrence, occurrences
from engine.monitoring.recall.past_tree import PastTree, contents, differing, diffs, present_tree, tree_at
from engine.monitoring.recall.timeline import Reach, Sources, Timeline, Version, reaches, timeline
from engine.plans.diff import FileDiff, without_secrets
from engine.services.open_workspace import OpenWorkspace
from engine.services.transcripts import closed_transcripts
from engine.workspace import dates
from engine.workspace.paths import relative_path
from engine.workspace.values import Progress, Tick

if TYPE_CHECKING:
    from engine.services.sessions import SessionService

_MOMENT = timedelta(microseconds=1)
"""The step from a day's beginning to the end of the day before."""
_MONTH = re.compile(r"\d{4}-\d{2}")


class PastFileText(msgspec.Struct, frozen=True):
    """A file at an instant: its version (None if unknown), the next known one, and all known versions."""

    at: datetime
    version: Version | None
    following: Version | None
    timeline: Timeline


class PastDiff(msgspec.Struct, frozen=True):
    before: PastTree
    after: PastTree
    diffs: tuple[FileDiff, ...]


class RecallService:
    """Answers from git, operations and looks; each answer names its source. Writes nothing."""

    def __init__(self, opened: OpenWorkspace, sessions: "SessionService") -> None:
        self._opened, self._sessions = opened, sessions

    def when(self, text: str, tick: Tick | None = None) -> Generator[Occurrence]:
        """Yields when a text came and went, as soon as each is found; closing the iterator ends the search."""
        if not text.strip() or "\0" in text:
            raise UsageError("when was what?", where="recall when", hint="give the words as they stand in the note")
        with self._sources(tick) as sources, closing(occurrences(text, sources, self._notes)) as found:
            for number, one in enumerate(found, 1):
                if tick is not None:
                    tick(Progress("answers", number))
                yield one

    def blame(self, path: str) -> Blame:
        """Names who wrote each line of a file: an operation, a session's turn, a commit, or nobody."""
        known = self.timeline(path)
        return blame.blame(known, self._sessions.edits_of({version.path for version in known.versions}), self._merged)

    def timeline(self, path: str) -> Timeline:
        """Gives all known versions of a file; `UsageError` where there are none."""
        name = relative_path(path)
        with self._sources() as sources:
            found = timeline(name, sources)
        if all(version.data is None for version in found.versions):
            raise UsageError("nobody knows of such a file", where=name, hint="memdeck recall show lists all")
        return found

    def show(self, path: str, at: datetime) -> PastFileText:
        """Gives a file as it was at an instant."""
        known = self.timeline(path)
        version, following = known.at(at)
        return PastFileText(at, version, following, known)

    def tree(self, at: datetime) -> PastTree:
        """Gives all notes as they were at an instant."""
        with self._sources() as sources:
            return tree_at(at, sources, self._notes(), self._opened.written_at)

    def contents(self, tree: PastTree, paths: Sequence[str]) -> dict[str, bytes]:
        """Gives the bytes of these files of a past tree, without unknown ones."""
        with self._sources() as sources:
            return contents(tree, sources, paths)

    def diff(self, since: datetime, until: datetime | None = None, below: str = "") -> PastDiff:
        """Compares two instants, `until` None for now; `below` limits it to a file or folder."""
        with self._sources() as sources:
            before = tree_at(since, sources, self._notes(), self._opened.written_at)
            if until is None:
                others = (path for path in before.files if self._opened.written_at(path) is not None)
                after = present_tree(sources, {*self._notes(), *others})
            else:
                after = tree_at(until, sources, self._notes(), self._opened.written_at)
            folder = below.rstrip("/")
            paths = [
                path
                for path in differing(before, after, sources)
                if (not folder or path == folder or path.startswith(f"{folder}/")) and path not in before.unknown
            ]
            return PastDiff(before, after, tuple(map(without_secrets, diffs(before, after, sources, paths))))

    def held(self, on: date, subject: str = "") -> HeldAnswer:
        """Gives the entries that held at the end of a day, each with its turn."""
        records, text = entry_records(self._opened)
        return held_on(on, subject, records, lambda path: text(path).split("\n"))

    def reaches(self) -> tuple[Reach, ...]:
        """Gives how far back git, the operations and the looks reach."""
        with self._sources() as sources:
            return reaches(sources)

    def instant(self, text: str, *, end: bool = True) -> datetime:
        """Gives the instant that a date, a distance, a month, an operation, a tag or a commit names. A day or month
        means its end in the workspace's zone, without `end` its beginning. `UsageError` for an unknown name."""
        given = text.strip()
        if _MONTH.fullmatch(given):
            return self._month(given, end=end)
        zone, day_at = self._opened.policy.zone, time.max if end else time.min
        try:
            return dates.instant(given, self._opened.now(), zone, day_at=day_at, past=True)
        except UsageError:
            return self._named(given)

    def today(self) -> datetime:
        """Gives the beginning of today in the workspace's zone."""
        now = self._opened.now().astimezone(self._opened.policy.time_zone)
        return now.replace(hour=0, minute=0, second=0, microsecond=0)

    def _month(self, text: str, *, end: bool) -> datetime:
        try:
            first = datetime.fromisoformat(f"{text}-01").replace(tzinfo=self._opened.policy.time_zone)
        except ValueError:
            return self._named(text)
        # 31 days from the first of any month lie in the next one.
        return (first + timedelta(days=31)).replace(day=1) - _MOMENT if end else first

    def _named(self, name: str) -> datetime:
        if name.startswith("o-"):
            return self._opened.operations.load(name).started_at
        if (repository := self._opened.git.usable()) is None:
            raise UsageError(
                "not a date or a time", where=name, hint="like 2026-03-01, 2026-03-01 14:00, 3d, yesterday 9:00"
            )
        return commit_named(repository, name).at

    def _merged(self, commit: str, path: str) -> Sequence[Commit]:
        """Gives the commits of a merged file's lines; none where git cannot tell."""
        repository = self._opened.git.usable()
        try:
            # Blame reads the file of ignored revisions that settings name, which may be a FIFO.
            if repository is None:
                return ()
            if rules_obstacle(repository.git.top, (), operator_settings(repository.git).rule_files):
                return ()
            return line_commits(repository, commit, path)
        except GitFailed:
            return ()

    def _notes(self) -> list[str]:
        return list(self._opened.fresh(look=False).files)

    @contextmanager
    def _sources(self, tick: Tick | None = None) -> Iterator[Sources]:
        """Opens the sources of the past; `tick` may stop a slow git."""
        opened = self._opened
        repository = opened.git.repository()
        with closing(SeenStore(opened.state.path / "seen.db")) as seen:
            yield Sources(
                repository=None if isinstance(repository, NoRepository) else _told(repository, tick),
                no_git=(repository.reason or "there is no git here") if isinstance(repository, NoRepository) else "",
                operations=opened.operations,
                plan=opened.queue.load,
                displaced=opened.displaced.get,
                seen=seen,
                read=opened.root.read,
                now=opened.now(),
            )


def entry_records(opened: OpenWorkspace) -> tuple[EntryRecords, Callable[[str], str]]:
    """Gives a workspace's entries, and a function that reads a file's text, empty if there is none."""
    snapshot = opened.fresh(look=True)

    @cache
    def text(path: str) -> str:
        return (opened.root.read_or_none(path) or b"").decode("utf-8", "replace")

    rows, promoted = entry_rows(snapshot.files, text), opened.records.entry_history().promoted
    return EntryRecords(rows, promoted, tuple(closed_transcripts(snapshot))), text


def _told(repository: Repository, tick: Tick | None) -> Repository:
    if tick is None:
        return repository

    def waiting(_what: str, _gone: float, _limit: float) -> None:
        tick(Progress("the history", 0))

    return Repository(msgspec.structs.replace(repository.git, waiting=waiting), repository.prefix)
