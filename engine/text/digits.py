"""Reads a number out of text that anybody may have written."""

_MOST = 18  # digits: all such numbers fit into 64 bits, and Python refuses to read thousands of them


def whole_number(text: str, most: int = _MOST) -> int | None:
    """The number that 1 to `most` ASCII digits say, else None: `²` is a digit to `str.isdigit` that `int` refuses."""
    return int(text) if len(text) <= most and text.isascii() and text.isdigit() else None
