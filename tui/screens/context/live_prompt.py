"""Compiles the latest question, one prompt at a time; shows flushes, probes and comparisons."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from engine.context.compile.prompt import CompiledPrompt, PromptComparison
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError
from tui.bridge.engine_threads import Bridge
from tui.dialogs.line_input import AskLine
from tui.dialogs.text_reader import TextReader
from tui.present.spans import Line, Span
from tui.screen_host import ScreenHost

if TYPE_CHECKING:
    from engine.services.engine import Engine


class PromptQuestion(NamedTuple):
    """A message, a kind of session, a budget in tokens (0: the policy's), and whether turns are included."""

    message: str
    session: SessionKind
    budget: int
    history: bool = True


class LivePrompt:
    """Compiles in a thread; its methods and callbacks run in the screen's thread."""

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
        """Compiles the prompt, after the compilation under way if there is one."""
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
    """Compiles a prompt without listing the workspace, which the console watches."""
    history = None if asked.history else "none"
    budget = asked.budget or None
    return engine.context.compile(asked.message, asked.session, budget=budget, history=history, look=False)


def show_flushes(app: ScreenHost) -> None:
    """Shows the compactions, what saved each, and the backups."""

    def read(engine: "Engine") -> tuple[Line, ...]:
        from tui.present.context.flushes import history_lines

        return history_lines(engine.flushes.compactions(), engine.flushes.backups.all())

    def show(lines: tuple[Line, ...]) -> None:
        app.push_screen(TextReader("Flushes", lines, hang=6))

    app.bridge.read(read, show)


def show_probes(app: ScreenHost) -> None:
    """Shows what changed in probes, facts and claims, all probes, and the effect of waiting plans on them."""

    def read(engine: "Engine") -> tuple[Line, ...]:
        from tui.present.context.probes import probe_lines
        from tui.present.verified_claims import week

        answers = engine.probes.ask()
        probes = probe_lines(answers, engine.probes.read().problems, engine.probes.noted())
        return (*week(engine, answers)[1], (), *probes)

    def show(lines: tuple[Line, ...]) -> None:
        app.over("probes")
        app.push_screen(TextReader("Probes, facts and claims", lines, hang=6))

    app.say("asking the probes…", about="probes")
    app.bridge.read(read, show)


def compare(app: ScreenHost, asked: PromptQuestion) -> None:
    """Asks what to compare a prompt with: a plan, a date, a budget, or two of a kind."""

    def show(answer: PromptComparison) -> None:
        from tui.present.context.prompt import comparison_lines

        app.over("comparison")
        app.push_screen(TextReader("Two prompts", comparison_lines(answer), hang=5))

    def named(other: str) -> None:
        app.say("compiling both prompts…", about="comparison")
        message, session, budget = asked.message, asked.session, asked.budget or None
        app.bridge.read(lambda engine: engine.comparisons.compare(message, session, other, budget=budget), show)

    body = ((Span("a plan (p-20260315-0001), a date (2026-03-01), a budget (4096), or A..B", "muted"),),)
    title = "Compare the prompt with which other?"
    app.ask(AskLine(title, "p-20260315-0001", "compare", body=body, empty="name a plan, a date or a budget"), named)
