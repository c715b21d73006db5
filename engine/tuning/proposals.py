"""Looks for edits of a topic that decide better on its judged messages: thresholds, the offline gate's cut, patterns
without an alternative, missed words, and the bypass of the gate (autopoiesis §5.5). The best edit is made, then the
next is looked for; useful messages become exemplars last. The result is measured on held-back judgements."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import floor

import msgspec

from engine.topics.files.exemplars import MOST as MOST_EXEMPLARS
from engine.topics.files.exemplars import exemplar_of, exemplars_file
from engine.topics.files.topic_file import read_topic
from engine.topics.gate.offline import CUT
from engine.topics.messages import Direction
from engine.topics.topic import Activation, PatternTrigger, Priority, Topic
from engine.tuning.edits import AddKeywords, Edit, SetKey, SetPattern, edited
from engine.tuning.figures import (
    HeldBack,
    JudgedOutcome,
    Samples,
    TopicFigures,
    Trials,
    crossing,
    folded,
    measure_held_back,
    summed,
)
from engine.tuning.patterns import missing_words, without_one

LEAST_SAMPLES = 4  # judgements without which a topic is left alone
LEAST_FOR_AUTO = 10  # judgements without which the gate is not taken away: what it keeps out is seen late
LEAST_NO = 3  # messages judged as not useful, without which no gate is opened: misses alone always speak for less of it
LEAST_EXEMPLARS = 3  # useful messages without which none becomes an exemplar
MOST_NEW = 12  # messages that become exemplars at once, the newest
GATE_CUTS = (0.2, 0.25, 0.3, 0.4, 0.45, 0.5)  # cuts of the offline gate that are tried, on both sides of its 0.35
LEAST_GAIN = 0.02  # by how much an edit has to make a topic better
LEAST_SAVED = 0.2  # or the share of questions to the gate it has to save where nothing gets worse
MOST_EDITS = 4  # edits of one topic in one plan: each is tried after the best one before it
_MOST_THRESHOLDS = 12  # thresholds of one topic that are tried, those nearest to the best cut
_PRIORITIES = tuple(Priority)


class TuningStep(msgspec.Struct, frozen=True):
    """One edit in words, with the figures before and after."""

    what: str
    before: TopicFigures
    after: TopicFigures
    is_of_exemplars: bool = False


class TopicContent(msgspec.Struct, frozen=True):
    """The bytes of a topic's file and of its exemplars' file, empty where there is none."""

    data: bytes
    exemplars: bytes = b""


class Proposal(msgspec.Struct, frozen=True):
    """The edits of one topic, its new bytes, and the figures to expect."""

    topic: str
    path: str
    content: TopicContent
    steps: tuple[TuningStep, ...]
    expected: HeldBack

    @property
    def before(self) -> TopicFigures:
        return self.steps[0].before

    @property
    def after(self) -> TopicFigures:
        return self.steps[-1].after


class _Draft(msgspec.Struct, frozen=True):
    """A topic with the edits so far."""

    topic: Topic
    content: TopicContent
    steps: tuple[TuningStep, ...] = ()


def propose(
    topic: Topic, content: TopicContent, samples: Samples, everyday: Sequence[str], trials: Trials
) -> Proposal | None:
    """Proposes edits that decide better on the judged messages. Words common in `everyday` texts make no trigger."""
    if len(samples) < LEAST_SAMPLES:
        return None
    here = _Draft(topic, content)
    made = _taught(_tuned(here, samples, everyday, trials), samples, trials)

    def learnt(known: Samples, held: Samples) -> Sequence[JudgedOutcome]:
        return trials.outcomes(_taught(_tuned(here, known, everyday, trials), known, trials).topic, held)

    expected = measure_held_back(samples, lambda _, held: trials.outcomes(topic, held), learnt)
    # What is learnt from all judgements has to hold on those that were held back.
    if not made.steps or expected.change < 0:
        return None
    return Proposal(topic.id, topic.path, made.content, made.steps, expected)


def _tuned(here: _Draft, samples: Samples, everyday: Sequence[str], trials: Trials) -> _Draft:
    """Makes the edits of the topic's file, the best first."""
    while len(here.steps) < MOST_EDITS:
        drafts = _drafts(here, samples, everyday, trials)
        best = max(drafts, key=lambda draft: _rank(draft.steps[-1].after), default=None)
        if best is None or not _is_better(best.steps[-1].after, best.steps[-1].before):
            break
        here = best
    return here


def _rank(figures: TopicFigures) -> tuple[float, float]:
    # Rounded, so that sums in another order do not decide.
    return round(figures.worth, 6), -figures.gate_calls


def _is_better(new: TopicFigures, old: TopicFigures) -> bool:
    if new.worth >= old.worth + LEAST_GAIN:
        return True
    return new.worth >= old.worth and new.gate_calls < (1 - LEAST_SAVED) * old.gate_calls


def _drafts(here: _Draft, samples: Samples, everyday: Sequence[str], trials: Trials) -> Iterator[_Draft]:
    """Yields the topic with each possible edit and its figures; skips edits that make the file unreadable."""
    before = trials.figures(here.topic, samples)
    for edit, what in _edits(here.topic, samples, everyday, trials):
        data = edited(here.content.data, edit)
        read = read_topic(here.topic.path, data, here.content.exemplars) if data is not None else None
        if data is not None and read is not None and read.topic is not None and read.topic != here.topic:
            step = TuningStep(what, before, trials.figures(read.topic, samples))
            yield _Draft(read.topic, TopicContent(data, here.content.exemplars), (*here.steps, step))


# ── exemplars ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _taught(here: _Draft, samples: Samples, trials: Trials) -> _Draft:
    """Adds the useful messages as exemplars, if decisions on held-back messages get no worse."""
    new = _new_exemplars(here.topic, samples)
    if len(new) < LEAST_EXEMPLARS:
        return here
    before: list[JudgedOutcome] = []
    after: list[JudgedOutcome] = []
    for known, held in folded(samples):
        before += trials.outcomes(here.topic, held)
        after += trials.outcomes(_with(here, _new_exemplars(here.topic, known)).topic, held)
    step = TuningStep(
        f"{len(new)} useful messages become exemplars", summed(before), summed(after), is_of_exemplars=True
    )
    if step.after.worth < step.before.worth:
        return here
    found = _with(here, new)
    return _Draft(found.topic, found.content, (*here.steps, step))


def _new_exemplars(topic: Topic, samples: Samples) -> tuple[str, ...]:
    useful = (sample.message for sample in samples if sample.useful and sample.message.direction is Direction.INPUT)
    said = dict.fromkeys(exemplar_of(message.text) for message in useful)
    return tuple(each for each in said if each and each not in topic.exemplars)[-MOST_NEW:]


def _with(here: _Draft, new: Sequence[str]) -> _Draft:
    """Gives the topic with these exemplars added."""
    beside = exemplars_file(here.topic.id, (*here.topic.exemplars, *new)[-MOST_EXEMPLARS:])
    read = read_topic(here.topic.path, here.content.data, beside)
    if read.topic is None:
        return here
    return _Draft(read.topic, TopicContent(here.content.data, beside), here.steps)


# ── edits ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _edits(topic: Topic, samples: Samples, everyday: Sequence[str], trials: Trials) -> Iterator[tuple[Edit, str]]:
    refused = sum(not sample.useful for sample in samples)
    yield from _thresholds(topic, samples, trials)
    yield from _gate_cuts(topic, refused)
    yield from _narrower(topic)
    yield from _wider(topic, samples, everyday, trials)
    yield from _bypass(topic, len(samples), refused)


def _thresholds(topic: Topic, samples: Samples, trials: Trials) -> Iterator[tuple[Edit, str]]:
    """Yields thresholds below the lowest useful score and between judged scores; the calibrated one first."""
    # A candidate whatever the score, so that the scores of what it misses are known.
    is_open = msgspec.structs.replace(topic, similarity_threshold=0.0) if topic.similarity_only else topic
    matcher = trials.matcher_for(is_open)
    scored = sorted(
        (score, sample.useful)
        for sample in samples
        if (score := matcher.match(sample.message, trials.now).scores.get(topic.id)) is not None
    )
    cuts = {f"{(a + b) / 2:.2f}" for (a, yes), (b, other) in pairwise(scored) if yes != other and b - a >= 0.01}
    best = crossing(*zip(*scored, strict=True)) if len(cuts) > 1 else None
    lowest = min((score for score, useful in scored if useful), default=None)
    now_at = topic.similarity_threshold
    if lowest is not None and now_at is not None and lowest < now_at:
        cuts.add(f"{floor(100 * lowest) / 100:.2f}")
    old = f"{now_at:g}" if now_at is not None else "not set"
    for cut in sorted(cuts - {old}, key=lambda cut: (abs(float(cut) - (best or 0.0)), cut))[:_MOST_THRESHOLDS]:
        yield SetKey("similarity_threshold", cut), f"similarity_threshold {old} → {cut}"


def _gate_cuts(topic: Topic, refused: int) -> Iterator[tuple[Edit, str]]:
    """Yields cuts of the offline gate; lower ones only with enough messages that should not activate the topic."""
    old = CUT if topic.gate_cut is None else topic.gate_cut
    for cut in GATE_CUTS:
        if topic.activation is Activation.GATED and cut != old and (cut > old or refused >= LEAST_NO):
            yield SetKey("gate_cut", f"{cut:g}"), f"gate_cut {old:g} → {cut:g}"


def _narrower(topic: Topic) -> Iterator[tuple[Edit, str]]:
    for trigger in topic.triggers:
        if isinstance(trigger, PatternTrigger):
            for pattern, gone in without_one(trigger.match):
                edit = SetPattern(trigger.line, trigger.match, pattern)
                yield edit, f"pattern on line {trigger.line} without “{gone}”"


def _wider(topic: Topic, samples: Samples, everyday: Sequence[str], trials: Trials) -> Iterator[tuple[Edit, str]]:
    matcher, useful = trials.matcher_for(topic), [sample.message for sample in samples if sample.useful]
    missed = [message.text for message in useful if topic.id not in matcher.match(message, trials.now).candidates]
    words = missing_words(missed, (sample.message.text for sample in samples if not sample.useful), everyday)
    for count in range(1, len(words) + 1):
        yield AddKeywords(words[:count]), f"keywords {', '.join(words[:count])}"


def _bypass(topic: Topic, count: int, refused: int) -> Iterator[tuple[Edit, str]]:
    """Yields the neighbouring priorities and the other activation; never `manual` or `critical`. Opening the gate
    wider needs enough messages that should not activate the topic."""
    at = _PRIORITIES.index(topic.priority)
    sure = refused >= LEAST_NO
    for other in _PRIORITIES[max(0, at - 1) : at + 2]:
        if other not in (topic.priority, Priority.CRITICAL) and (sure or _PRIORITIES.index(other) < at):
            yield SetKey("priority", other.value), f"priority {topic.priority.value} → {other.value}"
    swapped = {Activation.AUTO: Activation.GATED, Activation.GATED: Activation.AUTO}.get(topic.activation)
    if swapped is not None and (swapped is Activation.GATED or (sure and count >= LEAST_FOR_AUTO)):
        yield SetKey("activation", swapped.value), f"activation {topic.activation.value} → {swapped.value}"
