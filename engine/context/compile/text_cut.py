"""Cuts a text that does not fit: at a heading where that keeps enough, else after a line, with a marker (D2)."""

from collections.abc import Callable

import msgspec

from engine.text.markdown import code_mask, heading_of

ENOUGH = 0.5
"""The share of what would fit that a cut at a heading has to keep; below it the cut is after a line."""


class TextCut(msgspec.Struct, frozen=True):
    """The text that is kept with its marker, and in words where it was cut."""

    text: str
    where: str


def cut_text(text: str, fits: Callable[[str], bool]) -> TextCut | None:
    """The longest beginning that fits with its marker; None where not even a line does."""
    lines = text.split("\n")
    most = _most(lines, fits)
    if most == 0:
        return None
    headings = _headings(lines)
    at = next((n for n in range(most, 0, -1) if n in headings), 0)
    if at and at >= ENOUGH * most and fits(_kept(lines, at)):  # its marker may be a figure longer
        return TextCut(_kept(lines, at), f'cut at "{lines[at].strip()}"')
    return TextCut(_kept(lines, most), f"cut after line {most}")


def _headings(lines: list[str]) -> frozenset[int]:
    """The indexes of headings outside of code; not of the first line, before which there is nothing."""
    marks = zip(lines, code_mask(lines), strict=True)
    return frozenset(n for n, (line, code) in enumerate(marks) if n and not code and heading_of(line) is not None)


def _most(lines: list[str], fits: Callable[[str], bool]) -> int:
    """The most lines that fit, by halving; what it gives was found to fit."""
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_kept(lines, middle)):
            low = middle
        else:
            high = middle - 1
    return low


def _kept(lines: list[str], most: int) -> str:
    left = len(lines) - most
    return "\n".join((*lines[:most], f"[… {left} more line{'s' if left != 1 else ''} left out]"))
