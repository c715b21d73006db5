"""Messages divided by intent: those that anything was chosen by, and a third that nothing was.

The third is of topics, of neighbouring intents, and of messages out of scope; the topics' texts all stay in force. Some
messages of each topic are kept apart as exemplars and are measured by nothing.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.topics.topic import Topic, TopicSet
from tests.benchmarks.topics_folds import Message, quality

SEED = 20261123
POOL = 8
"""Messages of each topic that are kept apart as exemplars."""
SAMPLES = 2_000


class Split(NamedTuple):
    """The messages to measure on, and exemplars by topic."""

    development: tuple[Message, ...]
    unseen: tuple[Message, ...]
    exemplars: dict[str, tuple[str, ...]]


def split(asked: Sequence[Message], topics: Sequence[Topic]) -> Split:
    chance = random.Random(SEED)
    order = list(range(len(topics)))
    chance.shuffle(order)
    late = {topics[at].id for at in order[: len(topics) // 3]}
    intents = sorted({one.intent for one in asked if one.intent})
    chance.shuffle(intents)
    late |= set(intents[: len(intents) // 3])
    apart: list[Message] = []
    parts: tuple[list[Message], list[Message]] = ([], [])
    for one in asked:
        is_late = group(one) in late if one.topics or one.intent else chance.random() < 1 / 3
        parts[is_late].append(one)
    exemplars = {}
    for topic in topics:
        own = [one for one in asked if topic.id in one.topics]
        chosen = random.Random(f"{SEED} {topic.id}").sample(own, POOL)
        apart += chosen
        exemplars[topic.id] = tuple(one.text for one in chosen)
    gone = set(map(id, apart))
    left = [tuple(one for one in part if id(one) not in gone) for part in parts]
    return Split(left[0], left[1], exemplars)


def group(one: Message) -> str:
    """The intent of a message; empty out of scope."""
    return one.topics[0] if one.topics else one.intent


def taught(topics: TopicSet, exemplars: dict[str, tuple[str, ...]], count: int, *, shifted: bool = False) -> TopicSet:
    """The topics with so many exemplars each. `shifted`: with those of the next topic, as a placebo."""
    names = [topic.id for topic in topics.topics]
    given = dict(zip(names, [*names[1:], names[0]], strict=True)) if shifted else {name: name for name in names}
    found = []
    for topic in topics.topics:
        own = exemplars[given[topic.id]][:count]
        found.append(msgspec.structs.replace(topic, exemplars=own, sha256=f"{topic.sha256} {own}"))
    return TopicSet(topics=tuple(found))


def pairs(asked: Sequence[Message], count: int = 200) -> list[Message]:
    """Messages that ask for two topics, joined by `and`."""
    chance = random.Random(SEED)
    wanted = [one for one in asked if one.topics]
    found: list[Message] = []
    while len(found) < count:
        first, second = chance.sample(wanted, 2)
        if first.topics != second.topics:
            found.append(Message(f"{first.text} and {second.text}", [*first.topics, *second.topics], "two"))
    return found


def gain(asked: Sequence[Message], one: Sequence[Sequence[str]], other: Sequence[Sequence[str]]) -> str:
    """The difference in F1 and its 95 % interval, by a paired bootstrap over intents."""
    names = [group(each) or f"oos {at}" for at, each in enumerate(asked)]
    place = {name: at for at, name in enumerate(dict.fromkeys(names))}
    counts = np.zeros((2, len(place), 3))
    for at, name in enumerate(names):
        for which, active in enumerate((one[at], other[at])):
            right = len(set(asked[at].topics) & set(active))
            counts[which, place[name]] += (right, len(active), len(asked[at].topics))
    weights = np.random.default_rng(SEED).multinomial(len(place), [1 / len(place)] * len(place), SAMPLES)
    low, high = np.quantile(_f1(weights @ counts[0]) - _f1(weights @ counts[1]), (0.025, 0.975))
    middle = quality(asked, one).f1 - quality(asked, other).f1
    return f"{middle:+.1f} [{low:+.1f},{high:+.1f}]"


def _f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """From right, said and wanted; F1 in per cent."""
    found: NDArray[np.float64] = 200 * sums[:, 0] / np.maximum(1, sums[:, 1] + sums[:, 2])
    return found
