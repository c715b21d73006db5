"""Opens the command line at `:`, completes words while typing, and runs the line on `enter`."""

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from engine.text.safe_text import cell_width, in_column
from tui.dialogs.early_keys import EarlyKeys
from tui.present.spans import ListRow, ListRows, Span
from tui.present.words import safe
from tui.shell.commands import Commander
from tui.shell.host import ShellHost
from tui.widgets.line_block import LineBlock
from tui.widgets.line_list import LineList
from tui.widgets.painted import Frame

_MOST = 10  # rows of suggestions; the list scrolls beyond them


class CommandLine(EarlyKeys[str | None], scope="command-line"):
    """Returns the line to run, or None on `esc`."""

    AUTO_FOCUS = "Input"
    DEFAULT_CLASSES = "clear"

    def __init__(self, commander: Commander) -> None:
        super().__init__()
        self._commander = commander
        self._found: tuple[tuple[str, str], ...] = ()
        self._past: int | None = None

    def compose(self) -> ComposeResult:
        with Frame(id="box"):
            yield LineList(ident="completions", empty="no command reads like this")
            with Horizontal(id="line"):
                yield LineBlock((Span(":", "key"),), ident="sign")
                yield Input(compact=True, placeholder="status, plan compact, theme paper, tour …")

    def on_mount(self) -> None:
        lines = self.query_one(LineList)
        lines.can_focus, lines.lit = False, True
        self.query_one(Input).select_on_focus = False
        self._show("")

    def _name_it(self) -> None:
        """Shows the typed command with its arguments as the title; the keys too if they fit."""
        keys = (("tab", " completes   "), ("enter", " does it   "), ("esc", " closes "))
        foot = tuple(span for key, does in keys for span in (Span(key, "key"), Span(does, "muted")))
        command = self._commander.typed(self.query_one(Input).value)
        name, about = (command.name, f"{command.about}   ") if command is not None else ("Command", "")
        named = (Span(f" {name}   ", "title"), Span(about, "text"))
        fits = sum(len(span.text) for span in (*named, *foot)) <= self.app.size.width - 4
        self.query_one(Frame).name_it((*named, *foot) if fits else named)

    def _show(self, text: str) -> None:
        self._found = self._commander.completions(text)
        lines = self.query_one(LineList)
        width = max((cell_width(safe(line)) for line, _ in self._found), default=0)
        rows = [
            ListRow((Span(f"{in_column(safe(line), width)}  ", "text"), Span(safe(about), "muted")))
            for line, about in self._found
        ]
        unknown = bool(text.strip()) and " " not in text.strip()
        lines.styles.height = max(1, min(_MOST, len(rows), self.app.size.height - 6)) if rows or unknown else 0
        lines.show(ListRows(rows), 0)
        self._name_it()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ends with the typed line; a shortened word becomes the only one that it can mean."""
        typed = event.value.strip()
        clear = self._past is None and (len(self._found) == 1 or (self._found and " " not in typed))
        self.dismiss((self._under() if typed and clear else typed) or None)

    def _under(self) -> str:
        completion = self.query_one(LineList).under(self._found)
        return completion[0] if completion is not None else ""

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        self._put(self._found[event.index][0] + " ")

    def _put(self, text: str) -> None:
        field = self.query_one(Input)
        field.value = text
        field.cursor_position = len(text)
        field.focus()

    def action_complete(self) -> None:
        if self._found:
            self._put(self._under() + " ")

    def action_choose(self, by: int) -> None:
        """Moves through the completions, or upwards from an empty line through earlier lines."""
        field, past = self.query_one(Input), self._commander.past
        if past and (self._past is not None or (by < 0 and not field.value)):
            self._past = max(0, min((len(past) if self._past is None else self._past) + by, len(past) - 1))
            self._put(past[self._past])
        else:
            self.query_one(LineList).action_move(by)

    def on_key(self, event: events.Key) -> None:
        if event.key == "backspace" and not self.query_one(Input).value:
            event.stop()
            self.dismiss(None)


def open_command_line(app: ShellHost, commander: Commander) -> None:
    app.ask(CommandLine(commander), commander.run)
