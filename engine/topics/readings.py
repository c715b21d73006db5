"""The texts by which a message is compared with topics: all of it, each request in it, an operator's own word.

A message that asks for two things is about neither of them as a whole, and a word that stands in a topic's trigger
alone ("Rechnung") says nothing to a scorer that knows the topic's text. So short messages are read again: request by
request, and with the title of the topic in the place of such a word.
"""

from collections.abc import Iterator, Mapping

import msgspec

from engine.topics.decision import TriggerEvidence
from engine.topics.patterns.sentiment import TOPIC_WORDS
from engine.topics.topic import Topic

LONGEST = 400
"""Characters of a message that is read again: longer ones are no requests, and each reading costs a scoring."""
MOST = 4
"""Readings beside that of the whole message."""
_SHORTEST = 2
"""Words of a request, or characters in scripts without spaces."""
_LONG = 6
"""Characters of a word that hardly means something else too."""
_WORDED = frozenset({"pattern", "keywords", "mention"})

Evidence = Mapping[str, tuple[TriggerEvidence, ...]]


class MessageReading(msgspec.Struct, frozen=True):
    """A text, and the topics that may be looked at by it; None for all without a Tier 1 match too."""

    text: str
    topics: frozenset[str] | None = None
    as_said: bool = True
    """False where a word of the message gave way to another."""


def readings(text: str, evidence: Evidence, topics: Mapping[str, Topic], *, alone: bool) -> tuple[MessageReading, ...]:
    """The other readings of a message. `alone`: there are topics that need no Tier 1 match."""
    if len(text) > LONGEST:
        return ()
    found = [*_own_words(text, evidence, topics), *_requests(text, evidence, alone=alone)]
    return tuple(found[:MOST])


def _requests(text: str, evidence: Evidence, *, alone: bool) -> Iterator[MessageReading]:
    """The requests in which a topic's trigger matches, where they do in several; every one of them if `alone`."""
    spans = [span for span in _spans(text) if _says_something(text[slice(*span)])]
    if len(spans) < 2:
        return
    held = [
        frozenset(name for name, each in evidence.items() if any(start <= one.start < one.end <= end for one in each))
        for start, end in spans
    ]
    if not alone and sum(map(bool, held)) < 2:
        return
    for span, names in zip(spans, held, strict=True):
        if alone:
            yield MessageReading(text[slice(*span)])
        elif names:
            yield MessageReading(text[slice(*span)], names)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for between in TOPIC_WORDS["between"].finditer(text):
        yield start, between.start()
        start = between.end()
    yield start, len(text)


def _says_something(request: str) -> bool:
    plain = request.strip()
    return len(plain.split()) >= _SHORTEST or (len(plain) >= 2 * _SHORTEST and not plain.isascii())


def _own_words(text: str, evidence: Evidence, topics: Mapping[str, Topic]) -> Iterator[MessageReading]:
    """The title in the place of a word that one topic's trigger has and its text has not."""
    for name, found in evidence.items():
        for one in found:
            word = text[one.start : one.end]
            others = (each for other in evidence if other != name for each in evidence[other])
            taken = any(one.start < each.end and each.start < one.end for each in others)
            if one.trigger in _WORDED and _is_rare(word) and not taken and not _has(topics[name], word):
                yield MessageReading(
                    f"{text[: one.start]}{topics[name].title}{text[one.end :]}", frozenset({name}), False
                )
                break


def _is_rare(word: str) -> bool:
    """Tells whether a word is long, in capitals, or not of ASCII: short ones ("must", "post") have many senses."""
    return len(word) >= _LONG or (len(word) > 1 and (word.isupper() or not word.isascii()))


def _has(topic: Topic, word: str) -> bool:
    said = f"{topic.title}\n{topic.description}\n{topic.instructions}"
    return word.casefold() in said.casefold()
