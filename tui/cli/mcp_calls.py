"""Runs the calls of an agent's program: limited by the minute, in a thread, each refusal with its reason.

It needs the SDK, which is an extra.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError

from engine.errors import Cancelled, MemdeckError, Refused, remedy
from engine.services.agent import AgentService
from engine.workspace.values import Progress, Tick

T = TypeVar("T")
MOST_CALLS = 120
"""Calls in a minute; further ones are told to wait."""
_MINUTE = 60.0
"""Seconds for which a call counts."""
_BETWEEN_REPORTS = 0.1
"""Seconds between two reports of the progress of one call."""


class CallLimit:
    """Counts calls within a minute; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float], most: int = MOST_CALLS) -> None:
        self._clock, self._most = clock, most
        self._calls: deque[float] = deque()

    def allows(self) -> bool:
        """Counts a call; False where it is one too many."""
        now = self._clock()
        # A window that slides: no minute holds more than the limit.
        while self._calls and now - self._calls[0] >= _MINUTE:
            self._calls.popleft()
        if len(self._calls) >= self._most:
            return False
        self._calls.append(now)
        return True


class AgentCalls:
    """The calls of one agent; `clock` gives seconds."""

    def __init__(self, agent: AgentService, clock: Callable[[], float], most: int) -> None:
        self._agent, self._clock, self._most = agent, clock, most
        self._limit = CallLimit(clock, most)

    async def answered(self, context: "Context[Any]", call: Callable[[Tick], T]) -> T:
        """Runs a tool's call with progress; where the client cancels, it stops at its next step."""
        if not self._limit.allows():
            raise ToolError(self._wait)
        if not self._agent.agent:
            params = context.session.client_params
            self._agent.agent = params.client_info.name if params is not None else "an agent"
        stopped = threading.Event()
        try:
            # A cancel is answered at once; the thread ends at its next step.
            return await anyio.to_thread.run_sync(call, self._tick(context, stopped), abandon_on_cancel=True)
        except (MemdeckError, OSError) as error:
            raise ToolError(_told(error)) from error
        finally:
            stopped.set()

    async def read(self, call: Callable[[], str]) -> str:
        """Reads a resource."""
        if not self._limit.allows():
            raise ResourceError(self._wait)
        try:
            return await anyio.to_thread.run_sync(call)
        except Refused as error:
            raise ResourceNotFoundError(_told(error)) from error
        except (MemdeckError, OSError) as error:
            raise ResourceError(_told(error)) from error

    @property
    def _wait(self) -> str:
        return f"more than {self._most} calls in a minute: wait a little"

    def _tick(self, context: "Context[Any]", stopped: threading.Event) -> Tick:
        """Reports progress, now and then: each report waits for the wire, and a search has a hundred steps."""
        told_at = -_BETWEEN_REPORTS

        def tick(progress: Progress) -> None:
            nonlocal told_at
            if stopped.is_set():
                raise Cancelled("the client cancelled it")
            if (now := self._clock()) - told_at < _BETWEEN_REPORTS:
                return
            told_at = now
            total = None if progress.total is None else float(progress.total)
            # The session belongs to the loop's thread.
            anyio.from_thread.run(context.report_progress, float(progress.done), total, progress.stage)

        return tick


def _told(error: MemdeckError | OSError) -> str:
    """The reason of a failure, without the path of one of the system's: that may name the operator's folders."""
    if isinstance(error, MemdeckError):
        return error.line()
    return f"{error.strerror or 'it failed'} · {remedy(error, 'ask again later')}"
