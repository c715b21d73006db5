"""Defines the settings of the console, each with its words for the docs."""

from collections.abc import Mapping
from typing import Literal, get_args

import msgspec

Notify = Literal["off", "bell", "osc9", "osc777", "desktop"]
"""The way in which a plan that came while nobody looked is announced outside of the console."""


class ConsoleSettings(msgspec.Struct, frozen=True):
    """The settings in force; the defaults are those of a console that nobody configured."""

    theme: str = ""  # empty: night, or the 16 colours of the terminal where it has no more
    mouse: bool = True
    notify: Notify = "off"
    update_check: bool = False
    keys: Mapping[str, tuple[str, ...]] = {}


ABOUT: dict[str, str] = {
    "theme": "the colours: night, paper, …; `:theme` lists them; what is chosen there holds where this names none",
    "mouse": "`on`: clicks and the wheel work too; `off`: the terminal keeps the mouse, for selecting text",
    "notify": "announces a new plan outside of the console: `off`, `bell`, `osc9`, `osc777` or `desktop` (notify-send)",
    "update_check": "`on`: `memdeck update-check` may ask the package index for a newer version; nothing else asks it",
    "keys": "other keys, by name: `approvals.reject: R`, `list.down: [down, n]`; `memdeck keys` names them all",
}
"""Every setting and what it does."""

_SWITCH = ("on", "off")
CHOICES: dict[str, tuple[str, ...]] = {"mouse": _SWITCH, "notify": get_args(Notify), "update_check": _SWITCH}
"""Settings with a closed choice."""
