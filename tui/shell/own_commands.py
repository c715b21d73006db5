"""Runs the operator's own commands on the selection, with the terminal and without a shell."""

from functools import partial
from pathlib import Path

from engine.errors import MemdeckError
from tui.dialogs.picker import Picker
from tui.present.choices import Choice
from tui.present.words import safe
from tui.settings.file import OwnCommand
from tui.shell.host import ShellHost
from tui.system.editor import lend
from tui.widgets.searchable_pane import LinePlace


def start(app: ShellHost, command: OwnCommand, place: LinePlace | None, ident: str, workspace: Path) -> None:
    """Replaces placeholders by the selection and runs the command, or says what is not selected."""
    values = {"{workspace}": str(workspace), "{id}": ident, "{line}": "", "{path}": ""}
    if place is not None:
        values |= {"{line}": str(max(1, place.line)), "{path}": place.path}
    if lacking := next((name for name in command.argv if not values.get(name, name)), ""):
        what = "no plan or operation" if lacking == "{id}" else "no line of a note"
        app.say(f"{what} is under the cursor", severity="warning")
    elif not app.may_write():
        return
    elif place is not None and "{path}" in command.argv:
        # The real path, below the workspace and behind no link: it begins with a slash, and is no option.
        ask = partial(_ask, app, command, values)
        app.bridge.read(lambda engine: {"{path}": str(engine.search.file_of(place.path))}, ask)
    else:
        _ask(app, command, values, {})


def _ask(app: ShellHost, command: OwnCommand, values: dict[str, str], paths: dict[str, str]) -> None:
    words = [(values | paths).get(word, word) for word in command.argv]
    if command.confirm == "off":
        _run(app, words)
        return
    choices = (Choice("Cancel", "nothing runs"), Choice("Run it", safe(" ".join(words)), "", "run"))
    app.ask(Picker("Your own command", choices, foot="choose"), lambda _: app.call_later(_run, app, words))


def _run(app: ShellHost, words: list[str]) -> None:
    try:
        lend(app, words, "console.yaml names it", pause=True)
    except MemdeckError as error:
        app.fail(error)
    app.read_all()
