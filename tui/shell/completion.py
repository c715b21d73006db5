"""Completes arguments while they are typed: plans, operations, themes, subcommands, options."""

from typing import TYPE_CHECKING

from engine.plans.plan import OPEN_STATES
from tui.bridge.state_reader import RECENT
from tui.present.words import safe
from tui.registry.commands import GLOBAL_OPTIONS, load
from tui.shell.host import ShellHost

if TYPE_CHECKING:
    import click

Words = list[tuple[str, str]]

_OLDER = f"older than the newest {RECENT:,}: type its id, or find it in History"
"""The last row of a list that has only the newest operations."""


def following(app: ShellHost, first: str, done: str) -> Words:
    """Returns the words that can follow `first` and the arguments typed so far, each with its meaning."""
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
    """Returns plans, the newest first; with `waiting` only those that can be decided."""
    entries = sorted(app.entries, key=lambda entry: (entry.made_at, entry.id), reverse=True)
    shown = [entry for entry in entries if not waiting or entry.state in OPEN_STATES]
    return [(safe(entry.id), f"{safe(entry.system)} · {entry.state.value}") for entry in shown]


def _operations(app: ShellHost, name: str) -> Words:
    """Returns operations, the newest first, without those known to allow no undo or redo."""
    from tui.present.history.operations import why_not_redo, why_not_undo

    why_not = why_not_undo if name == "undo" else why_not_redo
    known = [
        (safe(each.id), f"{safe(each.system)} · {each.state.value}") for each in app.operations if not why_not(each)
    ]
    return [*known, ("", _OLDER)] if len(app.operations) >= RECENT else known


def _of_the_shell(name: str, done: str) -> Words:
    """Returns the subcommands of a command, else its options; imports its module."""
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
    """Returns a sentence of `--help` in the style of the list: lower case, without a full stop."""
    return (text[:1].lower() + text[1:]).removesuffix(".")
