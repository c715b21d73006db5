"""Defines the ten kinds of triggers that a topic can have (decision D15)."""

from enum import StrEnum
from typing import ClassVar

import msgspec

from engine.topics.decision import TriggerEvidence
from engine.topics.messages import Direction

LONGEST_FOUND = 80  # characters of what matched that a decision records


class Scope(StrEnum):
    """The side of the conversation that a trigger listens to (decision D15)."""

    INPUT = "input"
    OUTPUT = "output"
    BOTH = "both"

    def covers(self, direction: Direction) -> bool:
        return self is Scope.BOTH or (self is Scope.INPUT) == (direction is Direction.INPUT)


class MoodShift(StrEnum):
    """The direction in which a session's mood has to turn for a sentiment trigger."""

    NEGATIVE = "negative"
    POSITIVE = "positive"
    ANY = "any"


class Trigger(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """The fields that every trigger has. `line` is its line in the topic's file, from 1. The first field of each kind
    is what it looks for; `ANYTHING` says so where that may be empty."""

    ANYTHING: ClassVar[str] = ""

    scope: Scope = Scope.INPUT
    correction_hint: str = ""  # the hint that an output trigger gives the agent (autopoiesis §4.3)
    line: int = 0

    @property
    def kind(self) -> str:
        """The word that `type:` has in the file."""
        return str(self.__struct_config__.tag)

    @property
    def what(self) -> str:
        """Names what it looks for, in the operator's own words: the pattern, the keywords, the schedule."""
        written: str | tuple[str, ...] = getattr(self, self.__struct_fields__[len(Trigger.__struct_fields__)])
        return written if isinstance(written, str) else ", ".join(written) or self.ANYTHING

    def evidence(self, found: str, start: int = 0, end: int = 0) -> TriggerEvidence:
        """The evidence that it matched, with the matched text cut."""
        cut = found[:LONGEST_FOUND]
        return TriggerEvidence(trigger=self.kind, what=self.what, line=self.line, start=start, end=end, found=cut)


class PatternTrigger(Trigger, frozen=True, kw_only=True, tag="pattern"):
    """An RE2 pattern, case-insensitive, searched anywhere in the text (decisions D16, D38)."""

    match: str


class GlobTrigger(Trigger, frozen=True, kw_only=True, tag="glob"):
    """A glob on the paths in tool calls. Without a slash it is matched against the last part of a path."""

    match: str


class KeywordsTrigger(Trigger, frozen=True, kw_only=True, tag="keywords"):
    """Words or phrases as whole words, in any case; `at_least` of them have to be there."""

    words: tuple[str, ...]
    at_least: int = 1


class CodeTrigger(Trigger, frozen=True, kw_only=True, tag="code"):
    """Program code in the text; in any language where none is named."""

    ANYTHING: ClassVar[str] = "any code"

    languages: tuple[str, ...] = ()


class LanguageTrigger(Trigger, frozen=True, kw_only=True, tag="language"):
    """Text in one of these languages, by ISO 639-1 code."""

    languages: tuple[str, ...]


class MentionTrigger(Trigger, frozen=True, kw_only=True, tag="mention"):
    """A name, or `@name`; a name without `@` is found with one too."""

    names: tuple[str, ...]


class UrlTrigger(Trigger, frozen=True, kw_only=True, tag="url"):
    """A link to one of these hosts (`github.com`, `github.com/*/*/pull/*`); any link where none is named."""

    ANYTHING: ClassVar[str] = "any link"

    hosts: tuple[str, ...] = ()


class SentimentTrigger(Trigger, frozen=True, kw_only=True, tag="sentiment"):
    """A turn of mood by at least `by` (from 0 to 2) against `Message.mood`, or shouting (`URGENT`, `!!!`)."""

    shift: MoodShift = MoodShift.NEGATIVE
    by: float = 0.5

    @property
    def what(self) -> str:
        return f"{self.shift} by {self.by:g}"


class WebhookTrigger(Trigger, frozen=True, kw_only=True, tag="webhook"):
    """An event that another program reports; any event of the source where none is named."""

    source: str
    event: str = ""

    @property
    def what(self) -> str:
        return f"{self.source}:{self.event or '*'}"


class CronTrigger(Trigger, frozen=True, kw_only=True, tag="cron"):
    """A schedule in the workspace's zone (decision G5)."""

    schedule: str


AnyTrigger = (
    PatternTrigger
    | GlobTrigger
    | KeywordsTrigger
    | CodeTrigger
    | LanguageTrigger
    | MentionTrigger
    | UrlTrigger
    | SentimentTrigger
    | WebhookTrigger
    | CronTrigger
)
