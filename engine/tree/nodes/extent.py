"""Counts the tokens of the raw logs below a node, by which a parent has its room."""

from collections.abc import Mapping

from engine.tree.source_references import raw_day

KEY = "raw-tokens"
_DIGITS = 9
"""Digits of a stated number of tokens: an agent may write more than Python reads as a number."""


def raw_tokens(path: str, values: Mapping[str, str | list[str]], own: int) -> int:
    """Tokens of raw log that a source stands for: those it states, or its own where it is a log or states none."""
    stated = values.get(KEY, "")
    if raw_day(path) is not None or not isinstance(stated, str) or not stated.isdecimal() or len(stated) > _DIGITS:
        return own
    return max(1, int(stated))
