"""Lines that a summary must not read: those that hold a secret, and generated blocks of other tools."""

from collections.abc import Sequence


def left_out_lines(lines: Sequence[str]) -> dict[int, str]:
    """Line index (from 0) to the reason why it is left out."""
    return {}
