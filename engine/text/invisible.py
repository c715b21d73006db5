"""Lists characters that readers cannot see, and those that terminals draw in different widths."""

INVISIBLE = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Ranges of invisible characters, without controls and the selectors of emoji style."""

SKIN_TONES = "\U0001f3fb-\U0001f3ff"
"""The range of skin tones behind an emoji, which terminals draw in two or four cells."""
