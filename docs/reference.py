"""The page of every command with its options, and the man page, both made from the registry of commands."""

from collections.abc import Iterator
from typing import NamedTuple

import click

from engine import __version__
from tui.cli.root import cli
from tui.registry.commands import COMMANDS, GLOBAL_OPTIONS, load

_PAGE = """# Command reference

This page is made from the program itself (`python -m docs.make`), as is the man page that comes with the package
(`man memdeck`). [Without a screen](commands.md) says how the commands go together; [Systems](systems.md) has the
options of `memdeck plan` by system.

"""
EXIT_CODES = {
    0: "done, or nothing to do",
    1: "it failed; the line says why",
    2: "wrong usage, or a setting that is wrong",
    3: "refused or cancelled: no approval, no terminal, or the policy says no",
    4: "stale or in conflict: a file changed since the plan was made, and nothing was written over it",
    5: "damaged, or no workspace",
    6: "blocked by a limit, or an alarm stands",
}
"""Each as the errors of the program have it (`engine.errors`)."""


class Entry(NamedTuple):
    """A command as it is typed, its explanation and its own options with theirs."""

    usage: str
    help: str
    options: tuple[tuple[str, str], ...]


def entries() -> Iterator[Entry]:
    """Yields every command in the order of the registry, each part of a group behind it."""
    top = _top()
    for name in COMMANDS:
        command = load(name)
        if command is not None and name != "open":
            yield from _of(command, name, top)


def _top() -> click.Context:
    return cli.make_context("memdeck", [], resilient_parsing=True)


def _of(command: click.Command, name: str, above: click.Context) -> Iterator[Entry]:
    context = click.Context(command, info_name=name, parent=above)
    # Not `get_params`: for `plan` that has the options of every system, which docs/systems.md tells by system.
    named = [one for one in command.params if isinstance(one, click.Option) and one.name not in GLOBAL_OPTIONS]
    rows = [one.get_help_record(context) for one in named]
    pieces = [piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]"]
    told = " ".join((command.help or command.get_short_help_str(200)).split())
    yield Entry(" ".join([context.command_path, *pieces]), told, tuple(filter(None, rows)))
    if isinstance(command, click.Group):
        for part in command.list_commands(context):
            below = command.get_command(context, part)
            if below is not None and not below.hidden:
                yield from _of(below, part, context)


def page() -> str:
    """Gives the page in Markdown."""
    rows = [_PAGE, "## Global options\n\n", *map(_row, _globals())]
    for entry in entries():
        rows.append(f"\n## `{entry.usage}`\n\n{entry.help}\n" + "\n" * bool(entry.options))
        rows += map(_row, entry.options)
    rows += ["\n## Exit codes\n\n", *(f"* `{code}`: {words}\n" for code, words in EXIT_CODES.items())]
    return "".join(rows)


def _row(option: tuple[str, str]) -> str:
    return f"* `{option[0]}`: {option[1]}\n"


def _globals() -> list[tuple[str, str]]:
    context = _top()
    return [row for one in cli.get_params(context) if (row := one.get_help_record(context))]


def man() -> str:
    """Gives the man page in the macros of man(7)."""
    name = _roff("run the memory of an AI agent: see it, plan its upkeep, approve the diff, undo it")
    head = f'.TH MEMDECK 1 "" "memdeck {__version__}" "User Commands"\n.SH NAME\nmemdeck \\- {name}\n'
    synopsis = ".SH SYNOPSIS\n.B memdeck\n[OPTIONS] [DIR]\n.br\n.B memdeck\n[OPTIONS] COMMAND [ARGS]\n"
    parts = [head, synopsis, f".SH DESCRIPTION\n{_roff(' '.join((cli.help or '').split()))}\n", ".SH OPTIONS\n"]
    parts += map(_item, _globals())
    parts.append(".SH COMMANDS\n")
    for entry in entries():
        parts.append(_item((entry.usage, entry.help)))
        parts += [".RS\n", *map(_item, entry.options), ".RE\n"] if entry.options else []
    parts += [".SH EXIT STATUS\n", *(_item((str(code), words)) for code, words in EXIT_CODES.items())]
    return "".join(parts)


def _item(row: tuple[str, str]) -> str:
    return f".TP\n.B {_roff(row[0])}\n{_roff(row[1])}\n"


def _roff(text: str) -> str:
    """Keeps a text a text: a backslash, a hyphen and a point in front mean something there."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    plain = "".join(sign if sign.isascii() else f"\\[u{ord(sign):04X}]" for sign in plain)
    return f"\\&{plain}" if plain[:1] in ".'" else plain
