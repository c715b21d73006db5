"""Counts the tokens of the raw logs below a node, by which a parent shares out its room."""

from collections.abc import Mapping, Sequence

from engine.tree.refs import raw_day

KEY = "raw-tokens"
_DIGITS = 9
FLOOR = 0.1
"""Part of the room that all share alike, so that none is left without, whatever another claims to stand for."""


def raw_tokens(path: str, values: Mapping[str, str | list[str]], own: int) -> int:
    """Tokens of raw log that a source stands for: those it states, or its own where it is a log or states none."""
    stated = values.get(KEY, "")
    if raw_day(path) is not None or not isinstance(stated, str) or not stated.isdecimal() or len(stated) > _DIGITS:
        return own
    return max(1, int(stated))


def shares(sizes: Sequence[float]) -> list[float]:
    """Shares out the room: by size, above the floor; nothing where there is nothing to tell."""
    total = sum(sizes)
    telling = sum(size > 0 for size in sizes)
    return [FLOOR / telling + (1 - FLOOR) * size / total if size > 0 else 0.0 for size in sizes]
