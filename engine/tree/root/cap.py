"""ROOT's cap of tokens: the room of its sections, and the order in which they shrink (decision C13)."""

from collections.abc import Callable, Sequence

from engine.tree.nodes.node_sections import SummaryLine

ACTIVE_SHARE, PATTERN_SHARE, HISTORY_FLOOR = 0.15, 0.08, 0.08
"""Shares of the cap; Historical Summary is the first to shrink (decision C13)."""
HISTORY_PART = 0.5
"""The part that Historical Summary has of what the names of topics leave; the rest is for a phrase behind each."""
MOST_BEHIND = 24
"""Tokens for what the index says of a topic, at most."""
YOUNG_PART, YOUNG_TOKENS = 0.17, 300
"""The part of the raw logs' tokens that ROOT aims for while they are few, and what it may always have: it is no use to
read as much as the logs themselves. Names of topics, and what never shrinks, come on top."""
LEAST_HISTORY = 24
"""Tokens below which Historical Summary shrinks no further."""
_SPARE = 8
"""Tokens that Historical Summary gives up beyond those over the cap: lines are whole, so that its room is seldom used
to the end."""

WrittenLines = tuple[Sequence[SummaryLine], int]
"""All lines of ROOT, and the tokens of the file."""


def aim_of(cap: int, raw_tokens: int) -> int:
    """The tokens that ROOT aims for."""
    # A young workspace is not to be told at the length of an old one.
    return min(cap, max(YOUNG_TOKENS, int(YOUNG_PART * raw_tokens)))


def history_room(aim: int, left: int, topics: int) -> int:
    """The room of Historical Summary, where the names of so many topics leave `left` of what ROOT aims for."""
    return max(int(aim * HISTORY_FLOOR), int(left * HISTORY_PART), left - MOST_BEHIND * topics)


def within_cap(write: Callable[[int, bool], WrittenLines], room: int, cap: int) -> WrittenLines:
    """Takes what `write` makes with Historical Summary as short as it must be; still over, nothing more is cut off.
    `write` takes the room of that section, and whether it names every topic that left, whatever its room."""
    while True:
        lines, tokens = write(room, False)
        if tokens <= cap:
            return lines, tokens
        if room <= LEAST_HISTORY:
            return write(room, True)
        room = max(LEAST_HISTORY, room - (tokens - cap) - _SPARE)
