"""Reads a number from untrusted text."""

_MOST = 18  # digits: all such numbers fit into 64 bits, and Python refuses to read thousands of them


def whole_number(text: str, most: int = _MOST) -> int | None:
    """Reads 1 to `most` ASCII digits; else None. `str.isdigit` accepts `²`, which `int` refuses."""
    return int(text) if len(text) <= most and text.isascii() and text.isdigit() else None
