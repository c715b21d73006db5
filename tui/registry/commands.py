"""Reads the commands with their words and parameters from TOML files beside their modules."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from engine.text.pattern_file import converted, toml_file

if TYPE_CHECKING:  # no command is loaded to know its name
    import click


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An argument or option of a command; keys that are missing keep click's defaults."""

    names: str = ""  # the flags of an option; else `--` and its name with hyphens
    choices: tuple[str, ...] | str = ()
    """The allowed words, or `module:NAME` of the enum or tuple that has them."""
    any_case: bool = False
    least: int | None = None
    most: int | None = None
    path: bool = False  # true for the path of a file or folder
    help: str | None = None
    metavar: str | None = None
    default: str | int | None = None
    required: bool | None = None
    nargs: int = 1
    multiple: bool = False
    is_flag: bool = False

    def flags(self, name: str) -> list[str]:
        return self.names.split() or [f"--{name.replace('_', '-')}"]

    def taken(self) -> list[str]:
        if isinstance(self.choices, tuple):
            return list(self.choices)
        module, _, name = self.choices.partition(":")
        return [getattr(word, "value", word) for word in getattr(import_module(module), name)]


OURS = frozenset({"names", "choices", "any_case", "least", "most", "path"})  # fields that click has no attribute for


class CommandWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a command's `--help`, and its parameters by the names in its function."""

    short: str
    help: str
    paged: bool = False  # true if its answer may be long: it is read in pages
    arguments: dict[str, Parameter] = {}
    options: dict[str, Parameter] = {}


class _Commands(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    commands: dict[str, str]
    options: dict[str, Parameter]


_known = converted(toml_file("tui.registry", "commands.toml"), _Commands, "tui/registry/commands.toml")
COMMANDS = _known.commands
"""Maps each command to its module, which is imported only when needed, so that commands start fast."""
GLOBAL_OPTIONS = _known.options  # options that are taken before the command's name and after it


@cache
def words_of(module: str) -> dict[str, CommandWords]:
    package, _, name = module.rpartition(".")
    return converted(toml_file(package, f"{name}.toml"), dict[str, CommandWords], f"{module.replace('.', '/')}.toml")


def load(name: str) -> "click.Command | None":
    """Imports the module of a command and returns the command; None if there is none."""
    if (module := COMMANDS.get(name)) is None:
        return None
    command: click.Command = getattr(import_module(module), f"{name.replace('-', '_')}_command")
    return command
