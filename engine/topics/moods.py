"""The mood of each session as it goes on: what a sentiment trigger compares a message with (autopoiesis §4.2)."""

from collections import OrderedDict

from engine.topics.patterns.sentiment import next_mood

MOST_SESSIONS = 2_000
"""Sessions whose mood is remembered; the one that was silent longest goes first."""


class Moods:
    """From -1 to 1 by session; a session that is not known is at 0."""

    def __init__(self, most: int = MOST_SESSIONS) -> None:
        self._moods: OrderedDict[str, float] = OrderedDict()
        self._most = most

    def of(self, session: str) -> float:
        return self._moods.get(session, 0.0)

    def go_on(self, session: str, before: float, mood: float | None) -> None:
        """Takes in the mood of a message; None where nobody asked for it."""
        if mood is None:
            return
        self._moods[session] = next_mood(before, mood)
        self._moods.move_to_end(session)
        if len(self._moods) > self._most:
            self._moods.popitem(last=False)
