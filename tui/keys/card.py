"""Makes the key card: all keys by scope, as text for the terminal and markdown for the docs."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from tui.keys.catalog import Key, catalog, title_of


def bound(keymap: Mapping[str, str]) -> tuple[Key, ...]:
    """Returns all keys with their present bindings."""
    return tuple(
        key._replace(keys=tuple(keymap[key.name].split(","))) if key.name in keymap else key for key in catalog()
    )


def matching(keys: Sequence[Key], text: str) -> tuple[Key, ...]:
    """Returns the keys whose name, title or caps contain every word of the text."""
    words = text.casefold().split()
    return tuple(key for key in keys if all(word in f"{key.name} {key.title} {key.shown}".casefold() for word in words))


def as_text(keys: Sequence[Key]) -> list[str]:
    lines: list[str] = []
    for scope, scoped in groupby(keys, attrgetter("scope")):
        lines += ["", title_of(scope).replace("`", "")]
        lines += [f"  {key.shown:<18} {key.title:<34} {key.name}" for key in scoped]
    return lines[1:]


def markdown(keys: Sequence[Key]) -> str:
    """Makes the card as markdown for the docs; a test compares both."""
    lines: list[str] = []
    for scope, scoped in groupby(keys, attrgetter("scope")):
        lines += ["", f"## {title_of(scope)}", "", "| Keys | What | Name |", "| --- | --- | --- |"]
        for key in scoped:
            caps = " ".join(f"`{cap}`" for cap in key.shown.replace("|", "\\|").split())
            lines.append(f"| {caps} | {key.title} | `{key.name}` |")
    return "\n".join(lines).strip() + "\n"
