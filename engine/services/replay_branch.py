"""Makes a replay week by week on a branch of its own, and one plan that merges it (§8.7, §10.4). The workspace is
not written: each step starts from the notes that the last step left, and is kept as a commit of `extract/NAME`, or
in a copy of the folder without git. An interrupted replay continues: cached readings and committed steps are reused."""

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
    """The state's record of a copy: its folder, and the hash of each file written there."""

    folder: str
    inode: int
    written: Mapping[str, str] = {}


class ReplayCopy(msgspec.Struct, frozen=True, kw_only=True):
    """A copy of the notes that receives a replay's files. `record` is its record file in the state."""

    folder: Path
    snapshot: Snapshot
    record: Path
    made: _Made
    branch: str = ""

    def commit(self) -> str:
        """Gives an empty text, because a copy has no commits."""
        return ""

    def keep(self, _subject: str, files: Mapping[str, bytes], _at: datetime) -> None:
        """Does nothing: a copy's files are written at the end."""

    def settle(self, after: Mapping[str, bytes], _present: Callable[[str], bytes | None]) -> tuple[str, ...]:
        """Writes the notes as the replay leaves them; gives a line for each that was not written."""
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
        """Gives these files' bytes in the copy, without missing ones."""
        contents: dict[str, bytes] = {}
        with WorkspaceRoot.open(self.folder) as root:
            for path in paths:
                try:
                    contents[path] = root.read(path)
                except MemdeckError:
                    continue
        return contents


def replay_copy(snapshot: Snapshot, folder: Path, record: Path) -> ReplayCopy:
    """Gives a replay's copy, made where it is missing; `Refused` where another folder is in its place."""
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
    """Gives the plan that merges the replay and its weeks' rollups; `Refused` where no branch can be made."""
    if opened.what_if is not None:
        raise Refused("a supposed instant makes no branch", where="--now", hint="leave --branch or --now away")
    place = _place(opened, planning, name)

    def keep(subject: str, files: Mapping[str, bytes]) -> None:
        place.keep(subject, files, planning.made_at or planning.now)

    # Weeks in order: each rollup must see what the one before added to MEMORY.md.
    steps = _Steps(planning, replayed, keep)
    for week in steps.weeks():
        known = opened.records.condensed_entries() | steps.condensed
        options = CondenseOptions(
            turns=(), week=week, finder=EntryFinder(RuleModel()), parts=(CondensePart.WEEKLY,), known=known
        )
        steps.roll_up(week, options)
    record = ReplayRecord(
        folder=str(place.folder),
        branch=place.branch,
        commit=place.commit(),
        remarks=place.settle(steps.after, opened.root.read_or_none),
        same=place.contents(steps.after) == steps.after,
    )
    return joined_plan(planning, replayed, steps.rolled, steps.after, record)


class _Steps:
    """The steps of one replay. `after` has the bytes of each file changed so far."""

    def __init__(self, planning: Planning, replayed: PlanOutcome, keep: Keep) -> None:
        self._planning, self._keep = planning, keep
        self._seen = planning
        self.after: dict[str, bytes] = {}
        self.rolled: list[ReplayedWeek] = []
        self._take(replayed, f"extract: replay by {replayed.facts.get('extractor', '')}")

    @property
    def condensed(self) -> frozenset[str]:
        """The ids of the entries that the weeks so far wrote to MEMORY.md."""
        return frozenset(ident for week in self.rolled for ident in week.outcome.facts["ids"]["all"])

    def weeks(self) -> Iterator[date]:
        """Yields the first day of each past week with a journal, oldest first; reports progress."""
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
        """Adds a week's decisions and lessons to MEMORY.md, on top of the last steps."""
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
