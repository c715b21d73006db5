"""Finds the journals and knowledge files that are old enough to archive (autopoiesis §8.5, decisions D7, D46)."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import date

import msgspec

from engine.lifecycle.archive.places import protection
from engine.lifecycle.references.file_links import linking_files
from engine.lifecycle.references.reference_days import Days
from engine.lifecycle.requests import PrunePart
from engine.plans.policy.workspace_keys import workspace_tuning
from engine.text.canonical_json import sha256_hex
from engine.workspace.dates import parse_day, value_date, zone_of
from engine.workspace.layout import MEMORY_MD_LINES
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import DateSource, FileFacts

_LIMITS = dict(MEMORY_MD_LINES)


Touched = Callable[[str], date | None]
"""Gives the day on which a file without a date of its own was written, by the disk."""


class PruneOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`line_cap`: the lines of MEMORY.md from which entries go; `room`: the lines left then; `retention`: the days
    of a journal. `uses` are days of use by path; `unused` the loaded but unused entries, by key."""

    parts: tuple[PrunePart, ...] = tuple(PrunePart)
    line_cap: int = _LIMITS["full"]
    room: int = _LIMITS["warning"]
    retention: int = 90
    uses: Mapping[str, Days] = {}
    unused: Mapping[str, int] = {}
    touched: Touched = lambda _: None  # the disk is not asked
    config: str | None = None  # the sha256 of the workspace's `memory-config.yaml`, where it tunes this prune

    def tuned(self, data: bytes | None) -> "PruneOptions":
        """Gives the options with the workspace's own settings applied; `room` keeps its distance to the cap."""
        tuning = workspace_tuning(data)
        if data is None or (tuning.memory_line_cap is None and tuning.journal_retention_days is None):
            return self
        cap = tuning.memory_line_cap or self.line_cap
        return msgspec.structs.replace(
            self,
            line_cap=cap,
            room=self.room - (self.line_cap - cap),
            retention=tuning.journal_retention_days or self.retention,
            config=sha256_hex(data),
        )


LEAST_SCORE = 0.01  # a file below it is a candidate
LEAST_DAYS = 30  # no younger file is one, whatever its score
HALF_LIFE_DAYS = 14  # days after which a file's score is half; a search uses 7 (decision D6)
JOURNAL = re.compile(r"knowledge/journal/(\d{4}-\d{2}-\d{2})\.md")
_SCORED = re.compile(r"knowledge/(?!journal/).*\.md", re.DOTALL)


class RetiredFile(msgspec.Struct, frozen=True):
    """A file that is old enough to archive, or that `stays` all the same; `why` is for the operator."""

    path: str
    why: str
    stays: bool = False


def eviction_score(days: int, references: int) -> float:
    """Halves every 14 days, and grows with (1 + references), so that a file without one has a score too (D6, D7)."""
    return float(0.5 ** (days / HALF_LIFE_DAYS)) * (1 + references)


def is_candidate(days: int, references: int) -> bool:
    """Tells whether a file may be archived: without references from day 94, with one from day 108 (D46)."""
    return days > LEAST_DAYS and eviction_score(days, references) < LEAST_SCORE


def old_journals(snapshot: Snapshot, today: date, retention: int) -> Iterator[RetiredFile]:
    """Yields the journals older than `retention` days, by their names."""
    for path, facts in snapshot.files.items():
        found = JOURNAL.fullmatch(path)
        day = parse_day(found[1]) if found is not None else None
        if day is None or (today - day).days <= retention:
            continue
        kept = protection(path, facts.frontmatter, snapshot.text(path))
        why = kept or f"a journal of {(today - day).days:,} days ago; {retention} are kept"
        yield RetiredFile(path, why, stays=bool(kept))


def evicted_files(snapshot: Snapshot, today: date, options: PruneOptions) -> Iterator[RetiredFile]:
    """Yields the knowledge files with too low a score; reads links only if age and use alone do not keep a file."""
    old = {path: facts for path, facts in snapshot.files.items() if _SCORED.fullmatch(path)}
    used = {path: sum(map(len, options.uses.get(path, {}).values())) for path in old}
    ages = {path: age_of(facts, today, snapshot.zone, options.touched) for path, facts in old.items()}
    near = [path for path in old if is_candidate(ages[path], used[path])]
    links = linking_files(snapshot.files, snapshot.content) if near else {}
    for path in near:
        yield _weighed(snapshot, path, ages[path], options.uses.get(path, {}), links.get(path, frozenset()))


def _weighed(
    snapshot: Snapshot, path: str, age: int, days: Mapping[str, tuple[str, ...]], links: frozenset[tuple[str, str]]
) -> RetiredFile:
    counts = Counter(kind for kinds in days.values() for kind in kinds) + Counter(kind for _, kind in links)
    references = counts.total()
    said = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())) or "no reference"
    if not is_candidate(age, references):
        return RetiredFile(path, f"{age:,} days old; {said}", stays=True)
    if kept := protection(path, snapshot.files[path].frontmatter, snapshot.text(path)):
        return RetiredFile(path, kept, stays=True)
    score = eviction_score(age, references)
    doubt = "; its date is that of the disk" if snapshot.files[path].date.low_confidence else ""
    return RetiredFile(path, f"{age:,} days old, {said}: score {score:.4f}, below 0.01{doubt}")


def age_of(facts: FileFacts, today: date, zone: str, touched: Touched) -> int:
    """Gives the days since the later of a file's date and its `updated`; 0 for the future (decisions D6, G8). The
    disk's day counts where only a commit dates the file."""
    updated = facts.frontmatter.get("updated")
    said = value_date(updated, zone_of(zone)) if isinstance(updated, str) else None
    own = facts.date.source in (DateSource.FRONTMATTER, DateSource.NAME)
    days = [] if said is not None and not own else [facts.date.day]  # what a head says goes before git and the disk
    if said is not None:
        days.append(said)
    elif facts.date.source is DateSource.GIT and (written := touched(facts.path)) is not None:
        days.append(written)
    return max(0, (today - max(days)).days)
