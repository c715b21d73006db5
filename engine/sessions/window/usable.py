"""Tells how many tokens of a session can be used before its tool compacts: from data, and from what was seen (B25)."""

from collections.abc import Mapping
from functools import cache

import msgspec

from engine.sessions.window.token_timeline import WindowTimeline, limit_of
from engine.text.pattern_file import converted, toml_file


class ToolReserve(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tokens below a window at which a tool compacts, with the version that was looked at."""

    version: str
    date: str
    source: str
    reserve: int
    windows: dict[str, int] = {}


class _Reserves(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    widths: tuple[int, ...]
    tools: dict[str, ToolReserve]


@cache
def _reserves() -> _Reserves:
    return converted(toml_file(__package__, "usable.toml"), _Reserves, "engine/sessions/window/usable.toml")


def usable_window(timeline: WindowTimeline, windows: Mapping[str, int], default: int, learnt: int = 0) -> int:
    """The usable tokens of a session's window. `windows` and `default` are the operator's, of whole windows. `learnt`:
    the point at which the tool compacted last with this model, in any session; a reading above it proves it wrong."""
    if timeline.tokens <= learnt:
        return learnt
    tool = _reserves().tools.get(timeline.tool)
    whole = limit_of(timeline.model, {**(tool.windows if tool else {}), **windows}, default)
    most = max((turn.tokens for turn in timeline.turns), default=0)
    if most > whole:
        whole = next((width for width in _reserves().widths if width >= most), most)
    return max(1, whole - (tool.reserve if tool and whole > 2 * tool.reserve else 0))
