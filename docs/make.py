"""Writes the pages that follow from the program: `python -m docs.make` writes `docs/keys.md` and `docs/signs.md`."""

import sys
from pathlib import Path

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


def pages() -> dict[str, str]:
    """The generated pages by file name."""
    return {"keys.md": _KEYS + markdown(bound({})), "signs.md": _SIGNS + _signs()}


def _signs() -> str:
    parts = []
    for title, signs in LANGUAGE:
        rows = "\n".join(f"| `{sign.glyph}` | {sign.word} | `{sign.role}` |" for sign in signs)
        parts.append(f"## {title}\n\n| Glyph | Word | Role |\n| --- | --- | --- |\n{rows}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"{FOLDER / name}\n")
