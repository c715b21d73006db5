"""Finds projects and people that nobody touched for 30 days, and proposes archive or keep (decision D35)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

import msgspec

from engine.lifecycle.archive.protection import protection
from engine.lifecycle.prune.old_files import age_of
from engine.lifecycle.prune.options import PruneOptions
from engine.workspace.snapshot import Snapshot

UNTOUCHED_DAYS = 30
"""Whole days, strictly more, after which a file of a project or person is listed (decision D35)."""
_FOLDERS = ("knowledge/projects/", "knowledge/people/")


class KnownSubject(msgspec.Struct, frozen=True, kw_only=True):
    """A project with its files, or a person. `name` is that of its folder or file; `files` are sorted."""

    folder: str
    name: str
    files: tuple[str, ...]


class ReviewedSubject(msgspec.Struct, frozen=True, kw_only=True):
    """A subject that nobody touched, with the proposal and its reason."""

    subject: KnownSubject
    days: int
    keep: bool
    why: str


def known_subjects(paths: Sequence[str]) -> tuple[KnownSubject, ...]:
    """The projects and people of a workspace; indexes, whose names begin with `_`, are none."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted(paths):
        folder = next((one for one in _FOLDERS if path.startswith(one)), "")
        name = path.removeprefix(folder).split("/")[0].removesuffix(".md")
        if folder and not name.startswith("_"):
            found.setdefault((folder, name), []).append(path)
    return tuple(KnownSubject(folder=folder, name=name, files=tuple(all_)) for (folder, name), all_ in found.items())


def reviewed_subjects(
    snapshot: Snapshot,
    subjects: Sequence[KnownSubject],
    links: Mapping[str, frozenset[tuple[str, str]]],
    today: date,
    options: PruneOptions,
) -> Iterator[ReviewedSubject]:
    """The untouched ones in their order; a subject is as young as the youngest of its files."""
    for subject in subjects:
        files = [snapshot.files[path] for path in subject.files]
        days = min(age_of(facts, today, snapshot.zone, options.touched) for facts in files)
        if days > UNTOUCHED_DAYS:
            why = _kept(snapshot, subject, links, today, options)
            said = why or f"untouched for {days:,} days, and nothing refers to it"
            yield ReviewedSubject(subject=subject, days=days, keep=bool(why), why=said)


def _kept(
    snapshot: Snapshot,
    subject: KnownSubject,
    links: Mapping[str, frozenset[tuple[str, str]]],
    today: date,
    options: PruneOptions,
) -> str:
    """Gives what keeps a subject; empty where nothing does."""
    for path in subject.files:
        if why := protection(path, snapshot.files[path].frontmatter, snapshot.text(path)):
            return why
    since = (today - timedelta(days=UNTOUCHED_DAYS)).isoformat()
    last = max((day for path in subject.files for day in options.uses.get(path, {})), default="")
    if last >= since:
        return f"of use on {last}"
    around = {
        (source, kind)
        for path in subject.files
        for source, kind in links.get(path, ())
        if source not in subject.files and not source.rpartition("/")[2].startswith("_")
    }
    if not around:
        return ""
    source, kind = min(around)
    return f"{kind} by {source}" + (f" and {len(around) - 1:,} more" if len(around) > 1 else "")
