"""Names what the specification has and this version has not, with what does the nearest thing."""

from collections.abc import Mapping, Sequence

SYSTEMS: Mapping[str, str] = {}
"""Systems of `memdeck plan`, each with what to do instead."""

COMMANDS: Mapping[str, str] = {}
"""Commands, each with what to do instead."""


def not_yet(words: Sequence[str]) -> str:
    """Says of a command line that its command, or its system, is not there yet; empty where it is."""
    match words:
        case ["plan", system, *_] if system in SYSTEMS:
            return f"the system {system!r} is not in this version yet · {SYSTEMS[system]}"
        case [command, *_] if command in COMMANDS:
            return f"the command {command!r} is not in this version yet · {COMMANDS[command]}"
    return ""
