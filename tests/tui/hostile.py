"""A thousand hostile strings, made by a rule: what a file name, a title or a note may hold to harm a console."""

import re
from collections.abc import Iterator
from itertools import product

MARKUP = (
    "[/foo]",
    "[@click=app.quit]x[/]",
    "[@click=app.simulate_key('ctrl+a')]approve[/]",
    "[link=file:///etc/passwd]x[/link]",
    "[bold red on white]x",
    "[[nested]]",
    "[/]",
    "\\[escaped]",
    "$primary {{x}} {0} %s",
    "[APPROVED](APPROVED)",
)
CODES = (
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b]52;c;QVBQUk9WRUQ=\x07",
    "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[?1049l",
    "\x1b[6n",
    "\x1bP$qm\x1b\\",
    "\x1b_Gi=1\x1b\\",
    "\x9b31m",
    "\x9d0;x\x9c",
    "\x1b[200~APPROVED\x1b[201~",
    "\x01",
    "\x08\x08\x08",
    "\x00",
    "\x7f",
    "\x85",
)
HIDDEN = (
    "\u202egnp.exe",
    "\u2066x\u2069",
    "\u200b\u200d\ufeff",
    "\U000e0041\U000e007f",
    "\ufe0f\ufe0e",
    "\u115f\u3164",
    "\ud800",
    "\u2028\u2029",
    "a\u0300\u0301\u0302\u0303",
)
PLAIN = (
    "y\nAPPROVED\n",
    "line\rover",
    "a\tb",
    "日本語のとても長い名前",
    "👩‍👩‍👧‍👦 🏳️‍🌈 1️⃣",
    "🗑\ufe0f ⚠\ufe0f 👍🏽 x🏽 ⌚\ufe0e 🇩🇪🇩 🗑\ufe0f\u0301",
    "ﷺ﷽",
    "x" * 5000,
    " " * 300,
    "",
    "-rf /",
    "../../etc/passwd",
)

FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Whatever of these reaches a terminal can steer it, hide text, or turn it round."""


def hostile_strings() -> Iterator[str]:
    """Each of them alone, and in twos: about a thousand, always the same."""
    ones = (*MARKUP, *CODES, *HIDDEN, *PLAIN)
    yield from ones
    pairs = [first + second for first, second in product(ones, repeat=2) if first is not second]
    step = max(1, len(pairs) // (1000 - len(ones)))
    yield from pairs[::step][: 1000 - len(ones)]
