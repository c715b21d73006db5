"""Makes the console's past weeks for the demonstration: its gauges day by day, and its operator's last look."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import partial

import msgspec

from engine.compactor.limits.thresholds import measure, memory_tiers
from engine.demo.operation_history import OperationRecorder, moment
from engine.demo.past_plans import LATE
from engine.errors import MemdeckError
from engine.monitoring.agent_changes import AgentChangeLog
from engine.monitoring.gauges import gauges_from
from engine.monitoring.last_look import SeenStore
from engine.monitoring.trends import TrendLog
from engine.plans.policy.values import Policy
from engine.plans.records.operations import Operations
from engine.state.database import StateDatabase
from engine.state.folder import StateFolder
from engine.text.tokens import counter
from engine.tree.levels import ROOT_PATH
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.unscanned import facts_of, snapshot_of

DAYS = 27  # days of which the gauges are known: what a forecast goes by
LOOKED = time(18, 40)  # the time at which the operator looked, on the day before
_MEASURED = (*(f"{folder}/" for folder in TIER_FOLDERS.values()), ROOT_PATH, "MEMORY.md")

Written = Mapping[str, tuple[date, bytes]]


def samples(recorder: OperationRecorder, written: Written, today: date) -> list[tuple[datetime, partial[None]]]:
    """A step for the evening of each day, which takes a sample of the gauges as they were then."""
    evenings = [moment(today, -day, time(21, 45)) for day in range(1, DAYS + 1)]
    log = TrendLog(StateDatabase(recorder.state.path))
    return [(at, partial(_sample, recorder, log, written, at)) for at in evenings]


def _sample(recorder: OperationRecorder, log: TrendLog, written: Written, at: datetime) -> None:
    day = at.date()
    fresh = {path: data for path, (when, data) in written.items() if day - timedelta(days=7) < when <= day}
    files = {path: data for path, data in {**fresh, **recorder.files}.items() if path.startswith(_MEASURED)}
    tokens = counter(Policy().tokens.counter)
    snapshot = snapshot_of(files, at, tokens, workspace=recorder.root.identity)
    root = snapshot.files.get(ROOT_PATH)
    lines = snapshot.files["MEMORY.md"].lines if "MEMORY.md" in snapshot.files else 0
    limits, measured = Policy().limits, measure(snapshot, day)
    tiers = memory_tiers(snapshot, limits.semantic, measured.working, measured.episodic)
    gauges = gauges_from(tiers, limits, root_tokens=root.tokens if root else None, memory_lines=lines)
    log.record(gauges, at)


def look(root: WorkspaceRoot, state: StateFolder, files: Mapping[str, bytes], written: Written, today: date) -> None:
    """The operator looked yesterday evening: what is dated today, and the late note, came after."""
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
    lookout = AgentChangeLog(store, lambda path: before[path], lambda path: _nothing(path))
    operations = Operations(state.operations).readable()[0]
    lookout.looked(msgspec.structs.replace(snapshot, files=seen), operations, moment(today, -1, LOOKED))
    store.close()


def _nothing(name: str) -> bytes:
    raise MemdeckError("nothing was displaced", where=name)
