"""Runs `memdeck config` and `memdeck keys`: shows the console's settings and keys without opening it."""

import os
from typing import TYPE_CHECKING

from msgspec import to_builtins

from engine.errors import MemdeckError
from engine.state.folder import config_home
from tui.cli.output import Answer, Piece, fields
from tui.cli.settings import Settings, command, workspace_path
from tui.present.glyphs import FAILED
from tui.present.words import safe

if TYPE_CHECKING:
    from tui.shell.configuration import Configuration


@command("config")
def config_command(settings: Settings) -> Answer:
    from tui.settings.file import ABOUT, settings_path

    configuration = _configuration(settings)
    problems = _problems(configuration)
    values = {name: _written(getattr(configuration.settings, name)) for name in ABOUT}
    path = settings_path(config_home(os.environ))
    rows: list[list[Piece]] = [[str(path), "" if path.is_file() else " (not there: these are the defaults)"]]
    rows += [[f"{name:<12}", f" {safe(_brief(value)):<10}", f" {ABOUT[name]}"] for name, value in values.items()]
    rows += [[f"{FAILED.glyph} ", safe(problem.line())] for problem in problems]
    wrong = [error.line() for error in problems]
    facts = {"file": str(path), "exists": path.is_file(), "settings": values, "problems": wrong}
    return Answer(facts, rows, 2 if problems else 0)


@command("keys")
def keys_command(settings: Settings, text: str | None = None) -> Answer:
    from tui.keys.card import as_text, bound, matching

    keymap, _ = _configuration(settings).keymap()
    keys = matching(bound(keymap), text or "")
    return Answer([fields(key, "name keys title") for key in keys], as_text(keys))


def _configuration(settings: Settings) -> "Configuration":
    from tui.shell.configuration import Configuration

    return Configuration(config_home(os.environ), workspace_path(settings))


def _problems(configuration: "Configuration") -> tuple[MemdeckError, ...]:
    from tui.shell.theme_choice import check_theme

    keymap, unkeyed = configuration.keymap()
    wrong = check_theme(configuration.settings.theme, config_home(os.environ) / "themes")
    return (*configuration.read.problems, *unkeyed, *configuration.own_commands(keymap)[1], *wrong)


def _brief(value: object) -> str:
    if isinstance(value, dict | tuple):
        return str(len(value)) if value else "none"
    return str(value) or "default"


def _written(value: object) -> object:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return to_builtins(value)
    return {name: list(keys) for name, keys in value.items()} if isinstance(value, dict) else value
