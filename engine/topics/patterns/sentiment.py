"""The mood of a message, and whether it turned: VADER's figure, and what is shouted (autopoiesis §4.2, D31). VADER
knows English alone; shouting is the same in many languages."""

from collections import OrderedDict
from functools import lru_cache
from typing import Any

from engine.text.pattern_file import PatternFile
from engine.topics.topic import MoodShift, SentimentTrigger

SAMPLE = 1_000  # characters looked at: VADER's time grows with the square of the words
WEIGHT = 0.4  # the weight of one message in a session's mood

TOPIC_WORDS = PatternFile(__package__, "topic_words.toml", "shout between")


def mood_of(text: str) -> float:
    """From -1, angry or sad, to 1."""
    sample = text[:SAMPLE].encode("utf-8", "replace").decode()
    return float(_analyser().polarity_scores(sample)["compound"]) if sample.strip() else 0.0


def next_mood(before: float, mood: float) -> float:
    """A session's mood after a message: nearer to the last one than to those before it."""
    return (1 - WEIGHT) * before + WEIGHT * mood


def shouted(text: str) -> tuple[int, int] | None:
    """Finds the place where a message shouts: three exclamation marks, a word of alarm or four words in capitals."""
    found = TOPIC_WORDS["shout"].search(text[:SAMPLE])
    return found.span() if found else None


def turned(trigger: SentimentTrigger, before: float, mood: float) -> bool:
    """Tells whether the mood went the trigger's way by as much as it asks."""
    step = round(mood - before, 9)
    down, up = step <= -trigger.by, step >= trigger.by
    return {MoodShift.NEGATIVE: down, MoodShift.POSITIVE: up, MoodShift.ANY: down or up}[trigger.shift]


@lru_cache(maxsize=1)
def _analyser() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


MOST_SESSIONS = 2_000  # sessions whose mood is remembered; the one that was silent longest goes first


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
