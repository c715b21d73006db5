"""Completes a command's name as it is typed: plans, operations, themes, subcommands, options."""

from typing import TYPE_CHECKING

from engine.plans.plan import OPEN_STATES
from tui.bridge.reader import RECENT
from tui.present.words import safe
from tui.registry.commands import GLOBAL_OPTIONS, load
from tui.shell.host import ShellHost

if TYPE_CHECKING:
    import click

Words = list[tuple[str, str]]

_OLDER = f"older than the newest {RECENT:,}: type its id, or find it in History"
"""Stands at the end of a list that has the newest operations alone."""


def following(app: ShellHost, first: str, done: str) -> Words:
    """Words that can stand after `first` and what is typed of its arguments so far, each with what it means."""
    match first:
        case "plan" if not done:
            return [(safe(name), safe(about)) for name, about in app.systems]
        case "theme":
            return [] if done else [(name, app.looks.title(name)) for name in app.looks.names()]
        case "show" | "apply" | "reject":
            return [] if done else _plans(app, waiting=first != "show")
        case "undo" | "redo":
            return [] if done else _operations(app, first)
        case "reports":
            return _plans(app, waiting=False)
        case "/compact":
            return [("--aggressive", "also what would be kept verbatim"), ("--preview", "shows it, plans nothing")]
        case _:
            return _of_the_shell(first, done)


def _plans(app: ShellHost, *, waiting: bool) -> Words:
    """Plans, newest first; `waiting`: those only that can still be decided."""
    entries = sorted(app.entries, key=lambda entry: (entry.made_at, entry.id), reverse=True)
    shown = [entry for entry in entries if not waiting or entry.state in OPEN_STATES]
    return [(safe(entry.id), f"{safe(entry.system)} · {entry.state.value}") for entry in shown]


def _operations(app: ShellHost, name: str) -> Words:
    """Operations, newest first, of which it is not known already that they cannot be taken back or done again."""
    from tui.present.history.operations import why_not_redo, why_not_undo

    why_not = why_not_undo if name == "undo" else why_not_redo
    known = [(safe(one.id), f"{safe(one.system)} · {one.state.value}") for one in app.operations if not why_not(one)]
    return [*known, ("", _OLDER)] if len(app.operations) >= RECENT else known


def _of_the_shell(name: str, done: str) -> Words:
    """Subcommands, else options, of a command of the shell; its module is loaded now."""
    import click

    command = load(name)
    inner = done.split()[0] if done else ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        if not inner:
            within = [(word, command.get_command(context, word)) for word in command.list_commands(context)]
            return [(word, _brief(sub.get_short_help_str(200))) for word, sub in within if sub is not None]
        command = command.get_command(context, inner)
    return _options(command)


def _options(command: "click.Command | None") -> Words:
    import click

    params = command.get_params(click.Context(command, help_option_names=[])) if command is not None else []
    options = [p for p in params if isinstance(p, click.Option) and p.name not in GLOBAL_OPTIONS]
    return [(option.opts[-1], _brief(option.help or "")) for option in options]


def _brief(text: str) -> str:
    """A sentence of the shell's help, as the other lines of the list are written."""
    return (text[:1].lower() + text[1:]).removesuffix(".")
