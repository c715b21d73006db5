"""Watchers: a message of 2 KB through Tier 1 with 1,000 patterns, through Tiers 1 and 2 with 1,000 and 10,000 topics.

Messages are new each time, after a warm-up of other ones: what a running console sees. A floor stands beside each.
"""

import random
import re
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from statistics import median

import msgspec

from engine.search.embedding.embedder import word_vectors
from engine.text.encoder.encoder import encoder_or_none
from engine.topics.gate.offline import OfflineGate
from engine.topics.gate.question import GateCache
from engine.topics.matcher import Matcher
from engine.topics.messages import Message
from engine.topics.patterns.tier1 import TopicPatterns
from engine.topics.similarity.tier2 import TopicSimilarity
from engine.topics.topic import PatternTrigger, Topic, TopicSet
from tests.benchmarks.figure import Figure

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BYTES = 2_048
MESSAGES = 60
WORDS = 30_000
_SYLLABLES = [first + second for first in "bcdfghjklmnprst" for second in ("a", "er", "i", "on", "u")]


def vocabulary(chance: random.Random) -> list[str]:
    """Words that look like words, the first ones as frequent as `the`."""
    found = {"".join(chance.choices(_SYLLABLES, k=chance.choice((2, 2, 3, 3, 4)))) for _ in range(2 * WORDS)}
    return sorted(found)[:WORDS]


class World:
    """Words with the frequencies of a language, topics about some of them, and messages."""

    def __init__(self, seed: int = 3) -> None:
        self.chance = random.Random(seed)
        self.words = vocabulary(self.chance)
        self.chance.shuffle(self.words)
        self.shares = list(accumulate(1 / (rank + 3) for rank in range(len(self.words))))

    def text(self, count: int) -> str:
        return " ".join(self.chance.choices(self.words, cum_weights=self.shares, k=count))

    def topic(self, number: int) -> Topic:
        """A pattern of four rarer words, and twelve lines of instructions that use them."""
        own = self.chance.sample(self.words[500:], 4)
        lines = "\n".join(f"- {self.text(7)} {self.chance.choice(own)}" for _ in range(12))
        return Topic(
            id=f"t{number}",
            path=f"topics/t{number}.md",
            sha256=f"{number:064d}",
            title=own[0].title(),
            description=f"When {self.text(6)} {own[1]}.",
            instructions=f"# {own[0].title()}\n\n{lines}\n",
            triggers=(PatternTrigger(match=rf"\b({'|'.join(own)})\b"),),
        )

    def messages(self, count: int) -> list[Message]:
        return [Message(id=str(number), text=self.text(600)[:BYTES]) for number in range(count)]


def each_ms(call: Callable[[Message], object], messages: Sequence[Message]) -> float:
    """The median time of a call, in milliseconds."""
    return timed(call, messages)[0]


def timed(call: Callable[[Message], object], messages: Sequence[Message]) -> tuple[float, float]:
    """The medians of a call's time by the clock and on the processor: they differ where others want the machine too."""
    times = []
    for message in messages:
        start, busy = time.perf_counter(), time.thread_time()
        call(message)
        times.append((1e3 * (time.perf_counter() - start), 1e3 * (time.thread_time() - busy)))
    return median(clock for clock, _ in times), median(busy for _, busy in times)


def matcher(topics: tuple[Topic, ...], earlier: Matcher | None = None) -> Matcher:
    return Matcher(
        TopicSet(topics=topics),
        patterns=TopicPatterns(topics, earlier.patterns if earlier else None),
        similarity=TopicSimilarity(
            topics,
            embedder=word_vectors,
            encoder=encoder_or_none,
            earlier=earlier.similarity if earlier else None,
        ),
        gate=OfflineGate(),
        cache=GateCache(),
        zone="UTC",
        timer=time.perf_counter,
    )


def ratios() -> list[Figure]:
    world = World()
    topics = tuple(world.topic(number) for number in range(10_000))
    warm, new = world.messages(MESSAGES), world.messages(MESSAGES)
    return [
        _tier1(topics[:1_000], warm, new),
        *_both(world, topics[:1_000], warm, new, 2.0),
        *_both(world, topics, warm, new, 10.0),
    ]


def _tier1(topics: tuple[Topic, ...], warm: Sequence[Message], new: Sequence[Message]) -> Figure:
    patterns = TopicPatterns(topics)
    each_ms(patterns.match, warm)
    reached, busy = timed(patterns.match, new)
    alone = [re.compile(str(topic.triggers[0].what), re.IGNORECASE) for topic in topics]
    one_by_one = each_ms(lambda message: [each.search(message.text) for each in alone], new[:10])
    hits = median(len(patterns.match(message).evidence) for message in new)
    detail = f"processor {busy:.2f} ms; {hits:g} matches; `re` one by one: {one_by_one:.0f} ms"
    return Figure("Tier 1, 1,000 patterns, 2 KB", reached, 1.0, "ms", detail)


def _both(
    world: World, topics: tuple[Topic, ...], warm: Sequence[Message], new: Sequence[Message], target: float
) -> list[Figure]:
    start = time.perf_counter()
    made = matcher(topics)
    each_ms(lambda message: made.match(message, NOW), warm)
    built = time.perf_counter() - start
    reached, busy = timed(lambda message: made.match(message, NOW), new)
    vectors = word_vectors()
    floor = each_ms(lambda message: vectors.embed([message.text]) if vectors else None, new)
    changed = _changed(world, topics, made)
    name = f"{len(topics):,} topics"
    detail = f"processor {busy:.2f} ms; embedding the message alone: {floor:.2f} ms"
    share = changed / built
    return [
        Figure(f"Tiers 1 and 2, {name}, 2 KB", reached, target, "ms", detail),
        Figure(f"one topic file changed, {name}", share, 0.2, "×", f"of building all; {1e3 * changed:.0f} ms"),
    ]


def _changed(world: World, topics: tuple[Topic, ...], made: Matcher) -> float:
    """Seconds until the first message is decided by the changed topics."""
    new = msgspec.structs.replace(topics[7], sha256="f" * 64, instructions=world.text(80))
    start = time.perf_counter()
    other = matcher((*topics[:7], new, *topics[8:]), made)
    other.match(Message(id="x", text=world.text(300)), NOW)
    elapsed = time.perf_counter() - start
    assert other.similarity.analysed == 1
    return elapsed
