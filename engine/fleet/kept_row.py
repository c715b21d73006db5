"""Reads the row of one workspace as `status` and `queue` do, and a sign that tells whether to read it again."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from engine.errors import MemdeckError
from engine.fleet.configuration import FleetAgent
from engine.fleet.row import FleetBand, FleetRow, FleetWindow, NextCrossing
from engine.plans.plan import OPEN_STATES
from engine.services.engine import Engine
from engine.state.folder import config_home
from engine.text.canonical_json import sha256_hex
from engine.text.secrets.detector import redact
from engine.workspace.dates import zone_of
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.walk import Walk

if TYPE_CHECKING:
    from engine.monitoring.trends import Trend
    from engine.plans.memory_status import Status

MOST_PLANS = 500  # waiting plans of one agent that a row holds, the oldest; all of them are counted
MOST_DIFFS = 100  # notes whose new lines are counted
_NAMED = 3  # targets of each plan, and operations, in a row
_STATE = ("state.db", "state.db-wal", "seen.db", "queue/index", "operations", "audit.jsonl", "ledger.jsonl", "lasting")
_CUT_OFF = frozenset({"recover", "records", "state", "flush"})


class KeptRow(msgspec.Struct, frozen=True):
    """A row and what it was made from: it is valid until `until` while `sign` is the same."""

    row: FleetRow
    sign: str
    until: datetime
    state: tuple[str, ...]
    followed: tuple[str, ...]
    """The files of the operator's state and the folders of sessions whose changes the sign includes."""


def looked_at(
    agent: FleetAgent, kept: KeptRow | None, env: Mapping[str, str], clock: Callable[[], datetime], *, read_only: bool
) -> KeptRow:
    """Gives the kept row where nothing changed, otherwise reads it again. Raises what opening a workspace raises."""
    now = clock()
    if kept is None or now >= kept.until or kept.sign != _sign(agent, kept):
        return _read(agent, env, clock, read_only=read_only)
    return replace(kept, row=replace(kept.row, read_at=now))


def _read(agent: FleetAgent, env: Mapping[str, str], clock: Callable[[], datetime], *, read_only: bool) -> KeptRow:
    # The notes as they were before the look, the state as the look itself leaves it.
    notes = _notes_sign(Path(agent.path))
    with closing(Engine.open(Path(agent.path), env=env, clock=clock, read_only=read_only)) as engine:
        row, until = _row(engine, agent)
        state = (*(str(engine.state_folder / name) for name in _STATE), str(config_home(env) / "policy.yaml"))
        followed = tuple(str(path) for path in engine.sessions.followed().there)
    return KeptRow(row, notes + _beside_sign(state, followed), until, state, followed)


def _sign(agent: FleetAgent, kept: KeptRow) -> str:
    return _notes_sign(Path(agent.path)) + _beside_sign(kept.state, kept.followed)


def _notes_sign(workspace: Path) -> str:
    """Gives a text that changes when a note is written, added or removed, or when git did something."""
    with WorkspaceRoot.open(workspace) as root:
        listing = Walk()
        listing.walk(root)
    git = [_facts(str(workspace / ".git" / name)) for name in ("", "HEAD", "index")]
    return sha256_hex(repr((listing.files, listing.skipped, git)).encode("utf-8", "backslashreplace"))


def _beside_sign(state: tuple[str, ...], followed: tuple[str, ...]) -> str:
    """Gives a text that changes with the operator's state and with the followed sessions."""
    facts: list[object] = [_facts(path) for path in (*state, *followed)]
    for path in followed:
        with suppress(OSError), os.scandir(path) as entries:
            facts += sorted((entry.name, *_facts(entry.path)) for entry in entries)
    return sha256_hex(repr(facts).encode("utf-8", "backslashreplace"))


def _facts(path: str) -> tuple[int, int]:
    try:
        facts = os.stat(path)  # noqa: PTH116 — thousands of them
    except OSError:
        return (0, 0)
    return facts.st_mtime_ns, facts.st_size


def _row(engine: Engine, agent: FleetAgent) -> tuple[FleetRow, datetime]:
    status, now = engine.status.read(), engine.real_now()
    waiting = [entry for entry in engine.queue.entries() if entry.state in OPEN_STATES and entry.snoozed_until is None]
    operations = engine.history.operations(_NAMED)
    runs = [report.made_at for report in engine.review.reports()[:1]]
    row = FleetRow(
        agent=agent.name,
        workspace=agent.path,
        group=agent.group,
        muted=agent.muted,
        read_at=now,
        band=_band(status),
        headline=redact(status.headline),
        fired=tuple(trigger.id for trigger in status.triggers if trigger.fired),
        waits=dict(Counter(entry.risk_tier for entry in waiting)),
        oldest=min((entry.made_at for entry in waiting), default=None),
        unread=_unread(engine),
        alarms=len(status.alarms),
        falling=_falling(engine) if any(alarm.id == "falling" for alarm in status.alarms) else 0,
        window=msgspec.convert(status.window, FleetWindow),
        crossing=_crossing(engine.status.trends(status)),
        cost_today=_cost(engine, now),
        heartbeat=max((*runs, *(one.finished_at or one.started_at for one in operations)), default=None),
        late=any(alarm.id in ("late", "stopped") for alarm in status.alarms),
        approved=next((operation.finished_at for operation in operations if operation.approval is not None), None),
        plans=tuple(replace(entry, inputs=(), targets=entry.targets[:_NAMED]) for entry in waiting[:MOST_PLANS]),
    )
    return row, min(_changes_at(engine, status, now))


def _band(status: "Status") -> FleetBand:
    """Gives the worst band of all figures, in the order of the headline."""
    fired = {trigger.id for trigger in status.triggers if trigger.fired}
    shards = {shard.band for shard in status.memory_tiers.semantic.shards}
    if any(alarm.id in ("loss", "falling") for alarm in status.alarms) or "semantic_hard" in fired:
        return FleetBand.BLOCKED
    if any(item.id in _CUT_OFF for item in status.degraded):
        return FleetBand.BLOCKED
    if fired or status.alarms or "risk" in shards:
        return FleetBand.RISK
    return FleetBand.WARNING if status.degraded or status.skipped or "warning" in shards else FleetBand.OK


def _unread(engine: Engine) -> int:
    with suppress(MemdeckError):  # what was last seen is not known: nothing is counted
        changes = engine.review.since_looked().changes[:MOST_DIFFS]
        return sum(diff.added for diff in engine.changes.agent_diffs(changes))
    return 0


def _falling(engine: Engine) -> int:
    from engine.context.platforms.platform import SessionKind

    used = (load for load in engine.context.loads(SessionKind.MAIN) if load.used)
    return max((sum(len(file.fallen) for file in load.files) for load in used), default=0)


def _crossing(trends: "tuple[Trend, ...]") -> NextCrossing | None:
    ahead = [(trend.id, trend.forecast.crossings[0]) for trend in trends if trend.forecast and trend.forecast.crossings]
    if not ahead:
        return None
    gauge, first = min(ahead, key=lambda one: one[1].at)
    return NextCrossing(gauge=gauge, limit=first.limit, value=first.value, days=first.days)


def _cost(engine: Engine, now: datetime) -> float:
    from engine.models.cost_report import CostKey

    today = now.astimezone(zone_of(engine.zone)).date().isoformat()
    return sum(cost.usd for cost in engine.costs.sums(CostKey.DAY)[:-1] if cost.name == today)


def _changes_at(engine: Engine, status: "Status", now: datetime) -> Iterator[datetime]:
    """Yields the instants at which time alone changes the row: a new day, a job, a cooldown's end, a snooze's end."""
    zone = zone_of(engine.zone)
    tomorrow = now.astimezone(zone).date() + timedelta(days=1)
    yield datetime.combine(tomorrow, time(), zone).astimezone(UTC)
    yield from (job.next_at for job in status.due if job.next_at > now)
    if status.cooldown.until is not None and status.cooldown.until > now:
        yield status.cooldown.until
    yield from (entry.snoozed_until for entry in engine.queue.entries() if entry.snoozed_until is not None)
