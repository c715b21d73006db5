"""Writes the pages that follow from the program: `python -m docs.make` writes `keys.md`, `signs.md` and `rules.md`."""

import sys
from collections.abc import Callable
from pathlib import Path

from docs import rules
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


PAGES: dict[str, Callable[[], str]] = {"keys.md": _keys, "signs.md": _signs, "rules.md": _rules}
"""What makes each page, by file name: the rules are read from all sources and take seconds."""


if __name__ == "__main__":
    for name, made in PAGES.items():
        (FOLDER / name).write_text(made(), encoding="utf-8")
        sys.stdout.write(f"{FOLDER / name}\n")
