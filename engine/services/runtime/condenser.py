"""Condensing, pruning, prompts, git for a program that runs an agent: plans, no writing (§8.4, §8.5, §9.2)."""

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
    """Plans what goes into journals and MEMORY.md. The operator approves it, or it stays out."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def daily_summary(self) -> PlanOutcome:
        """Queues the journals of days whose closed transcripts they do not tell of, or says that there are none."""
        return await planned(self._engine, "condense", CondenseRequest(only=(CondensePart.DAILY,)))

    async def weekly_rollup(self) -> PlanOutcome:
        """Queues the decisions and lessons of the last whole week for MEMORY.md, or says that it has them."""
        return await planned(self._engine, "condense", CondenseRequest(only=(CondensePart.WEEKLY,)))

    async def monthly_distillation(self) -> tuple[PlanOutcome, ...]:
        """Queues the monthly review: old journals, projects and people nobody touched, MEMORY.md below its cap."""
        journals = await _pruned(self._engine, PrunePart.JOURNALS)
        return journals, await planned(self._engine, "distill"), await _pruned(self._engine, PrunePart.MEMORY)


class MemoryPruner:
    """Plans what goes to the archive. The operator approves it, or it stays where it is."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def prune_memory(self) -> PlanOutcome:
        """Queues the entries of MEMORY.md that make room below its cap, or says why none has to go."""
        return await _pruned(self._engine, PrunePart.MEMORY)

    async def prune_journals(self) -> PlanOutcome:
        """Queues the journals older than the retention, 90 days, or says that there are none."""
        return await _pruned(self._engine, PrunePart.JOURNALS)

    async def score_and_evict(self) -> PlanOutcome:
        """Queues the knowledge files that nothing refers to and whose score is too low, or says that there are none."""
        return await _pruned(self._engine, PrunePart.FILES)


async def _pruned(engine: Engine, part: PrunePart) -> PlanOutcome:
    return await planned(engine, "prune", PruneRequest((part,)))


async def planned(engine: Engine, system: str, asked: SystemRequest | None = None) -> PlanOutcome:
    """Queues a plan of a system, as nobody waits for it, or says why there is none."""
    return await asyncio.to_thread(engine.plans.make, system, PlanRequest(asked, unattended=True))


class ContextCompiler:
    """Compiles prompts within the budget of the policy, or another one in tokens."""

    def __init__(self, engine: Engine, budget: int | None = None, session: SessionKind = SessionKind.MAIN) -> None:
        self._engine, self._budget, self._session = engine, budget, session

    def compile(
        self,
        message: str,
        active_topics: Sequence[Topic] | None = None,
        session_history: Sequence[Message] = (),
        available_knowledge: Collection[str] | None = None,
    ) -> str:
        """Gives the prompt for a message; `Blocked` where the budget is too small. Without `active_topics` the message
        decides which are; `available_knowledge` are the paths of the notes that a search may bring in, None for all."""
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
    """Writes to the workspace's repository as the schedule does. No file of the workspace changes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def batch_commit(self, message: str | None = None) -> AgentCommits:
        """Commits what the agent changed, a commit for each type; `message` stands for "N files changed by the agent".
        `Refused` where the policy's `git.commit_others` is off (decision D34)."""
        if not self._engine.repository.commits_others:
            raise Refused("the policy lets nobody commit the agent's changes", where="git.commit_others")
        return await asyncio.to_thread(self._engine.repository.commit_others, message or "")

    async def tag_daily(self) -> TagsMade:
        """Tags the last commit of each day and each week that is over and has no tag yet."""
        return await asyncio.to_thread(self._engine.repository.tag_days)

    async def tag_milestone(self, name: str) -> str:
        """Tags what is committed now, and gives the tag's whole name; `Refused` where it names another commit."""
        return await asyncio.to_thread(self._engine.repository.tag, TagKind.MILESTONE, name)

    async def push(self) -> str:
        """Pushes the branch and the tags where the policy's `git.push` says so, and tells what was done; else empty."""
        return await asyncio.to_thread(self._engine.repository.push)
