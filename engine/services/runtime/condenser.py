"""Condensing, pruning, prompts and git for programs that run an agent (§8.4, §8.5, §9.2)."""

import asyncio
from collections.abc import Collection, Sequence

from engine.context.compile.recalled import GivenSources
from engine.context.platforms.platform import SessionKind
from engine.errors import Refused
from engine.history.tags import TagKind
from engine.lifecycle.requests import CondensePart, CondenseRequest, PrunePart, PruneRequest
from engine.monitoring.agent_commits import AgentCommits
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.plans.system_request import SystemRequest
from engine.services.context import NO_HISTORY
from engine.services.engine import Engine
from engine.services.repository import TagsMade
from engine.topics.messages import Direction, Message, SessionTurn
from engine.topics.topic import Topic


class MemoryCondenser:
    """Plans journals and entries of MEMORY.md, which the operator must approve."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def daily_summary(self) -> PlanOutcome:
        """Queues journals for days with closed transcripts that no journal covers, or says why there are none."""
        return await planned(self._engine, "condense", CondenseRequest(only=(CondensePart.DAILY,)))

    async def weekly_rollup(self) -> PlanOutcome:
        """Queues the last whole week's decisions and lessons for MEMORY.md, or says why there are none."""
        return await planned(self._engine, "condense", CondenseRequest(only=(CondensePart.WEEKLY,)))

    async def monthly_distillation(self) -> tuple[PlanOutcome, ...]:
        """Queues the monthly review: old journals, untouched projects and people, MEMORY.md below its cap."""
        journals = await _pruned(self._engine, PrunePart.JOURNALS)
        return journals, await planned(self._engine, "distill"), await _pruned(self._engine, PrunePart.MEMORY)


class MemoryPruner:
    """Plans what is archived, which the operator must approve."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def prune_memory(self) -> PlanOutcome:
        """Queues entries of MEMORY.md for the archive, to get below its cap, or says why none go."""
        return await _pruned(self._engine, PrunePart.MEMORY)

    async def prune_journals(self) -> PlanOutcome:
        """Queues journals older than the retention, 90 days, for the archive, or says that there are none."""
        return await _pruned(self._engine, PrunePart.JOURNALS)

    async def score_and_evict(self) -> PlanOutcome:
        """Queues unreferenced knowledge files with a low score for the archive, or says that there are none."""
        return await _pruned(self._engine, PrunePart.FILES)


async def _pruned(engine: Engine, part: PrunePart) -> PlanOutcome:
    return await planned(engine, "prune", PruneRequest((part,)))


async def planned(engine: Engine, system: str, asked: SystemRequest | None = None) -> PlanOutcome:
    """Queues a system's plan as unattended, or says why there is none."""
    return await asyncio.to_thread(engine.plans.make, system, PlanRequest(asked, unattended=True))


class ContextCompiler:
    """Compiles prompts within the policy's budget, or another number of tokens."""

    def __init__(self, engine: Engine, budget: int | None = None, session: SessionKind = SessionKind.MAIN) -> None:
        self._engine, self._budget, self._session = engine, budget, session

    def compile(
        self,
        message: str,
        active_topics: Sequence[Topic] | None = None,
        session_history: Sequence[Message] = (),
        available_knowledge: Collection[str] | None = None,
    ) -> str:
        """Compiles the prompt for a message; `Blocked` where the budget is too small. Without `active_topics` the
        message decides; `available_knowledge` are the notes that a search may use, None for all."""
        turns = tuple(_turn(number, one) for number, one in enumerate(session_history, 1) if not one.injected)
        given = GivenSources(topics=active_topics, turns=turns, notes=available_knowledge)
        made = self._engine.context.compile(
            message, self._session, budget=self._budget, history=NO_HISTORY, given=given
        )
        self._engine.references.compiled(made)
        return made.prompt


def _turn(number: int, message: Message) -> SessionTurn:
    role = "agent" if message.direction is Direction.OUTPUT else "user"
    return SessionTurn(number=number, role=role, text=message.text, said_at=message.time, source="session_history")


class MemoryGit:
    """Writes to the workspace's repository as the schedule does; changes no workspace file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def batch_commit(self, message: str | None = None) -> AgentCommits:
        """Commits the agent's changes by type, with `message`; `Refused` where `git.commit_others` is off (D34)."""
        if not self._engine.repository.commits_others:
            raise Refused("the policy lets nobody commit the agent's changes", where="git.commit_others")
        return await asyncio.to_thread(self._engine.repository.commit_others, message or "")

    async def tag_daily(self) -> TagsMade:
        """Tags the last commit of each past day and week without a tag."""
        return await asyncio.to_thread(self._engine.repository.tag_days)

    async def tag_milestone(self, name: str) -> str:
        """Tags HEAD, and gives the tag's full name; `Refused` where the tag names another commit."""
        return await asyncio.to_thread(self._engine.repository.tag, TagKind.MILESTONE, name)

    async def push(self) -> str:
        """Pushes the branch and the tags, if the policy's `git.push` is on; says what was done, empty for nothing."""
        return await asyncio.to_thread(self._engine.repository.push)
