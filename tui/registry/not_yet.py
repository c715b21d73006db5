"""Names what the specification has and this version has not, with what does the nearest thing."""

from collections.abc import Mapping, Sequence

SYSTEMS: Mapping[str, str] = {
    "condense": "`memdeck plan tree` sums up days, weeks and months",
    "prune": "`memdeck status` shows the size of MEMORY.md",
    "archive": "`memdeck plan compact` archives the notes it has compiled",
    "init": "`memdeck demo` makes a workspace to look at, and memdeck opens any folder of notes",
}
"""Systems of `memdeck plan`, each with what to do instead."""

COMMANDS: Mapping[str, str] = {
    "init": SYSTEMS["init"],
}
"""Commands, each with what to do instead."""

SCREENS: Mapping[str, tuple[str, str]] = {
    "8": ("lifecycle", "d makes a dry run of the systems there are"),
}
"""Number keys of screens, each with the screen's name and what to do instead."""


def not_yet(words: Sequence[str]) -> str:
    """Says of a command line that its command, or its system, is not there yet; empty where it is."""
    match words:
        case ["plan", system, *_] if system in SYSTEMS:
            return f"the system {system!r} is not in this version yet · {SYSTEMS[system]}"
        case [command, *_] if command in COMMANDS:
            return f"the command {command!r} is not in this version yet · {COMMANDS[command]}"
    return ""


def no_screen(key_or_name: str) -> str:
    """Says of a screen, by its key or its name, that it is not there yet; empty for any other."""
    for key, (name, instead) in SCREENS.items():
        if key_or_name in (key, name):
            return f"{key} {name.title()} is not in this version yet · {instead}"
    return ""
