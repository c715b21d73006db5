"""Merges all knowledge of one file's past by time: git, operations, looks, and the present. A version was *made* by our
operation, or *found* by a source; then it was written some time after the version before it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum

import msgspec

from engine.errors import MemdeckError
from engine.history.repository import Repository
from engine.history.repository_history import (
    BlobStep,
    Commit,
    blobs,
    first_commit,
    renamed_from,
    shallow_commits,
    steps_of,
)
from engine.monitoring.last_look import SeenStore
from engine.monitoring.recall.file_names import MOST_RENAMES, FileNames, FileRename
from engine.plans.diff import Read, bytes_or_none
from engine.plans.operation import Operation, OperationKind, OperationState, Rename, Withdraw, Write
from engine.plans.past_effects import PastBytes, took_place
from engine.plans.plan import Plan
from engine.plans.records.operations import Operations
from engine.text.canonical_json import sha256_hex

MOST_COMMITS = 1_000  # commits of one file that are looked at, the newest; the reach says so where there are more
SHALLOW = "the clone is shallow: what is older was not fetched"


class Teller(StrEnum):
    """The source of a statement about the past (decision D50)."""

    GIT = "git"
    OPERATION = "operation"
    SEEN = "seen"
    NOW = "now"


class Reach(msgspec.Struct, frozen=True):
    """The earliest time that one source knows; if `since` is None, `note` says why."""

    teller: Teller
    since: datetime | None
    note: str = ""


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of a file at an instant, None for no file. `ref`: the commit or operation. `made`: our operation wrote
    it. `lost`: the bytes are not kept. `oldest`: git knows nothing older. `merge`: a commit that joins branches."""

    path: str
    at: datetime
    teller: Teller
    data: bytes | None
    ref: str = ""
    subject: str = ""
    made: bool = False
    lost: bool = False
    oldest: bool = False
    merge: bool = False


class Timeline(msgspec.Struct, frozen=True):
    """The versions of one file, oldest first, under all its names, and the reach of each source."""

    path: str
    versions: tuple[Version, ...]
    reaches: tuple[Reach, ...]

    def at(self, instant: datetime) -> tuple[Version | None, Version | None]:
        """Returns the last version known at an instant, and the first one after it."""
        before = [version for version in self.versions if version.at <= instant]
        after = (version for version in self.versions if version.at > instant)
        return (before[-1] if before else None), next(after, None)


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """The sources of the past. `read` takes a path, `displaced` a sha256."""

    repository: Repository | None
    no_git: str
    operations: Operations
    plan: Callable[[str], Plan]
    displaced: Read
    seen: SeenStore
    read: Read
    now: datetime

    def present(self, path: str) -> bytes | None:
        """Returns a file's present bytes; None if missing or unreadable."""
        return bytes_or_none(self.read, path)

    def bytes_of(self, sha256: str, path: str) -> bytes | None:
        """Returns the bytes with this hash, if kept or present at the path; else None."""
        found = self.kept(sha256)
        present = self.present(path) if found is None else None
        return present if present is not None and sha256_hex(present) == sha256 else found

    def written(self, operation: Operation, write: Write) -> bytes | None:
        """Returns the bytes that an operation wrote: kept, or computed from its plan and the bytes before."""
        found = self.bytes_of(write.after, write.path)
        before = self.kept(write.before) if write.before is not None else None
        if found is not None or operation.kind is not OperationKind.APPLY or (write.before and before is None):
            return found
        try:
            plan = self.plan(operation.plan)
        except MemdeckError:
            return None
        remade = PastBytes(plan, operation.numbers, self.read, self.displaced)
        return remade.rebuild(write.path, before, write.after)

    def kept(self, sha256: str) -> bytes | None:
        """Returns the bytes with this hash, displaced or seen; None if nobody kept them."""
        found = bytes_or_none(self.displaced, sha256)
        return found if found is not None else (self.seen.text(sha256) if self.seen.begun else None)


def timeline(path: str, sources: Sources) -> Timeline:
    """Returns all versions of the file that is, or was last, at a path."""
    told, committed = _told(path, sources)
    known = {version.ref: version for version in committed}
    by_commit = {commit: version for version, commit in told if commit}
    versions = [_with_bytes(version, known.get(commit)) for version, commit in told]
    # A commit that only records an operation tells nothing that the operation does not tell better.
    versions += [one for one in committed if one.ref not in by_commit or by_commit[one.ref].data != one.data]
    versions += _seen(path, sources)
    versions.append(Version(path=path, at=sources.now, teller=Teller.NOW, data=sources.present(path)))
    # At one instant an operation met a version before it made its own; what is there now is last by any clock.
    in_order = sorted(versions, key=lambda version: (version.teller is Teller.NOW, version.at, version.made))
    there = tuple(version for version in in_order if not version.lost)
    return Timeline(path, there, tuple(_reaches(versions, len(committed), sources)))


def _told(path: str, sources: Sources) -> tuple[list[tuple[Version, str]], list[Version]]:
    """Returns what operations and commits tell; asks again under the old name after each rename."""
    renames: dict[str, FileRename] = {}
    while True:
        names = FileNames(path, renames.values())
        told = list(_operations(names, [rename.old for rename in renames.values()], sources))
        names.reach(None)
        steps = _steps(names, renames, sources.repository) if sources.repository is not None else []
        found = _rename(names, steps, sources.repository) if len(renames) < MOST_RENAMES else None
        # The same commit again would ask for ever.
        if found is None or found.commit in renames:
            return told, list(_committed(steps, sources.repository)) if sources.repository is not None else []
        renames[found.commit] = found


def _with_bytes(version: Version, committed: Version | None) -> Version:
    """Adds bytes that only the commit still has to an operation's version."""
    if not version.lost or committed is None:
        return version
    return msgspec.structs.replace(version, data=committed.data, lost=False)


def _operations(names: FileNames, older: Sequence[str], sources: Sources) -> Iterator[tuple[Version, str]]:
    """Yields versions before and after our operations, newest first, with their commits; learns earlier names."""
    for operation in sources.operations.index.touching(lambda: (*names.all, *older)):
        if operation.state is OperationState.RUNNING:
            continue
        names.reach(operation.started_at)
        for index in took_place(operation):
            effect = operation.effects[index]
            for side, made in _sides(effect, names, operation.started_at):
                data = None if side is None else sources.bytes_of(side, names.all[0])
                if made and data is None and isinstance(effect, Write):
                    data = sources.written(operation, effect)
                found = Version(
                    path=names.now,
                    at=operation.started_at,
                    teller=Teller.OPERATION,
                    data=data,
                    ref=operation.id,
                    subject=f"{operation.system} ({operation.kind})",
                    made=made,
                    lost=side is not None and data is None,
                )
                yield found, operation.commit or "" if made else ""


def _sides(effect: Write | Rename | Withdraw, names: FileNames, at: datetime) -> list[tuple[str | None, bool]]:
    """Returns the hashes after and before an effect on the file, and whether the effect made them."""
    match effect:
        case Write(path=path, before=before, after=after) if path == names.now:
            return [(after, True), (before, False)]
        case Withdraw(path=path, before=before) if path == names.now:
            return [(None, True), (before, False)]
        case Rename(path=path, to=to, sha256=sha256) if to == names.now:
            names.moved(path, at)
            return [(sha256, False)]
        case Rename(path=path, sha256=sha256) if path == names.now:
            return [(None, True), (sha256, False)]
        case _:
            return []


def _steps(
    names: FileNames, renames: Mapping[str, FileRename], repository: Repository
) -> list[tuple[Commit, BlobStep]]:
    found: list[tuple[Commit, BlobStep]] = []
    passed = 0
    for one in steps_of(repository, names.all, MOST_COMMITS):
        found += [(one.commit, step) for step in one.steps if step.path == names.at(one.commit.at, passed)]
        if one.commit.id in renames:  # what is older has the older name, also in the same second
            passed = names.before(renames[one.commit.id])
    return found


def _rename(
    names: FileNames, steps: Sequence[tuple[Commit, BlobStep]], repository: Repository | None
) -> FileRename | None:
    """Returns the commit that gave the file its oldest known name; None if it was no rename."""
    made = next((step for step in steps if not step[1].old and step[1].path == names.now), None)
    old = renamed_from(repository, made[0].id, names.now) if made is not None and repository is not None else ""
    return FileRename(old, names.now, made[0].at, made[0].id) if made is not None and old else None


def _committed(steps: Sequence[tuple[Commit, BlobStep]], repository: Repository) -> Iterator[Version]:
    """Yields the committed versions, oldest first; commits in one second keep their order."""
    data = blobs(repository, (step.new for _, step in steps))
    ends = shallow_commits(repository)
    for number, (commit, step) in reversed(list(enumerate(steps, 1))):
        yield Version(
            path=step.path,
            at=commit.at,
            teller=Teller.GIT,
            data=data.get(step.new),
            ref=commit.id,
            subject=commit.subject,
            lost=bool(step.new) and step.new not in data,
            merge=commit.merge,
            oldest=commit.id in ends or (number == MOST_COMMITS and bool(step.old)),
        )


def _seen(path: str, sources: Sources) -> Iterator[Version]:
    at = sources.seen.looked_at() if sources.seen.begun else None
    note = sources.seen.note(path) if at is not None else None
    data = sources.kept(note.sha256) if note is not None else None
    if at is not None and data is not None:
        yield Version(path=path, at=at, teller=Teller.SEEN, data=data)


def _reaches(versions: Iterable[Version], commits: int, sources: Sources) -> Iterator[Reach]:
    oldest = {version.teller: version.at for version in sorted(versions, key=lambda one: one.at, reverse=True)}
    for teller in (Teller.GIT, Teller.OPERATION, Teller.SEEN):
        note = "" if teller in oldest else _nothing(teller, sources)
        if teller is Teller.GIT and commits >= MOST_COMMITS:
            note = f"only the newest {MOST_COMMITS:,} commits of it were looked at"
        elif teller is Teller.GIT and any(version.oldest for version in versions):
            note = SHALLOW
        yield Reach(teller, oldest.get(teller), note)


def reaches(sources: Sources) -> tuple[Reach, ...]:
    """Returns how far back each source reaches, for any file."""
    first = first_commit(sources.repository) if sources.repository is not None else None
    shallow = SHALLOW if sources.repository is not None and shallow_commits(sources.repository) else ""
    operations = [datetime.fromtimestamp(outline.instant, UTC) for outline in sources.operations.outlines()[-1:]]
    looked = sources.seen.looked_at() if sources.seen.begun else None
    return (
        Reach(Teller.GIT, first, shallow if first else sources.no_git or "nothing was committed yet"),
        Reach(Teller.OPERATION, min(operations, default=None), "" if operations else "nothing was done yet"),
        Reach(Teller.SEEN, looked, "" if looked else "the operator never looked"),
    )


def _nothing(teller: Teller, sources: Sources) -> str:
    match teller:
        case Teller.GIT:
            return "never committed" if sources.repository is not None else sources.no_git
        case Teller.OPERATION:
            return "no operation touched it"
        case _:
            return "not among what was last seen"
