"""Looks for edits of a topic that would have decided better, and weighs each by matching what was judged anew.

Thresholds between judged scores, patterns less one of their alternatives, words that were missed, and the bypass of
the gate by priority and activation (autopoiesis §5.5). The best edit is made, then the next is looked for.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise

import msgspec

from engine.topics.files.topic_file import read_topic
from engine.topics.matcher import Matching
from engine.topics.topic import Activation, Priority, Topic
from engine.topics.trigger import PatternTrigger
from engine.tuning.calibration import crossing
from engine.tuning.edits import AddKeywords, Edit, SetKey, SetPattern, edited
from engine.tuning.figures import TopicFigures, figures
from engine.tuning.judged_messages import JudgedMessage
from engine.tuning.patterns import missing_words, without_one

LEAST_SAMPLES = 4
"""Judgements without which a topic is left alone."""
LEAST_FOR_AUTO = 10
"""Judgements without which the gate is not taken away: what it keeps out is seen late."""
LEAST_GAIN = 0.02
"""By how much an edit has to make a topic better."""
LEAST_SAVED = 0.2
"""Or the share of questions to the gate it has to save where nothing gets worse."""
MOST_EDITS = 4
_MOST_THRESHOLDS = 12
_PRIORITIES = tuple(Priority)

MatcherFor = Callable[[Topic], Matching]
"""A matcher of all topics, with this one in the place of its former self."""


class TuningStep(msgspec.Struct, frozen=True):
    """One edit in words, with the figures before and after it."""

    what: str
    before: TopicFigures
    after: TopicFigures


class Proposal(msgspec.Struct, frozen=True):
    """Edits of one topic file, its new bytes, and what all of them come to."""

    topic: str
    path: str
    data: bytes
    steps: tuple[TuningStep, ...]

    @property
    def before(self) -> TopicFigures:
        return self.steps[0].before

    @property
    def after(self) -> TopicFigures:
        return self.steps[-1].after


class _Draft(msgspec.Struct, frozen=True):
    """A topic file as it would be."""

    topic: Topic
    data: bytes
    what: str
    figures: TopicFigures


def propose(
    topic: Topic,
    data: bytes,
    samples: Sequence[JudgedMessage],
    everyday: Sequence[str],
    matcher_for: MatcherFor,
    now: datetime,
) -> Proposal | None:
    """Proposes what would make the topic better on its judged messages; None where nothing would.

    `everyday` are texts that were not judged: a word that is common among them is no trigger.
    """
    if len(samples) < LEAST_SAMPLES:
        return None
    here = _Draft(topic, data, "", figures(topic.id, samples, matcher_for(topic), now))
    steps: list[TuningStep] = []
    while len(steps) < MOST_EDITS:
        best = max(_drafts(here, samples, everyday, matcher_for, now), key=_rank, default=None)
        if best is None or not _is_better(best.figures, here.figures):
            break
        steps.append(TuningStep(best.what, here.figures, best.figures))
        here = best
    return Proposal(topic.id, topic.path, here.data, tuple(steps)) if steps else None


def _rank(draft: _Draft) -> tuple[float, float]:
    return round(draft.figures.worth, 6), -draft.figures.gate_calls


def _is_better(new: TopicFigures, old: TopicFigures) -> bool:
    if new.worth >= old.worth + LEAST_GAIN:
        return True
    return new.worth >= old.worth and new.gate_calls < (1 - LEAST_SAVED) * old.gate_calls


def _drafts(
    here: _Draft, samples: Sequence[JudgedMessage], everyday: Sequence[str], matcher_for: MatcherFor, now: datetime
) -> Iterator[_Draft]:
    """Every single edit, made and weighed; one that leaves the file unreadable is none."""
    matcher = matcher_for(here.topic)
    for edit, what in _edits(here.topic, samples, everyday, matcher, now):
        data = edited(here.data, edit)
        read = read_topic(here.topic.path, data) if data is not None else None
        if data is not None and read is not None and read.topic is not None and read.topic != here.topic:
            found = figures(read.topic.id, samples, matcher_for(read.topic), now)
            yield _Draft(read.topic, data, what, found)


def _edits(
    topic: Topic, samples: Sequence[JudgedMessage], everyday: Sequence[str], matcher: Matching, now: datetime
) -> Iterator[tuple[Edit, str]]:
    yield from _thresholds(topic, samples, matcher, now)
    yield from _narrower(topic)
    yield from _wider(topic, samples, everyday, matcher, now)
    yield from _bypass(topic, len(samples))


def _thresholds(
    topic: Topic, samples: Sequence[JudgedMessage], matcher: Matching, now: datetime
) -> Iterator[tuple[Edit, str]]:
    """Between two scores of which one should wake it and the other should not, the best calibrated first."""
    scored = sorted(
        (score, sample.useful)
        for sample in samples
        if (score := matcher.match(sample.message, now).scores.get(topic.id)) is not None
    )
    cuts = {f"{(a + b) / 2:.2f}" for (a, yes), (b, other) in pairwise(scored) if yes != other and b - a >= 0.01}
    best = crossing(*zip(*scored, strict=True)) if len(cuts) > 1 else None
    old = f"{topic.similarity_threshold:g}" if topic.similarity_threshold is not None else "not set"
    for cut in sorted(cuts - {old}, key=lambda cut: (abs(float(cut) - (best or 0.0)), cut))[:_MOST_THRESHOLDS]:
        yield SetKey("similarity_threshold", cut), f"similarity_threshold {old} → {cut}"


def _narrower(topic: Topic) -> Iterator[tuple[Edit, str]]:
    for trigger in topic.triggers:
        if isinstance(trigger, PatternTrigger):
            for pattern, gone in without_one(trigger.match):
                edit = SetPattern(trigger.line, trigger.match, pattern)
                yield edit, f"pattern on line {trigger.line} without “{gone}”"


def _wider(
    topic: Topic, samples: Sequence[JudgedMessage], everyday: Sequence[str], matcher: Matching, now: datetime
) -> Iterator[tuple[Edit, str]]:
    missed = [one.message.text for one in samples if one.useful and not _matched(topic.id, one, matcher, now)]
    refused = (one.message.text for one in samples if not one.useful)
    words = missing_words(missed, refused, everyday)
    for count in range(1, len(words) + 1):
        yield AddKeywords(words[:count]), f"keywords {', '.join(words[:count])}"


def _matched(topic: str, sample: JudgedMessage, matcher: Matching, now: datetime) -> bool:
    return topic in matcher.match(sample.message, now).candidates


def _bypass(topic: Topic, count: int) -> Iterator[tuple[Edit, str]]:
    """The neighbouring priorities, and the other way past the gate; never `manual`, never `critical`."""
    at = _PRIORITIES.index(topic.priority)
    for other in _PRIORITIES[max(0, at - 1) : at + 2]:
        if other not in (topic.priority, Priority.CRITICAL):
            yield SetKey("priority", other.value), f"priority {topic.priority.value} → {other.value}"
    swapped = {Activation.AUTO: Activation.GATED, Activation.GATED: Activation.AUTO}.get(topic.activation)
    if swapped is not None and (swapped is Activation.GATED or count >= LEAST_FOR_AUTO):
        yield SetKey("activation", swapped.value), f"activation {topic.activation.value} → {swapped.value}"
