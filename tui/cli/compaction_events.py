"""Handles the hook events of a compaction and of a loaded file (decisions B24, D41)."""

import time
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import MemdeckError
from engine.services.engine import Engine

LOOK_SECONDS = 0.5  # seconds between two looks at a plan that a held compaction waits for


class HookEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of an event that are read; others are ignored."""

    hook_event_name: str = ""
    transcript_path: str = ""
    trigger: str = ""
    session_id: str = ""
    file_path: str = ""
    load_reason: str = ""


def take_event(console: Engine, told: dict[str, Any]) -> dict[str, Any]:
    """Does what an event calls for, and returns what was done."""
    event = msgspec.convert(told, HookEvent)
    match event.hook_event_name:
        case "PreCompact":
            policy = {value.key: value.value for value in console.status.policy_values()}
            hold, seconds = str(policy["context.hold_compaction"]), int(policy["context.hold_seconds"])
            return _before(console, event, hold, seconds)
        case "PostCompact":
            return _after(console, event)
        case "InstructionsLoaded":
            session = event.session_id or event.transcript_path
            report = console.context.report_load("claude-code", session, event.file_path, event.load_reason)
            return {"event": event.hook_event_name, "path": report.path, "lines": report.lines}
        case _:
            return {"event": event.hook_event_name, "done": "nothing"}


def _before(console: Engine, event: HookEvent, hold: str, seconds: int) -> dict[str, Any]:
    outcome = console.flushes.before_compaction(_followed(console, event))
    holds = hold == "always" or (hold == "manual" and event.trigger == "manual")
    # The tool waits for this hook: a decision that never comes must not hold it for good.
    until = time.monotonic() + seconds
    while holds and not console.flushes.decided(outcome) and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    plan = outcome.plan.id if outcome.plan is not None else None
    return {"event": event.hook_event_name, "plan": plan, "reason": outcome.reason_no_action, "held": holds}


def _after(console: Engine, event: HookEvent) -> dict[str, Any]:
    """Records what the compaction removed, and backs it up if nothing else saved it."""
    source = _followed(console, event)
    console.context.report_compaction("claude-code", event.session_id)
    seen = [cut for cut in console.flushes.compactions() if cut.source == source]
    if seen and seen[0].saved == "not saved":
        console.flushes.before_compaction(source)
        seen = [cut for cut in console.flushes.compactions() if cut.source == source]
    return {"event": event.hook_event_name, "saved": seen[0].saved if seen else None}


def _followed(console: Engine, event: HookEvent) -> str:
    source = event.transcript_path
    # The path comes from another program: a file of any other kind is not followed.
    if not source.startswith("/") or not source.endswith(".jsonl"):
        raise MemdeckError("the event names no session file", where=source)
    if all(file.source != source for file in console.sessions.files()):
        console.sessions.follow(Path(source))
    return source
