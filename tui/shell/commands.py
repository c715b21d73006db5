"""Runs the commands of the command line; none of them approves."""

import difflib
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from engine.text.pattern_file import pattern_file
from tui.dialogs.find_bar import findable
from tui.present.spans import Line, Span
from tui.present.words import safe
from tui.registry.commands import COMMANDS
from tui.registry.screens import PLACES
from tui.screens.page import TypedWords
from tui.shell.command_process import Finished, run
from tui.shell.completion import following
from tui.shell.host import ShellHost
from tui.widgets.searchable_pane import LinePlace

Words = Sequence[str]


class Command(NamedTuple):
    """A word of the command line; a console that only reads refuses those with `writes`."""

    name: str
    about: str
    writes: bool = False


_TABLES = pattern_file("tui.shell", "commands.toml")
OWN = (
    *(Command(place.id, f"the {place.title} screen (key {place.key})") for place in PLACES),
    *(Command(**row) for row in _TABLES["own"]),
)
"""Commands that the console runs itself."""

BY_PROCESS = tuple(Command(**row) for row in _TABLES["by_process"])
"""Commands that run as in a shell, in a process without a terminal, which cannot ask anything."""

ELSEWHERE: Mapping[str, str] = _TABLES["elsewhere"]  # commands that need a shell, and what to do instead


def known() -> tuple[Command, ...]:
    """Returns every command once; the console's own come before a process of the same name."""
    own = {command.name for command in OWN}
    there = [command for command in BY_PROCESS if command.name not in own and command.name in COMMANDS]
    return (*OWN, *there)


def put_on(app: ShellHost, theme: str) -> None:
    """Applies a theme and remembers it; says if `console.yaml` will bring another one back."""
    if not app.looks.choose(theme):
        return
    kept, named = app.remembered.keep(theme), app.configuration.settings.theme
    words = "it is remembered" if kept else "on until you quit: the state folder cannot be written"
    if named:
        words = f"on until you quit: console.yaml names {named}, which wins"
    app.say(words, title=f"Theme: {app.looks.title(theme)}")


_PAGES = {"facts": ("history", "held"), "timeline": ("context", "turn_to('windows')")}
"""Commands that open a page of the console where nothing more is typed: the screen, and its action."""


def split(text: str) -> list[str]:
    """Splits a line into words; quotes hold words together, and an unclosed quote is no error."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


class Commander:
    """Runs what is typed after `:`."""

    def __init__(self, app: ShellHost, arguments: Sequence[str] = ()) -> None:
        self._app, self._arguments = app, tuple(arguments)
        self.past: list[str] = []  # lines that were typed, oldest first

    def completions(self, text: str) -> tuple[tuple[str, str], ...]:
        """Returns the lines that `text` can become, each with what it does."""
        first, space, rest = text.lstrip().partition(" ")
        if first.isdecimal():
            return ((first, "goes to that row of the pane"),)
        if not space:
            starts = [command for command in known() if command.name.startswith(first)]
            holds = [] if starts else [c for c in known() if first in f"{c.name} {c.about}".casefold()]
            return tuple((command.name, command.about) for command in (*starts, *holds))
        done, _, last = rest.rpartition(" ")
        before = f"{first} {done} " if done else f"{first} "
        return tuple(
            (before + word, about) for word, about in following(self._app, first, done) if word.startswith(last)
        )

    def typed(self, text: str) -> Command | None:
        """Returns the command whose arguments are being typed; None while its name is typed."""
        first, space, _ = text.lstrip().partition(" ")
        there = (*(command for command in BY_PROCESS if command.name in COMMANDS), *OWN)
        return next((command for command in there if space and command.name == first), None)

    def run(self, text: str) -> None:
        """Runs a line, or says why it cannot."""
        if not (words := split(text)):
            return
        if not self.past or self.past[-1] != text:
            self.past.append(text)
        if words[0].isdecimal():
            self._app.call_later(self._to_row, int(words[0]))
            return
        name, rest = _whole(words[0]), words[1:]
        command = next((command for command in known() if command.name == name), None)
        if command is None:
            self._app.say(_unknown(words[0]), severity="warning")
        elif command.writes and self._app.read_only:
            self._app.say(f"{name}: read-only, the console was started with --read-only", severity="warning")
        else:
            self._start(name, rest)

    def _to_row(self, number: int) -> None:
        """Goes to a row of the focused pane, as `:9` does; a number without `:` opens a screen."""
        if (pane := findable(self._app.screen.focused)) is not None and 0 < number <= pane.count:
            pane.go(number - 1)
        else:
            self._app.say(f"there is no row {number} in this pane", severity="warning")

    def _start(self, name: str, rest: Words) -> None:
        app = self._app
        own: dict[str, Callable[[], object]] = {
            "quit": app.action_leave_memdeck,
            "keys": app.action_keys,
            "tour": app.action_tour,
            "connect": app.action_tools,
            "read-again": app.read_all,
            "forget": lambda: self._forget(rest),
            "correct": lambda: app.call_later(app.run_action, "line('correct')", app),
            "undo": lambda: app.flows.reversals.undo(rest[0] if rest else None),
            "redo": lambda: app.flows.reversals.redo(rest[0] if rest else None),
        }
        if name in {place.id for place in PLACES} and not (rest and name in ("tree", "search", "context")):
            app.call_later(app.action_go, name)
        elif name in {place.id for place in PLACES}:
            app.call_later(self._on_a_page, name, rest)
        elif name in own:
            own[name]()
        elif name in _PAGES and not rest:
            app.call_later(self._to_page, *_PAGES[name])
        elif name == "theme":
            put_on(app, rest[0]) if rest else app.action_themes()
        elif name == "plan" and len(rest) == 1 and rest[0] in dict(app.systems):
            app.flows.dry_runs.start(rest[0])
        elif name in ("show", "apply", "reject") and len(rest) == 1:
            app.call_later(self._open_plan, name, rest[0])
        elif name == "/compact":
            self._compact(rest)
        elif name == "store" and rest[:1] == ["push"] and len(rest) > 1 and "--show" not in rest:
            from tui.shell.store_push import push_to_store

            push_to_store(app, rest[1], rest[2:])  # the yes is given in the dialog: no word that is typed here gives it
        elif name == "cost" and not rest:
            self._open_costs()
        elif name == "apply":
            app.say("apply takes the name of one plan; the yes is given on the Approvals screen", severity="warning")
        else:
            self._beside([name, *rest])

    async def _to_page(self, place: str, action: str) -> None:
        await self._app.action_go(place)
        await self._app.run_action(action, self._app.page)

    async def _on_a_page(self, name: str, rest: Words) -> None:
        """Passes the words to the screen `name`; if it does not take them, runs the command of that name."""
        if not await self._app.stage.show(name, TypedWords(tuple(rest))):
            self._beside([name, *rest])

    async def _open_plan(self, name: str, plan: str) -> None:
        matching = [entry.id for entry in self._app.entries if entry.id == plan]
        matching = matching or [entry.id for entry in self._app.entries if entry.id.endswith(plan)]
        if len(matching) != 1:
            many = "several plans end like this" if matching else "there is no such plan in the queue"
            self._app.say(f"{plan}: {many}", severity="warning")
            return
        await self._app.open_plan(matching[0])
        if name == "reject":
            await self._app.run_action("ask_rejection", self._app.page)
        elif name == "apply":
            self._app.say("look at its diff, then press the key of Approve: nothing is approved by a command")

    def _open_costs(self) -> None:
        from tui.screens.lifecycle.costs import CostScreen

        self._app.push_screen(CostScreen())

    def _compact(self, rest: Words) -> None:
        """Runs `plan flush` for `/compact` (CLI.md); `--preview` shows its effect and queues nothing."""
        flags = set(rest)
        if flags - {"--aggressive", "--preview"}:
            self._app.say("/compact takes --aggressive and --preview", severity="warning")
            return
        self._beside(["plan", "flush", *sorted(flags)], title=" ".join(("/compact", *rest)))

    def _forget(self, words: Words) -> None:
        """Asks how thoroughly to forget words, a name or an address, or without them the line under the cursor."""
        said = " ".join(words[1:])
        if words and words[0] in ("--about", "--address") and said:
            what = words[0].removeprefix("--")
            about = {"about": "all about", "address": "all values at the address"}[what]
            self._app.flows.dry_runs.forget_all(f"{about} {said}", **{what: said})
        elif words:
            self._app.flows.dry_runs.forget(LinePlace("", 0, " ".join(words)))
        else:
            self._app.call_later(self._app.run_action, "line('forget')", self._app)

    def _beside(self, words: Words, title: str = "") -> None:
        """Runs a command in a process beside the console, and shows its output."""
        title = title or " ".join(words)
        started = self._app.bridge.long(
            title,
            lambda engine, tick: run((*self._arguments, *words), engine.workspace, tick),
            lambda done: self._show(title, done),
        )
        if not started:
            self._app.say(self._app.lacks_idle(), severity="warning")
        self._app.show_work()

    def _show(self, title: str, done: Finished) -> None:
        from tui.dialogs.text_reader import TextReader

        self._app.read_all()
        lines: list[Line] = (
            [(Span(safe(line)),) for line in done.output.rstrip("\n").split("\n")] if done.output else []
        )
        if done.messages:
            apart: list[Line] = [()] if lines else []
            lines += [*apart, *((Span(safe(line), "warn"),) for line in done.messages.rstrip("\n").split("\n"))]
        if not lines:
            lines = [(Span("nothing to say", "muted"),)]
        if not self._app.in_dialog:
            self._app.push_screen(TextReader(f"memdeck {safe(title)}", tuple(lines), hang=2))


def _whole(word: str) -> str:
    """Completes a shortened word if only one command begins with it."""
    word = {"q": "quit", "q!": "quit", "help": "keys"}.get(word, word)
    names = [command.name for command in known()]
    starts = [name for name in names if name.startswith(word)]
    return word if word in names or len(starts) != 1 else starts[0]


def _unknown(word: str) -> str:
    if word in ELSEWHERE:
        return f"{word}: {ELSEWHERE[word]}"
    close = difflib.get_close_matches(word, [command.name for command in known()], n=1)
    return f"there is no command {word!r}" + (f"; did you mean {close[0]}?" if close else "")
