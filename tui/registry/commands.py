"""The commands there are, their words, and what each can be given: from TOML files, one beside the module of each."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from engine.text.pattern_file import converted, toml_file

if TYPE_CHECKING:  # no command is loaded to know its name
    import click


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One argument or option of a command; what is not told here is as click has it."""

    names: str = ""  # the flags of an option; else `--` and its name with hyphens
    choices: tuple[str, ...] | str = ()
    """The words that it takes, or `module:NAME` of the enum or the tuple that has them."""
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
        """The words that it takes."""
        if isinstance(self.choices, tuple):
            return list(self.choices)
        module, _, name = self.choices.partition(":")
        return [getattr(word, "value", word) for word in getattr(import_module(module), name)]


OURS = frozenset({"names", "choices", "any_case", "least", "most", "path"})  # fields that click has no attribute for


class CommandWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words that `--help` prints of a command, and its parameters by the names that its function has for them."""

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
"""Every command and the module that holds it; imported when it is asked for, so that each starts fast."""
GLOBAL_OPTIONS = _known.options  # options that are taken before the command's name and after it


@cache
def words_of(module: str) -> dict[str, CommandWords]:
    package, _, name = module.rpartition(".")
    return converted(toml_file(package, f"{name}.toml"), dict[str, CommandWords], f"{module.replace('.', '/')}.toml")


def load(name: str) -> "click.Command | None":
    """The command, its module loaded now; None where there is none of that name."""
    if (module := COMMANDS.get(name)) is None:
        return None
    found: click.Command = getattr(import_module(module), f"{name.replace('-', '_')}_command")
    return found
