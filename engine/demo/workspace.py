"""Makes the demonstration: files, repository and records of five months, always the same for one day."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path

import msgspec

from engine.compactor.limits.thresholds import measure, memory_tiers
from engine.demo.daily_files import DAYS, journals, memory_md, raw_logs, transcripts
from engine.demo.notes import fill, old_notes, parts, semantic_shards, session_lines, working_notes
from engine.demo.operation_history import OperationRecorder, moment
from engine.demo.past_plans import LATE, with_section
from engine.demo.repository import AUTHOR, DemoRepository, git_works
from engine.errors import MemdeckError
from engine.monitoring.agent_changes import AgentChangeLog
from engine.monitoring.gauges import gauges_from
from engine.monitoring.last_look import SeenStore
from engine.monitoring.trends import TrendLog
from engine.plans.policy.values import Policy
from engine.plans.records.operations import Operations
from engine.sessions.backups import SessionBackups
from engine.sessions.folder import SessionFolder
from engine.state.database import StateDatabase
from engine.state.folder import StateFolder, state_home
from engine.text.tokens import counter
from engine.tree.levels import ROOT_PATH
from engine.workspace.dates import name_date
from engine.workspace.layout import CONVERSATIONS, TIER_FOLDERS
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.unscanned import facts_of, snapshot_of

GAUGE_DAYS = 27  # days of which the gauges are known: what a forecast goes by
LOOKED = time(18, 40)  # the time at which the operator looked, on the day before
_MEASURED = (*(f"{folder}/" for folder in TIER_FOLDERS.values()), ROOT_PATH, "MEMORY.md")

Written = Mapping[str, tuple[date, bytes]]
WEEK = 7  # days
SESSION = "7c1e4b52-9d0a-4f6e-8a31-5b2f0c9d6e14"
COMPACTED, ANSWERED = timedelta(minutes=91), timedelta(minutes=3)  # before now: its compaction and its last answer
UNCOMMITTED_DAYS = 2  # the agent commits once a week: what is younger than this is on disk alone

_UPDATED = re.compile(r"^updated: (\d{4}-\d{2}-\d{2})", re.MULTILINE)
_FOLDER_DATE = re.compile(r"/(\d{4})/(\d{2})/(\d{2})/")


class DemoWorkspace(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the demonstration, for the message about it."""

    folder: str
    files: int
    operations: int
    git: bool


def make_demo(folder: Path, *, now: datetime, env: Mapping[str, str], git: bool = True) -> DemoWorkspace:
    """Fills the new, empty `folder`, and its state folder with its past. `now`: the UTC day that all dates count from.
    Turns a failure of git into our error: its broken pipe would look like a reader that left."""
    try:
        return _make(folder, now, env, git=git)
    except (subprocess.CalledProcessError, BrokenPipeError) as error:
        raise MemdeckError("git failed while it was made", where=str(folder), hint="try again") from error


def _make(folder: Path, now: datetime, env: Mapping[str, str], *, git: bool) -> DemoWorkspace:
    now = now.astimezone(UTC)
    today = now.date()
    written = _beginnings(today)
    with ExitStack() as stack:
        root = stack.enter_context(WorkspaceRoot.open(folder))
        state = StateFolder.locate(root.identity, state_home(env))
        repository = stack.enter_context(DemoRepository(folder)) if git and git_works(folder) else None
        recorder = OperationRecorder(root, state, today, {}, repository)
        said = {path: data for path, (_, data) in written.items() if path.startswith(f"{CONVERSATIONS}/")}
        _write(folder, said, written, now)  # they are read where they lie
        steps = [*_weeks(recorder, written, today), *recorder.steps(list(old_notes()))]
        steps += samples(recorder, written, today)
        for _, step in sorted(steps, key=lambda step: step[0]):
            step()
        recorder.files.update({path: data for path, (day, data) in written.items() if day > _committed_until(today)})
        recorder.files["MEMORY.md"] = with_section(memory_md(today), recorder.files["MEMORY.md"]).encode()
        _append_late(recorder.files, today)
        _write(folder, recorder.files, written, now)
        _session(root, state, now)
        look(root, state, recorder.files, written, today)
    if repository is not None:
        repository.refresh()
    operations = sum(1 for _ in state.operations.iterdir())
    return DemoWorkspace(
        folder=str(folder), files=len(recorder.files), operations=operations, git=repository is not None
    )


def _beginnings(today: date) -> dict[str, tuple[date, bytes]]:
    """Returns every file as first written, with its day."""
    first = today - timedelta(days=DAYS)
    texts = {name: fill(text, today) for name, text in parts("workspace")}
    texts |= raw_logs(today) | journals(today) | transcripts(today) | semantic_shards()
    files = {path: text.encode() for path, text in texts.items()} | working_notes(today)
    files |= {note.path(today): note.text.encode() for note in old_notes()}
    return {path: (_day_of(path, data) or first, data) for path, data in files.items()}


def _day_of(path: str, data: bytes) -> date | None:
    in_folders, updated = _FOLDER_DATE.search(path), _UPDATED.search(data.decode())
    if in_folders:
        return date(*map(int, in_folders.groups()))
    return name_date(path.rpartition("/")[2])[0] or (date.fromisoformat(updated[1]) if updated else None)


def _weeks(recorder: OperationRecorder, written: Written, today: date) -> Iterator[tuple[datetime, Callable[[], None]]]:
    """Yields the agent's weekly commits by time."""
    until = _committed_until(today)
    for end in reversed([until - timedelta(days=back) for back in range(0, DAYS + WEEK, WEEK)]):
        begin = end - timedelta(days=WEEK)
        new = {path: data for path, (day, data) in written.items() if begin < day <= end}
        if new:
            at = datetime.combine(end, time(21, 30), UTC)
            yield at, partial(_commit_week, recorder, at, new, memory_md(today, until=end))


def _commit_week(recorder: OperationRecorder, at: datetime, new: dict[str, bytes], memory: str) -> None:
    changes = {**new, "MEMORY.md": with_section(memory, recorder.files.get("MEMORY.md", b"")).encode()}
    recorder.files.update(changes)
    if recorder.repository is not None:
        recorder.repository.commit(at, AUTHOR, f"memory: week to {at:%Y-%m-%d}\n", changes)


def _append_late(files: dict[str, bytes], today: date) -> None:
    """Appends to a log whose day is fixed, so that its node becomes stale (decision C4)."""
    day, text = LATE
    path = f"memory/{(today + timedelta(days=day)).isoformat()}.md"
    if path in files:
        files[path] += text.encode()


def _committed_until(today: date) -> date:
    return today - timedelta(days=UNCOMMITTED_DAYS + 1)


def _write(folder: Path, files: Mapping[str, bytes], written: Written, now: datetime) -> None:
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        day = written[path][0] if path in written else now.date()
        at = min(moment(day, 0, time(12)), now).timestamp()
        os.utime(place, (at, at))


def _session(root: WorkspaceRoot, state: StateFolder, now: datetime) -> None:
    """Writes this morning's unfinished session, and its backup before a compaction."""
    path = f"{CONVERSATIONS}/{now:%Y/%m/%d}/{SESSION}.jsonl"
    place = Path(root.identity.path, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(session_lines("session-begun", now), encoding="utf-8")
    backups = SessionBackups(state.path, StateDatabase(state.path))
    backups.make(SessionFolder(root, CONVERSATIONS), path, now - COMPACTED)
    with place.open("a", encoding="utf-8") as file:
        file.write(session_lines("session-gone-on", now))
    os.utime(place, 2 * ((now - ANSWERED).timestamp(),))


def samples(recorder: OperationRecorder, written: Written, today: date) -> list[tuple[datetime, partial[None]]]:
    """Returns one step for each evening, which samples the gauges as of then."""
    evenings = [moment(today, -day, time(21, 45)) for day in range(1, GAUGE_DAYS + 1)]
    log = TrendLog(StateDatabase(recorder.state.path))
    return [(at, partial(_sample, recorder, log, written, at)) for at in evenings]


def _sample(recorder: OperationRecorder, log: TrendLog, written: Written, at: datetime) -> None:
    day = at.date()
    fresh = {path: data for path, (when, data) in written.items() if day - timedelta(days=7) < when <= day}
    files = {path: data for path, data in {**fresh, **recorder.files}.items() if path.startswith(_MEASURED)}
    snapshot = snapshot_of(files, at, counter(Policy().tokens.counter), workspace=recorder.root.identity)
    root = snapshot.files.get(ROOT_PATH)
    lines = snapshot.files["MEMORY.md"].lines if "MEMORY.md" in snapshot.files else 0
    limits, measured = Policy().limits, measure(snapshot, day)
    tiers = memory_tiers(snapshot, limits.semantic, measured.working, measured.episodic)
    log.record(gauges_from(tiers, limits, root_tokens=root.tokens if root else None, memory_lines=lines), at)


def look(root: WorkspaceRoot, state: StateFolder, files: Mapping[str, bytes], written: Written, today: date) -> None:
    """Records that the operator looked yesterday evening, before today's files and the late note."""
    before = {path: data for path, data in files.items() if written.get(path, (date.min, b""))[0] < today}
    late = f"memory/{(today + timedelta(days=LATE[0])).isoformat()}.md"
    if late in before:
        before[late] = before[late].removesuffix(LATE[1].encode())
    cache = state.path / "first-look"
    scanner = Scanner(root, cache_file=cache, counter=counter(Policy().tokens.counter), zone="UTC")
    snapshot = scanner.scan(moment(today, -1, LOOKED))
    cache.unlink(missing_ok=True)
    tokens = counter(Policy().tokens.counter)
    seen = {path: facts_of(path, before[path], tokens) for path in snapshot.files if path in before}
    store = SeenStore(state.path / "seen.db")
    lookout = AgentChangeLog(store, lambda path: before[path], _nothing)
    operations = Operations(state.operations).readable()[0]
    lookout.looked(msgspec.structs.replace(snapshot, files=seen), operations, moment(today, -1, LOOKED))
    store.close()


def _nothing(name: str) -> bytes:
    raise MemdeckError("nothing was displaced", where=name)
