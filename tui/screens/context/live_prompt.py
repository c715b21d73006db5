"""One compilation at a time: what is asked meanwhile waits, and only the newest of it is compiled."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from engine.context.compile.prompt import CompiledPrompt
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from tui.bridge.workers import Bridge

if TYPE_CHECKING:
    from engine.services.engine import Engine


class PromptQuestion(NamedTuple):
    """A message, the budget (0: that of the policy), the kind of session, and whether turns of one come in."""

    message: str
    session: SessionKind
    budget: int
    history: bool = True


class LivePrompt:
    """Asks in a thread. To be used from the screen's own thread, where the callbacks are called too."""

    def __init__(
        self,
        bridge: Callable[[], Bridge],
        took: Callable[[PromptQuestion, CompiledPrompt], None],
        could_not: Callable[[PromptQuestion, MemdeckError], None],
    ) -> None:
        self._bridge, self._took, self._could_not = bridge, took, could_not
        self._wanted: PromptQuestion | None = None
        self.busy = False  # true if a prompt is being compiled

    def ask(self, asked: PromptQuestion) -> None:
        """Compiles now, or as soon as the compilation under way has ended."""
        self._wanted = asked
        if not self.busy:
            self._put(asked)

    def _put(self, asked: PromptQuestion) -> None:
        self.busy = True
        self._bridge().find(
            lambda engine: compiled(engine, asked),
            lambda prompt: self._ended(asked, lambda: self._took(asked, prompt)),
            lambda error: self._ended(asked, lambda: self._could_not(asked, error)),
        )

    def _ended(self, asked: PromptQuestion, tell: Callable[[], None]) -> None:
        self.busy = False
        if self._wanted is not None and self._wanted != asked:
            self._put(self._wanted)
        else:
            tell()


def compiled(engine: "Engine", asked: PromptQuestion) -> CompiledPrompt:
    """One compilation; the console follows the workspace, so it is not listed again."""
    history = None if asked.history else "none"
    budget = asked.budget or None
    return engine.context.compile(asked.message, asked.session, budget=budget, history=history, look=False)
