"""Writes the pages that follow from the program: `python -m docs.make` writes all of `PAGES`."""

import sys
from collections.abc import Callable
from pathlib import Path

from docs import reference, rules
from engine.plans.system_request import SystemOption, options_of
from engine.services.systems import SYSTEMS
from tui.keys.card import bound, markdown
from tui.present.glyphs import LANGUAGE

FOLDER = Path(__file__).parent

_KEYS = """# Keys

This page is made from the program itself (`python -m docs.make`); `memdeck keys` prints it with your own keys.

Where keys meet, the focused pane's come first, then the screen's, then those that work everywhere. The last column is
the name by which `console.yaml` can give a key another place: see [configuration](configuration.md).

"""

_SIGNS = """# Signs

This page is made from the program itself (`python -m docs.make`). The same state has the same glyph, word and colour on
every screen, and never colour alone: the last column is the role that a [theme](themes.md) colours.

"""

_SYSTEMS = """# Systems

This page is made from the program itself (`python -m docs.make`). Each system makes plans, and each takes the options
that it declares and no other: `memdeck plan SYSTEM --help`. What a job is and when it runs: `memdeck schedule`.

| System | What it makes of what | Job | Options of its own |
| --- | --- | --- | --- |
"""

_RULES = """# Rules

This page is made from the program itself (`python -m docs.make`). Code and tests name the decision that they follow
by its letter and number, such as `decision A4`: G for all systems, A for the compactor, B for schedule and context,
C for the tree, D for search, topics and the rest. Each constant that a decision gives has one home.

"""


def _keys() -> str:
    return _KEYS + markdown(bound({}))


def _rules() -> str:
    return _RULES + rules.page()


def _signs() -> str:
    parts = []
    for title, signs in LANGUAGE:
        rows = "\n".join(f"| `{sign.glyph}` | {sign.word} | `{sign.role}` |" for sign in signs)
        parts.append(f"## {title}\n\n| Glyph | Word | Role |\n| --- | --- | --- |\n{rows}\n")
    return _SIGNS + "\n".join(parts)


def _systems() -> str:
    """A row for each system as it declares itself."""
    rows = []
    for one in SYSTEMS.values():
        options = "<br>".join(map(_option, options_of(one.asked))) or f"`{one.usage}`" * bool(one.usage)
        rows.append(f"| `{one.name}` | {one.title} | {one.job} | {options} |\n")
    return _SYSTEMS + "".join(rows)


def _option(one: SystemOption) -> str:
    words = (one.metavar or "|".join(one.choices) or ("N" if one.number else "")).replace("|", "\\|")
    return f"`{one.flag}{f' {words}' if words else ''}` {one.help}"


PAGES: dict[str, Callable[[], str]] = {
    "keys.md": _keys,
    "signs.md": _signs,
    "systems.md": _systems,
    "rules.md": _rules,
    "reference.md": reference.page,
    "memdeck.1": reference.man,
}
"""What makes each page, by file name: the rules are read from all sources and take seconds."""


if __name__ == "__main__":
    for name, made in PAGES.items():
        (FOLDER / name).write_text(made(), encoding="utf-8")
        sys.stdout.write(f"{FOLDER / name}\n")
