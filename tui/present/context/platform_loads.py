"""Shows what a platform loads: each file beside its caps, the lines that fall off, and all of it as one bar."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from engine.context.load.fallen_lines import FallenLine
from engine.context.load.observation import ObservedFile
from engine.context.load.simulation import CapReading, LoadedFile, LoadState, PlatformLoad
from engine.context.platforms.platform import CapUnit
from engine.text.safe_text import cell_width
from tui.present.glyphs import LOAD_MARKS
from tui.present.spans import Line, Role, Span
from tui.present.words import clock, noun, safe, words_of

_ROLES: tuple[Role, ...] = ("accent", "info", "ok", "text", "warn")
"""Colours that neighbouring parts of the bar take in turn; each part has its name too."""


class BarPart(NamedTuple):
    """A part of a bar; `role` colours a part that has a problem."""

    name: str
    size: int
    role: Role | None = None


def stacked_bar(parts: Sequence[BarPart], whole: int, room: int) -> Line:
    """Draws `▕sys│identity│memory│···▏` with `room` cells between its ends; parts beyond `whole` are not drawn."""
    spans: list[Span] = []
    done = size = 0
    for number, part in enumerate(parts):
        size += part.size
        end = min(room, room * size // max(1, whole))
        if end > done:
            spans.append(Span(_label(part.name, end - done), part.role or _ROLES[number % len(_ROLES)]))
            done = end
    return (Span("▕", "rule"), *spans, Span("·" * (room - done), "bar_empty"), Span("▏", "rule"))


def _label(name: str, cells: int) -> str:
    shown = ""
    for char in safe(name):
        if cell_width(shown + char) > cells - 1:
            break
        shown += char
    return f"{shown}{'─' * (cells - 1 - cell_width(shown))}│"


_UNITS = words_of("caps", CapUnit)


def load_title(load: PlatformLoad) -> str:
    """Returns `Claude Code · main`."""
    return f"{load.platform.title} · {load.session.value}"


def load_bar(load: PlatformLoad, cells: int = 40) -> Line:
    """Draws all loaded files as one bar, up to their common cap, else the sum of caps, else the sum of files."""
    if not (files := [file for file in load.files if file.text]):
        return ()
    loaded = sum(len(file.text) for file in files)
    parts = [BarPart(file.name.removesuffix(".md"), len(file.text), _PART_ROLES.get(file.state)) for file in files]
    if load.total is not None:
        whole, figure = loaded * load.total.cap // max(1, load.total.value), reading_words(load.total)
    else:
        caps = [cap for cap in map(_size_cap, files) if cap]
        whole = sum(caps) if len(caps) == len(files) else 0
        figure = f"{loaded:,}{f'/{whole:,}' if whole else ''} characters"
    return (*stacked_bar(parts, whole or loaded, cells), Span(f" {figure}", "muted"))


_PART_ROLES: dict[LoadState, Role] = {LoadState.CUT: "risk", LoadState.OVER: "risk"}
_SIZES = frozenset({CapUnit.CHARACTERS, CapUnit.UTF16, CapUnit.BYTES})


def _size_cap(file: LoadedFile) -> int | None:
    return next((reading.cap for reading in file.caps if reading.unit in _SIZES), None)


def reading_words(reading: CapReading) -> str:
    """Returns `183/200 lines`."""
    return f"{reading.value:,}/{reading.cap:,} {_UNITS[reading.unit]}"


def file_words(file: LoadedFile) -> str:
    """Returns the sizes of a file beside its caps, or its size if it has no cap."""
    if file.state is LoadState.MISSING:
        return "not there"
    if file.state is LoadState.UNKNOWN:
        return f"unknown: {safe(file.reason)}"
    return " · ".join(map(reading_words, file.caps)) or f"{len(file.text):,} characters, no cap"


def verdict_words(file: LoadedFile) -> str:
    """Says how much more fits into a file, or how many of its lines fall off and why."""
    reason = f": {safe(file.reason)}" if file.reason else ""
    match file.state:
        case LoadState.MISSING | LoadState.UNKNOWN:
            return safe(file.reason)
        case LoadState.CUT | LoadState.LEFT_OUT:
            falls = "falls off" if len(file.fallen) == 1 else "fall off"
            return f"{noun(len(file.fallen), 'line')} {falls}{reason}"
        case LoadState.OVER:
            over = [reading for reading in file.caps if reading.headroom < 0]
            return f"{', '.join(f'{-cap.headroom:,} {_UNITS[cap.unit]} above' for cap in over)}; nothing is cut"
        case LoadState.WHOLE:
            room = ", ".join(f"{cap.headroom:,} {_UNITS[cap.unit]}" for cap in file.caps)
            return f"fits, {room} left" if room else "fits"


def mark_words(file: ObservedFile, now: datetime) -> str:
    """Returns `observed 14:02`, `simulated`, or `differs 14:02: it changed since`."""
    sign = LOAD_MARKS[file.mark.value]
    when = f" {clock(file.at, now)}" if file.at is not None else ""
    return safe(f"{sign.word}{when}{f': {file.difference}' if file.difference else ''}")


def fallen_words(line: FallenLine) -> str:
    """Names the entry that holds a fallen line, and says if part of the line is loaded."""
    part = "in part · " if line.partly else ""
    return f"{part}{safe(line.entry)}" if line.entry or part else ""
