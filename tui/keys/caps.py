"""Converts keys between their caps and the toolkit's names."""

import re
import unicodedata
from string import punctuation

_NOT_IN_UNICODE = {"/": "slash", "\\": "backslash", "+": "plus", "-": "minus", "@": "at", "_": "underscore"}
"""Signs that the toolkit names differently from Unicode."""
_KEY_NAMES = {
    **{_NOT_IN_UNICODE.get(sign) or re.sub(r"\W", "_", unicodedata.name(sign).lower()): sign for sign in punctuation},
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}
_LONG_KEYS = {short: long for long, short in _KEY_NAMES.items()}


def key_name(key: str) -> str:
    """Returns a key as printed on its cap."""
    *modifiers, last = key.split("+") if len(key) > 1 else (key,)
    return "+".join((*modifiers, _KEY_NAMES.get(last, last)))


def long_key(name: str) -> str:
    """Returns the toolkit's name of a key from its cap or its name."""
    if name in ("+", "plus"):
        return "plus"
    *modifiers, last = name.split("+")
    return "+".join((*modifiers, _LONG_KEYS.get(last, last)))
