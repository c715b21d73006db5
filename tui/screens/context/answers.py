"""Shows answers about prompts as texts over the screen: flushes, probes, and two prompts side by side."""

from typing import TYPE_CHECKING

from tui.dialogs.line_input import AskLine
from tui.dialogs.text_reader import TextReader
from tui.present.spans import Line, Span
from tui.screen_host import ScreenHost
from tui.screens.context.live_prompt import PromptQuestion

if TYPE_CHECKING:
    from engine.context.compile.prompt import PromptComparison
    from engine.services.engine import Engine


def show_flushes(app: ScreenHost) -> None:
    """Shows the compactions that were seen, what saved each, and the backups."""

    def show(lines: tuple[Line, ...]) -> None:
        app.push_screen(TextReader("Flushes", lines, hang=6))

    app.bridge.read(_flushes, show)


def show_probes(app: ScreenHost) -> None:
    """Asks the probes, and shows what waiting plans make of them."""

    def show(lines: tuple[Line, ...]) -> None:
        app.over("probes")
        app.push_screen(TextReader("Probes", lines, hang=6))

    app.say("asking the probes…", about="probes")
    app.bridge.read(_probes, show)


def compare(app: ScreenHost, asked: PromptQuestion) -> None:
    """Asks what a prompt is to be compared with: a plan, a date, a budget, or two of a kind."""

    def show(answer: "PromptComparison") -> None:
        from tui.present.context.comparison import comparison_lines

        app.over("comparison")
        app.push_screen(TextReader("Two prompts", comparison_lines(answer), hang=5))

    def named(other: str) -> None:
        app.say("compiling both prompts…", about="comparison")
        message, session, budget = asked.message, asked.session, asked.budget or None
        app.bridge.read(lambda engine: engine.comparisons.compare(message, session, other, budget=budget), show)

    body = ((Span("a plan (p-20260315-0001), a date (2026-03-01), a budget (4096), or A..B", "muted"),),)
    title = (Span("Compare the prompt with which other?", "title"),)
    ask = AskLine(title, "p-20260315-0001", "compare", body=body, empty="name a plan, a date or a budget")
    app.ask(ask, named)


def _flushes(engine: "Engine") -> tuple[Line, ...]:
    from tui.present.context.flushes import history_lines

    return history_lines(engine.flushes.compactions(), engine.flushes.backups())


def _probes(engine: "Engine") -> tuple[Line, ...]:
    from tui.present.context.probes import probe_lines

    return probe_lines(engine.probes.ask(), engine.probes.read().problems, engine.probes.noted())
