"""Conversations of programs that run an agent: capture event by event, and extraction (autopoiesis §9.2)."""

import asyncio
from collections.abc import Mapping
from itertools import count
from typing import Any

from engine.errors import UsageError
from engine.lifecycle.capture.events import CaptureEvent, SessionEnd, SessionStart, SpokenTurn, ToolEvent, encoded
from engine.lifecycle.capture.recorder import Captured
from engine.lifecycle.requests import ExtractRequest, ReplayRequest
from engine.plans.planning import PlanOutcome
from engine.services.capture import CaptureProblem
from engine.services.engine import Engine
from engine.services.runtime.condenser import planned
from engine.text.transcript_marks import Speaker


class ConversationCapture:
    """Writes transcripts as `memdeck capture`; each event is on disk when its call returns. `time`: by default now."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._numbers = engine, count(1)

    async def on_session_start(self, session: SessionStart) -> Captured:
        """Begins or continues a session's transcript."""
        return await self._recorded(session)

    async def on_message(
        self, session: SessionStart, role: str, content: str, meta: Mapping[str, Any] | None = None
    ) -> Captured:
        """Adds a turn of `user`, `agent` or `system`. `meta` has `time`, `id`, `type`; reasoning is omitted."""
        when = self._when(session, meta or {})
        kind = str((meta or {}).get("type", ""))
        return await self._recorded(session, SpokenTurn(role=_speaker(role), content=content, type=kind, **when))

    async def on_tool_call(
        self,
        session: SessionStart,
        tool: str,
        args_summary: str,
        result_summary: str,
        meta: Mapping[str, Any] | None = None,
    ) -> Captured:
        """Adds a tool's call as one line."""
        when = self._when(session, meta or {})
        return await self._recorded(session, ToolEvent(name=tool, args=args_summary, result=result_summary, **when))

    async def on_session_end(self, session: SessionStart, end: SessionEnd | None = None) -> Captured:
        """Closes the transcript, at `end` or now."""
        return await self._recorded(session, end or SessionEnd(ended=self._engine.real_now().isoformat()))

    def _when(self, session: SessionStart, meta: Mapping[str, Any]) -> dict[str, str]:
        now = self._engine.real_now().isoformat()
        ident = f"{session.session_id}:{now}:{next(self._numbers)}"[-200:]
        return {"time": str(meta.get("time", now)), "id": str(meta.get("id", ident))}

    async def _recorded(self, *events: CaptureEvent) -> Captured:
        return await asyncio.to_thread(self._record, [encoded(event) for event in events])

    def _record(self, lines: list[bytes]) -> Captured:
        told = list(self._engine.capture.record(lines))
        problem = next((one for one in told if isinstance(one, CaptureProblem)), None)
        if problem is not None:
            raise UsageError(problem.what, where="capture")
        return next(captured for captured in reversed(told) if not isinstance(captured, CaptureProblem))


class KnowledgeExtractor:
    """Extracts lasting entries from closed transcripts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def extract_from_session(self, transcript_path: str) -> PlanOutcome:
        """Queues a plan with a closed transcript's entries, or says why there is none."""
        return await planned(self._engine, "extract", ExtractRequest(transcripts=(transcript_path,)))

    async def replay_all(self, name: str = "replay") -> PlanOutcome:
        """Reads all closed transcripts again for a queued plan (§8.7); continues one of the same name."""
        return await planned(self._engine, "replay", ReplayRequest(name))


def _speaker(role: str) -> Speaker:
    try:
        return Speaker(role)
    except ValueError:
        raise UsageError("a role is user, agent or system", where=role[:40]) from None
