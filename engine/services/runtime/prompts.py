"""The context compiler for a program that runs an agent (autopoiesis §6.3, §9.2)."""

from collections.abc import Collection, Sequence

from engine.context.compile.recalled import GivenSources
from engine.context.platforms.platform import SessionKind
from engine.services.context import NO_HISTORY
from engine.services.engine import Engine
from engine.topics.messages import Direction, Message, SessionTurn
from engine.topics.topic import Topic


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
        """The prompt for a message; `Blocked` where the budget is too small. Without `active_topics` the message
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
