"""Makes memory tags: of days, weeks and milestones, and before an event (autopoiesis §3.4). A tag that exists is
never moved (decision D22)."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, Refused, UsageError
from engine.history.commit_dates import instant_of
from engine.history.git import Git
from engine.history.git_locks import Intent, intended
from engine.history.refs import common_folder, make_ref, settle_ref
from engine.history.repository import Repository
from engine.workspace.dates import week_of

FOLDER = "memory/"  # the beginning of every tag of memory
_REFS = "refs/tags/"
LOOKS_BACK = timedelta(days=35)  # days and weeks that ended longer ago get no tag any more
_MOST = 20_000  # commits that are looked at for days and weeks
_MOST_SAME = 20  # names that are tried for one tag: `x`, `x-2` and so on
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class TagKind(StrEnum):
    """The second part of a tag's name."""

    DAILY = "daily"
    WEEKLY = "weekly"
    MILESTONE = "milestone"
    BEFORE = "before"
    EXPLORE = "explore"
    EXTRACT = "extract"


class MemoryTag(msgspec.Struct, frozen=True):
    """A memory tag and the commit that it names. `at`: when that commit was made."""

    name: str
    commit: str
    at: datetime


class DatedCommit(msgspec.Struct, frozen=True):
    """A commit of the branch and when it was made."""

    id: str
    at: datetime


def ref_part(name: str) -> str:
    """Gives the name if it can be one part of a ref; `UsageError` for a name that git or a shell could misread."""
    if _NAME.fullmatch(name) is None or ".." in name or name.endswith((".lock", ".")):
        hint = "letters, digits, dots, _ and -, at most 100, beginning with a letter or digit"
        raise UsageError("this is no name for it", where=repr(name[:120]), hint=hint)
    return name


def memory_tags(repository: Repository) -> tuple[MemoryTag, ...]:
    """Gives every memory tag that names a commit, the newest commit first."""
    form = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(*objectname)%00%(creatordate:unix)"
    out = repository.git.run("for-each-ref", form, f"{_REFS}{FOLDER}").decode("utf-8", "replace")
    found = (row.split("\0") for row in out.splitlines())
    tags = [
        MemoryTag(cells[0].removeprefix(_REFS), cells[3] or cells[2], instant_of(cells[4]))
        for cells in found
        if len(cells) == 5 and cells[1] in ("commit", "tag")
    ]
    return tuple(sorted(tags, key=lambda tag: (tag.at, tag.name), reverse=True))


def make_tag(git: Git, kind: TagKind, name: str, commit: str, scratch: Path) -> str:
    """Makes the tag and gives its full name; an existing tag of this commit is fine. `scratch` is the private folder
    of intents. `Refused` where the tag names another commit; `GitFailed` where git fails."""
    tag = f"{FOLDER}{kind.value}/{ref_part(name)}"
    present = git.commit_id(f"{_REFS}{tag}")
    if present == commit:
        return tag
    if present:
        raise Refused(f"the tag is there already, of {present[:12]}", where=tag, hint="choose another name")
    with intended(scratch, Intent(str(common_folder(git)), f"{_REFS}{tag}", commit)) as begun:
        try:
            make_ref(git, begun)
        finally:
            settle_ref(git, begun)
    return tag


def make_next_tag(git: Git, kind: TagKind, name: str, commit: str, scratch: Path) -> str:
    """Makes the tag, with the next free number where the name is taken: `x`, `x-2`, `x-3`."""
    for number in range(1, _MOST_SAME + 1):
        try:
            return make_tag(git, kind, name if number == 1 else f"{name}-{number}", commit, scratch)
        except Refused:
            continue
    raise MemdeckError(f"there are {_MOST_SAME} of this name", where=f"{FOLDER}{kind.value}/{name}")


def due_tags(
    commits: Sequence[DatedCommit], known: Collection[str], now: datetime, zone: tzinfo
) -> Iterator[tuple[TagKind, str, str]]:
    """Yields kind, name and last commit of each past day and week that has commits but no tag. `commits`: newest
    first. Days begin at midnight in the zone, weeks on Monday; commits of the future are ignored."""
    today = now.astimezone(zone).date()
    monday = today - timedelta(days=today.weekday())
    seen: set[str] = set(known)
    for commit in commits:
        day = commit.at.astimezone(zone).date()
        if commit.at < now - LOOKS_BACK:
            continue
        for kind, name, over in ((TagKind.DAILY, str(day), day < today), (TagKind.WEEKLY, week_of(day), day < monday)):
            tag = f"{FOLDER}{kind.value}/{name}"
            if over and tag not in seen:
                seen.add(tag)
                yield kind, name, commit.id


def recent_commits(repository: Repository, now: datetime) -> tuple[DatedCommit, ...]:
    """Gives the branch's own commits of the time for which tags are made, newest first."""
    if not (head := repository.head()):
        return ()
    oldest = int((now - LOOKS_BACK).timestamp())
    options = ("--first-parent", f"--max-count={_MOST}", f"--max-age={oldest}", "--format=%H %ct")
    out = repository.git.run("rev-list", *options, "--end-of-options", head).decode("ascii", "replace")
    rows = (line.split() for line in out.splitlines() if not line.startswith("commit "))
    return tuple(DatedCommit(row[0], instant_of(row[1])) for row in rows if len(row) == 2)
