"""Carries a replay out on a branch of its own, week by week, and makes the one plan that merges it (§8.7, §10.4).
Nothing of the workspace is written: each step is worked out over the notes as the steps before it leave them, and kept
as a commit of `extract/NAME`, or in a copy of the folder where there is no git. A replay that was stopped or killed
goes on: readings are known by their hashes, and a step that is committed is not committed again."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, Refused
from engine.extraction.extraction_task import EntryFinder
from engine.history.replay_worktree import ReplayWorktree, replay_worktree, write_below
from engine.history.repository import NoRepository
from engine.lifecycle.condense.plan import CondensationPlanner, CondenseOptions
from engine.lifecycle.replay.joined import ReplayedWeek, ReplayRecord, joined_plan
from engine.lifecycle.requests import CondensePart
from engine.models.model_task import RuleModel
from engine.plans.planning import Planning, PlanOutcome
from engine.plans.prediction import contents_after
from engine.services.open_workspace import OpenWorkspace
from engine.state.private_files import known_record, make_private, write_private
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line
from engine.workspace.dates import parse_day
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.unscanned import snapshot_after


class _Made(msgspec.Struct, frozen=True):
    """A copy as the state remembers it: its folder, and the hash of each file as it was written there."""

    folder: str
    inode: int
    written: Mapping[str, str] = {}


class ReplayCopy(msgspec.Struct, frozen=True, kw_only=True):
    """A copy of the notes, in which a replay leaves its files. `record` is the state's file of it."""

    folder: Path
    snapshot: Snapshot
    record: Path
    made: _Made
    branch: str = ""

    def commit(self) -> str:
        """A copy has no commits."""
        return ""

    def keep(self, _subject: str, files: Mapping[str, bytes], _at: datetime) -> None:
        """Keeps no step of a copy: its files are written once all of them are known."""

    def settle(self, after: Mapping[str, bytes], _present: Callable[[str], bytes | None]) -> tuple[str, ...]:
        """Writes the notes as the replay leaves them; what is not written, each in one line."""
        notes = {path: self.snapshot.content(path) for path in self.snapshot.files} | dict(after)
        there, written = self.contents(notes), dict(self.made.written)
        found = []
        for path, data in notes.items():
            present = there.get(path)
            if present is not None and present != data and sha256_hex(present) != written.get(path):
                found.append(f"{visible_line(path)} was edited in {visible_line(str(self.folder))}: it stays there")
                continue
            try:
                if present != data:
                    write_below(self.folder, path, data)
                written[path] = sha256_hex(data)
            except (MemdeckError, OSError) as error:
                found.append(visible_line(f"{path} is not laid out: {error}"))
        write_private(self.record, msgspec.json.encode(msgspec.structs.replace(self.made, written=written)))
        return tuple(found)

    def contents(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Gives the bytes that these files have in the copy."""
        found: dict[str, bytes] = {}
        with WorkspaceRoot.open(self.folder) as root:
            for path in paths:
                try:
                    found[path] = root.read(path)
                except MemdeckError:
                    continue
        return found


def replay_copy(snapshot: Snapshot, folder: Path, record: Path) -> ReplayCopy:
    """Gives the copy of a replay, made where it is not there yet; `Refused` where the folder is another's."""
    known = known_record(record, _Made)
    if os.path.lexists(folder):
        if known is None or (known.folder, known.inode) != (str(folder), folder.lstat().st_ino):
            raise Refused("there is something already", where=str(folder), hint="choose another --name")
        return ReplayCopy(folder=folder, snapshot=snapshot, record=record, made=known)
    folder.mkdir(parents=True)
    made = _Made(str(folder), folder.lstat().st_ino)
    write_private(record, msgspec.json.encode(made))
    return ReplayCopy(folder=folder, snapshot=snapshot, record=record, made=made)


_JOURNALS = "knowledge/journal/"

Keep = Callable[[str, Mapping[str, bytes]], None]  # keeps the files of one step under its words


def replay_on_branch(opened: OpenWorkspace, planning: Planning, name: str, replayed: PlanOutcome) -> PlanOutcome:
    """The plan that merges the replay and the rollup of each of its weeks; `Refused` where no branch can be begun."""
    if opened.what_if is not None:
        raise Refused("a supposed instant makes no branch", where="--now", hint="leave --branch or --now away")
    place = _place(opened, planning, name)

    def keep(subject: str, files: Mapping[str, bytes]) -> None:
        place.keep(subject, files, planning.made_at or planning.now)

    steps = _Steps(planning, replayed, keep)
    for week in steps.weeks():
        known = opened.records.condensed_entries() | steps.condensed
        options = CondenseOptions(
            turns=(), week=week, finder=EntryFinder(RuleModel()), parts=(CondensePart.WEEKLY,), known=known
        )
        steps.roll_up(week, options)
    remarks = place.settle(steps.after, opened.root.read_or_none)
    record = ReplayRecord(
        folder=str(place.folder),
        branch=place.branch,
        commit=place.commit(),
        remarks=remarks,
        same=place.contents(steps.after) == steps.after,
    )
    return joined_plan(planning, replayed, steps.rolled, steps.after, record)


class _Steps:
    """The steps of one replay. `after` has the bytes of each file that they changed so far."""

    def __init__(self, planning: Planning, replayed: PlanOutcome, keep: Keep) -> None:
        self._planning, self._keep = planning, keep
        self._seen = planning
        self.after: dict[str, bytes] = {}
        self.rolled: list[ReplayedWeek] = []
        self._take(replayed, f"extract: replay by {replayed.facts.get('extractor', '')}")

    @property
    def condensed(self) -> frozenset[str]:
        """Ids of the entries that the weeks so far have put into MEMORY.md."""
        return frozenset(ident for week in self.rolled for ident in week.outcome.facts["ids"]["all"])

    def weeks(self) -> Iterator[date]:
        """Yields the first day of each week that is over and has a journal, the oldest first; tells of progress."""
        this = self._planning.today - timedelta(days=self._planning.today.weekday())
        paths = (path for path in self._seen.snapshot.files if path.startswith(_JOURNALS))
        days = (parse_day(path.removeprefix(_JOURNALS).removesuffix(".md")) for path in paths)
        found = sorted({day - timedelta(days=day.weekday()) for day in days if day is not None})
        over = [week for week in found if week < this]
        for done, week in enumerate(over):
            self._planning.report("weeks", done, len(over))
            yield week
        self._planning.report("weeks", len(over), len(over))

    def roll_up(self, week: date, options: CondenseOptions) -> None:
        """Adds what a week decided and learnt to MEMORY.md, over what the steps before left."""
        quiet = msgspec.structs.replace(self._seen, tick=None)
        name = f"{week:%G-W%V}"
        outcome = CondensationPlanner(quiet, options).outcome()
        self.rolled.append(ReplayedWeek(name, outcome))
        self._take(outcome, f"memory: week {name} rolled up")

    def _take(self, outcome: PlanOutcome, subject: str) -> None:
        if outcome.plan is None:
            return
        changed = contents_after(outcome.plan, self._seen.snapshot.reader)
        files = {path: data for path, data in changed.items() if data is not None}
        self._keep(subject, files)
        self.after |= files
        snapshot = snapshot_after(self._planning.snapshot, self.after, self._planning.counter, self._planning.now)
        self._seen = msgspec.structs.replace(self._planning, snapshot=snapshot)


def _place(opened: OpenWorkspace, planning: Planning, name: str) -> "ReplayWorktree | ReplayCopy":
    workspace = Path(opened.root.identity.path)
    folder = workspace.parent / f"{workspace.name}-extract" / name
    repository = opened.git.repository()
    if isinstance(repository, NoRepository):
        if repository.reason:
            raise Refused(repository.reason, where="git", hint="leave --branch away, or see memdeck doctor")
        return replay_copy(planning.snapshot, folder, opened.state.replay(name).with_suffix(".folder"))
    opened.git.check_commits()
    rules, scratch = opened.policy.git, opened.git.scratch
    make_private(scratch)
    opened.git.clear_cut_off(repository)
    return replay_worktree(repository, name, folder, filters=rules.filters, private=rules.private, scratch=scratch)
