"""Measures a topic on what was judged: precision, recall, and what it asks the gate."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from engine.topics.matcher import Matching
from engine.tuning.judged_messages import JudgedMessage


class TopicFigures(msgspec.Struct, frozen=True):
    """Judged messages by what the topic did (`right` woke it and should have) and the questions to the gate."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    quiet: int = 0
    gate_calls: int = 0

    @property
    def count(self) -> int:
        return self.right + self.wrong + self.missed + self.quiet

    @property
    def precision(self) -> float | None:
        """Gives the share, of what woke it, that should have; None where nothing did."""
        woke = self.right + self.wrong
        return self.right / woke if woke else None

    @property
    def recall(self) -> float | None:
        """Gives the share, of what should have woken it, that did; None where nothing should have."""
        should = self.right + self.missed
        return self.right / should if should else None

    @property
    def worth(self) -> float:
        """F1 with one right decision added to all, so that it means something where there is none yet."""
        return (2 * self.right + 1) / (2 * self.right + self.wrong + self.missed + 1)


def figures(topic: str, samples: Sequence[JudgedMessage], matcher: Matching, now: datetime) -> TopicFigures:
    """Matches every judged message anew."""
    counts = dict.fromkeys(("right", "wrong", "missed", "quiet", "gate_calls"), 0)
    for sample in samples:
        result = matcher.match(sample.message, now)
        woke = topic in result.active
        counts[_NAMES[woke, sample.useful]] += 1
        counts["gate_calls"] += any(one.topic == topic and one.gate != "none" for one in result.decisions)
    return TopicFigures(**counts)


_NAMES = {(True, True): "right", (True, False): "wrong", (False, True): "missed", (False, False): "quiet"}
