"""Measures a message's mood by VADER, and detects mood changes and shouting (autopoiesis §4.2, D31). VADER knows only
English; shouting is similar in many languages."""

from collections import OrderedDict
from functools import lru_cache
from typing import Any

from engine.text.pattern_file import PatternFile
from engine.topics.topic import MoodShift, SentimentTrigger

SAMPLE = 1_000  # characters looked at: VADER's time grows with the square of the words
WEIGHT = 0.4  # the weight of one message in a session's mood

TOPIC_WORDS = PatternFile(__package__, "topic_words.toml", "shout between")


def mood_of(text: str) -> float:
    """Returns the mood from -1, angry or sad, to 1."""
    sample = text[:SAMPLE].encode("utf-8", "replace").decode()
    return float(_analyser().polarity_scores(sample)["compound"]) if sample.strip() else 0.0


def next_mood(before: float, mood: float) -> float:
    """Returns a session's mood after a message, in which recent messages weigh more."""
    return (1 - WEIGHT) * before + WEIGHT * mood


def shouted(text: str) -> tuple[int, int] | None:
    """Returns where a message shouts: `!!!`, a word of alarm, or four capitalised words; None if nowhere."""
    found = TOPIC_WORDS["shout"].search(text[:SAMPLE])
    return found.span() if found else None


def turned(trigger: SentimentTrigger, before: float, mood: float) -> bool:
    """Tells whether the mood changed in the trigger's direction by its amount."""
    step = round(mood - before, 9)
    down, up = step <= -trigger.by, step >= trigger.by
    return {MoodShift.NEGATIVE: down, MoodShift.POSITIVE: up, MoodShift.ANY: down or up}[trigger.shift]


@lru_cache(maxsize=1)
def _analyser() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


MOST_SESSIONS = 2_000  # sessions whose mood is remembered; the one that was silent longest goes first


class Moods:
    """The mood of each session, from -1 to 1; 0 if unknown."""

    def __init__(self, most: int = MOST_SESSIONS) -> None:
        self._moods: OrderedDict[str, float] = OrderedDict()
        self._most = most

    def of(self, session: str) -> float:
        return self._moods.get(session, 0.0)

    def go_on(self, session: str, before: float, mood: float | None) -> None:
        """Records the mood of a message; None if it was not measured."""
        if mood is None:
            return
        self._moods[session] = next_mood(before, mood)
        self._moods.move_to_end(session)
        if len(self._moods) > self._most:
            self._moods.popitem(last=False)
