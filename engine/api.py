"""The programming interface: all that a program which runs an agent may import (autopoiesis §9.1, §9.2). Its examples
in `docs/api.md` are tested. Whatever would change a note gives a plan back, and nothing here approves one."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from engine.extraction.held import HeldAnswer, HeldEntry
from engine.lifecycle.capture.events import SessionEnd, SessionStart
from engine.lifecycle.capture.recorder import Captured
from engine.monitoring.agent_commits import AgentCommits
from engine.plans.plan import Plan
from engine.plans.planning import PlanOutcome
from engine.search.values import Category, IndexReport
from engine.services.engine import Engine, utc_now
from engine.services.repository import TagsMade
from engine.services.runtime.condenser import ContextCompiler, MemoryCondenser, MemoryGit, MemoryPruner
from engine.services.runtime.conversation import ConversationCapture, KnowledgeExtractor
from engine.services.runtime.memory_commands import MemoryCommands
from engine.services.runtime.tools import AgentTools, SearchIndex, SearchResult
from engine.services.runtime.watchers import (
    GatedActivator,
    PatternMatcher,
    SimilarityScorer,
    TopicActivation,
    WatcherPipeline,
)
from engine.topics.messages import Direction, Message
from engine.topics.topic import Topic

if TYPE_CHECKING:
    from engine.services.runtime.memory_tool import AsyncProposingMemoryTool, ProposingMemoryTool

__all__ = [
    "AgentCommits",
    "AgentTools",
    "Captured",
    "Category",
    "ContextCompiler",
    "ConversationCapture",
    "Direction",
    "GatedActivator",
    "HeldAnswer",
    "HeldEntry",
    "IndexReport",
    "KnowledgeExtractor",
    "MemdeckError",
    "Memory",
    "MemoryCondenser",
    "MemoryGit",
    "MemoryPruner",
    "Message",
    "PatternMatcher",
    "Plan",
    "PlanOutcome",
    "SearchIndex",
    "SearchResult",
    "SessionEnd",
    "SessionKind",
    "SessionStart",
    "SimilarityScorer",
    "TagsMade",
    "Topic",
    "TopicActivation",
    "WatcherPipeline",
]


class Memory:
    """One agent's memory, open for a program that runs it. `agent` is the name under which its proposals wait."""

    def __init__(
        self,
        folder: Path | str,
        agent: str,
        *,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """`env` stands for the process's environment, `clock` for real time."""
        self._engine = engine = Engine.open(Path(folder), env=env, clock=clock)
        self._agent = agent
        self.tools = AgentTools(engine, agent)
        self.capture = ConversationCapture(engine)
        self.patterns = PatternMatcher(engine)
        self.similarity = SimilarityScorer(engine)
        self.gate = GatedActivator(engine)
        self.index = SearchIndex(engine)
        self.extractor = KnowledgeExtractor(engine)
        self.condenser = MemoryCondenser(engine)
        self.pruner = MemoryPruner(engine)
        self.git = MemoryGit(engine)

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The topics that can be read now, by their ids."""
        return self._engine.topics.current().topics

    def watchers(self, session: str) -> WatcherPipeline:
        """The watchers of one session: what is active in it, and for how long, is its own."""
        return WatcherPipeline(self._engine, session)

    def compiler(self, budget: int | None = None, session: SessionKind = SessionKind.MAIN) -> ContextCompiler:
        """A compiler of prompts for a budget in tokens; None: that of the policy."""
        return ContextCompiler(self._engine, budget, session)

    def memory_tool(self, session: SessionKind = SessionKind.MAIN) -> "ProposingMemoryTool":
        """A backend of Anthropic's memory tool for the SDK's runner: it reads, and what it writes is proposed."""
        from engine.services.runtime.memory_tool import ProposingMemoryTool

        return ProposingMemoryTool(MemoryCommands(self._engine, self._agent, session))

    def async_memory_tool(self, session: SessionKind = SessionKind.MAIN) -> "AsyncProposingMemoryTool":
        """The same for the SDK's asynchronous runner."""
        from engine.services.runtime.memory_tool import AsyncProposingMemoryTool

        return AsyncProposingMemoryTool(MemoryCommands(self._engine, self._agent, session))

    def held(self, on: date, subject: str = "") -> HeldAnswer:
        """Finds the entries that held at the end of a day: none later had superseded them; each has its turn."""
        return self._engine.recall.held(on, subject)

    def close(self) -> None:
        """Stores what was read for the next start, and closes the folder."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
