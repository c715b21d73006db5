"""Tier 1: finds which topics a message matches: whole words by an index, patterns by one RE2 set (§4.2). Without a
match there is no candidate, rather than all topics (decision D18)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from engine.topics import topic as kinds
from engine.topics.decision import Correction, TriggerEvidence
from engine.topics.messages import Direction, Message
from engine.topics.patterns.boundaries import Bounded
from engine.topics.patterns.code_detection import Code, canonical, find_code
from engine.topics.patterns.language_detection import detect_language
from engine.topics.patterns.pattern_sets import PatternSets
from engine.topics.patterns.sentiment import mood_of, shouted, turned
from engine.topics.patterns.text_patterns import text_pattern
from engine.topics.patterns.urls import Link, glob_pattern, leads_to, links
from engine.topics.patterns.word_index import WordIndex, WordPattern, spaced_words, words_of

LONGEST_TEXT = 200_000  # characters of a message that are looked at; what is longer is said to be cut
MOST_POINTED = 16
"""Most patterns of a message whose place is searched; that costs more than finding matches."""

Key = tuple[str, str, int]  # a topic's id, its content's hash, and the number of the trigger
Searched = kinds.PatternTrigger | kinds.KeywordsTrigger | kinds.MentionTrigger
Detected = kinds.CodeTrigger | kinds.LanguageTrigger | kinds.UrlTrigger | kinds.SentimentTrigger


class Matches(msgspec.Struct, frozen=True):
    """The evidence by topic, hints of output triggers, and the message's mood if measured."""

    evidence: Mapping[str, tuple[TriggerEvidence, ...]]
    corrections: tuple[Correction, ...] = ()
    mood: float | None = None


class TopicPatterns:
    """Tier 1 for a set of topics, with disabled and manual ones: their matches are shown."""

    def __init__(self, topics: Sequence[kinds.Topic], earlier: "TopicPatterns | None" = None) -> None:
        """`earlier`: a matcher of similar topics, whose compiled sets are reused."""
        self._triggers = {
            (topic.id, topic.sha256, number): trigger
            for topic in topics
            for number, trigger in enumerate(topic.triggers)
            if not isinstance(trigger, kinds.WebhookTrigger | kinds.CronTrigger)
        }
        self._searched = {key: each for key, each in self._triggers.items() if isinstance(each, Searched)}
        known = earlier._words if earlier else {}
        self._words: dict[Key, WordPattern | None] = {
            key: known[key] if key in known else words_of(each) for key, each in self._searched.items()
        }
        known_texts = earlier._texts if earlier else {}
        self._texts: dict[Key, Bounded] = {key: known_texts[key] for key in self._words if key in known_texts}
        self._evidence: dict[Key, TriggerEvidence] = {}
        self._by_word = WordIndex({key: words for key, words in self._words.items() if words is not None})
        patterns = {key: self._text(key).filter for key, words in self._words.items() if words is None}
        globs = {
            key: glob_pattern(each.match) for key, each in self._triggers.items() if isinstance(each, kinds.GlobTrigger)
        }
        self._detected = {key: each for key, each in self._triggers.items() if isinstance(each, Detected)}
        self._asks_for_mood = any(isinstance(trigger, kinds.SentimentTrigger) for trigger in self._detected.values())
        self._patterns: PatternSets[Key] = earlier._patterns.changed(patterns) if earlier else PatternSets(patterns)
        self._globs: PatternSets[Key] = earlier._globs.changed(globs) if earlier else PatternSets(globs, fold=False)

    def match(self, message: Message) -> Matches:
        """Finds all matches; injected text never matches (decision D20)."""
        if message.injected:
            return Matches({})
        seen = MessageFacts(message)
        evidence: defaultdict[str, list[TriggerEvidence]] = defaultdict(list)
        corrections: dict[Correction, None] = {}
        for key, found in self._found(seen, message.direction):
            trigger = self._triggers[key]
            evidence[key[0]].append(found)
            if trigger.correction_hint and message.direction is Direction.OUTPUT:
                corrections[Correction(key[0], trigger.correction_hint)] = None
        mood = seen.mood if self._asks_for_mood else None
        ordered = {topic: tuple(sorted(each, key=lambda one: one.line)) for topic, each in sorted(evidence.items())}
        return Matches(ordered, tuple(sorted(corrections, key=lambda each: each.topic)), mood)

    def _found(self, seen: "MessageFacts", direction: Direction) -> Iterator[tuple[Key, TriggerEvidence]]:
        # The sets say which pattern may match, not where: the place is looked for in the first `MOST_POINTED` alone.
        for number, key in enumerate([*self._patterns.hits(seen.data), *self._by_word.hits(seen.text)]):
            trigger = self._triggers[key]
            if trigger.scope.covers(direction):
                found = self._in_text(key, trigger, seen, point=number < MOST_POINTED)
                if found is not None:
                    yield key, found
        for path in seen.paths:
            for key in self._globs.hits(path.encode("utf-8", "replace")):
                if self._triggers[key].scope.covers(direction):
                    yield key, self._triggers[key].evidence(path)
        for key, trigger in self._detected.items():
            if trigger.scope.covers(direction):
                yield from ((key, found) for found in _detect(trigger, seen))

    def _in_text(
        self, key: Key, trigger: kinds.AnyTrigger, seen: "MessageFacts", *, point: bool
    ) -> TriggerEvidence | None:
        """Returns the evidence of a pattern that may match; None if it does not. `point`: with its place."""
        words = self._words[key]
        if words is not None and words.plain and seen.ascii:
            return _at(trigger, seen, words.place(seen.spaced)) if point else self._unpointed(key)
        # The set stops at one keyword; how many there are is counted here.
        if isinstance(trigger, kinds.KeywordsTrigger) and trigger.at_least > 1 and not _has_enough(trigger, seen.text):
            return None
        pattern = self._text(key)
        if not point and (words is None or words.whole) and pattern.says_all(seen.ascii):
            return self._unpointed(key)
        span = pattern.find(seen.text)
        return _at(trigger, seen, span) if span is not None else None

    def _text(self, key: Key) -> Bounded:
        """Returns a trigger's pattern, made on first use: most triggers are decided by words."""
        if (pattern := self._texts.get(key)) is None:
            pattern = self._texts[key] = text_pattern(self._searched[key])
        return pattern

    def _unpointed(self, key: Key) -> TriggerEvidence:
        """Returns evidence without a place, cached, as it is the same for every message."""
        if (found := self._evidence.get(key)) is None:
            found = self._evidence[key] = self._triggers[key].evidence("")
        return found


class MessageFacts:
    """One message and facts about it, computed on demand."""

    def __init__(self, message: Message) -> None:
        # A lone surrogate cannot be encoded for RE2: it becomes `?`, of the same length, so that places stay right.
        self.text = message.text[:LONGEST_TEXT].encode("utf-8", "replace").decode()
        self.data = self.text.encode()
        self.ascii = self.text.isascii()
        self.before = message.mood
        self.paths = tuple(dict.fromkeys(path for call in message.tool_calls for path in call.paths))

    @cached_property
    def spaced(self) -> str:
        return spaced_words(self.text)

    @cached_property
    def code(self) -> tuple[Code, ...]:
        return find_code(self.text)

    @cached_property
    def language(self) -> str:
        return detect_language(self.text)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        return tuple(links(self.text))

    @cached_property
    def mood(self) -> float:
        return mood_of(self.text)

    @cached_property
    def shout(self) -> tuple[int, int] | None:
        return shouted(self.text)


def _at(trigger: kinds.AnyTrigger, seen: MessageFacts, span: tuple[int, int]) -> TriggerEvidence:
    return trigger.evidence(seen.text[slice(*span)], *span)


def _has_enough(trigger: kinds.KeywordsTrigger, text: str) -> bool:
    patterns = (text_pattern(kinds.KeywordsTrigger(words=(word,))) for word in dict.fromkeys(trigger.words))
    return sum(pattern.find(text) is not None for pattern in patterns) >= trigger.at_least


def _detect(trigger: Detected, seen: MessageFacts) -> Iterator[TriggerEvidence]:
    match trigger:
        case kinds.CodeTrigger():
            wanted = {canonical(language) for language in trigger.languages}
            for code in seen.code:
                if not wanted or code.language in wanted:
                    yield trigger.evidence(code.language, code.start, code.end)
                    return
        case kinds.LanguageTrigger():
            if seen.language and seen.language in {code.lower() for code in trigger.languages}:
                yield trigger.evidence(seen.language)
        case kinds.UrlTrigger():
            for link in seen.links:
                if not trigger.hosts or any(leads_to(link, host) for host in trigger.hosts):
                    yield trigger.evidence(seen.text[link.start : link.end], link.start, link.end)
                    return
        case kinds.SentimentTrigger():
            if trigger.shift is not kinds.MoodShift.POSITIVE and seen.shout is not None:
                yield trigger.evidence(seen.text[slice(*seen.shout)], *seen.shout)
            elif turned(trigger, seen.before, seen.mood):
                yield trigger.evidence(f"{seen.before:+.2f} → {seen.mood:+.2f}")
