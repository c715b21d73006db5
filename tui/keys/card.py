"""The key card: every key by the place where it works, as text for the terminal and as markdown for the docs."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from tui.keys.catalog import Key, catalog, title_of


def bound(keymap: Mapping[str, str]) -> tuple[Key, ...]:
    """All keys as they are bound now."""
    return tuple(
        key._replace(keys=tuple(keymap[key.name].split(","))) if key.name in keymap else key for key in catalog()
    )


def matching(keys: Sequence[Key], text: str) -> tuple[Key, ...]:
    """The keys in whose name, title or caps every word of the text occurs."""
    words = text.casefold().split()
    return tuple(key for key in keys if all(word in f"{key.name} {key.title} {key.shown}".casefold() for word in words))


def as_text(keys: Sequence[Key]) -> list[str]:
    lines: list[str] = []
    for scope, scoped in groupby(keys, attrgetter("scope")):
        lines += ["", title_of(scope).replace("`", "")]
        lines += [f"  {key.shown:<18} {key.title:<34} {key.name}" for key in scoped]
    return lines[1:]


def markdown(keys: Sequence[Key]) -> str:
    """The card as the docs hold it; a test keeps the two the same."""
    lines: list[str] = []
    for scope, scoped in groupby(keys, attrgetter("scope")):
        lines += ["", f"## {title_of(scope)}", "", "| Keys | What | Name |", "| --- | --- | --- |"]
        for key in scoped:
            caps = " ".join(f"`{cap}`" for cap in key.shown.replace("|", "\\|").split())
            lines.append(f"| {caps} | {key.title} | `{key.name}` |")
    return "\n".join(lines).strip() + "\n"
