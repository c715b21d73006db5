"""Defines a topic, its triggers, and the problems of its file (autopoiesis §2.2)."""

from enum import StrEnum
from typing import ClassVar

import msgspec

from engine.topics.decision import TriggerEvidence
from engine.topics.messages import Direction

LONGEST_FOUND = 80  # characters of what matched that a decision records


class Scope(StrEnum):
    """The side of the conversation that a trigger applies to (decision D15)."""

    INPUT = "input"
    OUTPUT = "output"
    BOTH = "both"

    def covers(self, direction: Direction) -> bool:
        return self is Scope.BOTH or (self is Scope.INPUT) == (direction is Direction.INPUT)


class MoodShift(StrEnum):
    """The direction of a mood change for a sentiment trigger."""

    NEGATIVE = "negative"
    POSITIVE = "positive"
    ANY = "any"


class Trigger(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """The fields of every trigger. `line`: in the topic's file, from 1. The first field is what a trigger looks for."""

    ANYTHING: ClassVar[str] = ""

    scope: Scope = Scope.INPUT
    correction_hint: str = ""  # the hint that an output trigger gives the agent (autopoiesis §4.3)
    line: int = 0

    @property
    def kind(self) -> str:
        """The value of `type:` in the file."""
        return str(self.__struct_config__.tag)

    @property
    def what(self) -> str:
        """The text that it looks for, as written: the pattern, the keywords, the schedule."""
        written: str | tuple[str, ...] = getattr(self, self.__struct_fields__[len(Trigger.__struct_fields__)])
        return written if isinstance(written, str) else ", ".join(written) or self.ANYTHING

    def evidence(self, found: str, start: int = 0, end: int = 0) -> TriggerEvidence:
        """Returns the evidence of a match, with the matched text cut."""
        cut = found[:LONGEST_FOUND]
        return TriggerEvidence(trigger=self.kind, what=self.what, line=self.line, start=start, end=end, found=cut)


class PatternTrigger(Trigger, frozen=True, kw_only=True, tag="pattern"):
    """An RE2 pattern, ignoring case, found anywhere in the text (decisions D16, D38)."""

    match: str


class GlobTrigger(Trigger, frozen=True, kw_only=True, tag="glob"):
    """A glob for paths in tool calls; without a slash, for the last part of a path."""

    match: str


class KeywordsTrigger(Trigger, frozen=True, kw_only=True, tag="keywords"):
    """Whole words or phrases, in any case; at least `at_least` of them."""

    words: tuple[str, ...]
    at_least: int = 1


class CodeTrigger(Trigger, frozen=True, kw_only=True, tag="code"):
    """Program code in one of these languages; in any if none is named."""

    ANYTHING: ClassVar[str] = "any code"

    languages: tuple[str, ...] = ()


class LanguageTrigger(Trigger, frozen=True, kw_only=True, tag="language"):
    """Text in one of these languages, by ISO 639-1 code."""

    languages: tuple[str, ...]


class MentionTrigger(Trigger, frozen=True, kw_only=True, tag="mention"):
    """A name or `@name`; a name without `@` also matches with one."""

    names: tuple[str, ...]


class UrlTrigger(Trigger, frozen=True, kw_only=True, tag="url"):
    """A link to one of these hosts (`github.com`, `github.com/*/*/pull/*`); any link if none is named."""

    ANYTHING: ClassVar[str] = "any link"

    hosts: tuple[str, ...] = ()


class SentimentTrigger(Trigger, frozen=True, kw_only=True, tag="sentiment"):
    """A mood change by at least `by` (0 to 2) from `Message.mood`, or shouting (`URGENT`, `!!!`)."""

    shift: MoodShift = MoodShift.NEGATIVE
    by: float = 0.5

    @property
    def what(self) -> str:
        return f"{self.shift} by {self.by:g}"


class WebhookTrigger(Trigger, frozen=True, kw_only=True, tag="webhook"):
    """An event that another program reports; any event of the source if none is named."""

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


class Activation(StrEnum):
    """The way in which a topic becomes active (autopoiesis §2.3)."""

    AUTO = "auto"
    GATED = "gated"
    MANUAL = "manual"


class Priority(StrEnum):
    """The readiness of a topic to become active: the first column of the gate's table (autopoiesis §5.4)."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    """One topic, read and checked (autopoiesis §2.2). `id`: its path under `topics/` without `.md` (D37)."""

    DEFAULT_THRESHOLD: ClassVar[float] = 0.15

    id: str
    path: str  # Workspace-relative POSIX path of the file
    sha256: str
    title: str
    description: str
    instructions: str  # the body below the frontmatter, title included
    triggers: tuple[AnyTrigger, ...] = ()
    subscriptions: tuple[str, ...] = ()
    activation: Activation = Activation.GATED
    priority: Priority = Priority.MEDIUM
    max_context_kb: float = 4.0
    similarity_threshold: float | None = None
    """The least Tier 2 score, if the file sets one; else the gate's table and `DEFAULT_THRESHOLD` decide."""
    gate_cut: float | None = None
    """The least figure for a yes of the offline gate, if the file sets one; judgements adjust it."""
    similarity_only: bool = False  # true if similarity alone may make it a candidate (decision D17)
    exemplars: tuple[str, ...] = ()
    """Messages that called for it, from the file beside its own; covered by `sha256`."""
    enabled: bool = True  # `enabled: false` in the file: it is listed, and never becomes active


class TopicProblem(msgspec.Struct, frozen=True, kw_only=True):
    """A problem of a topic file, with its line from 1. `error`: it disables the topic."""

    topic: str
    path: str
    line: int
    message: str
    error: bool = True


class TopicSet(msgspec.Struct, frozen=True, kw_only=True):
    """Every readable topic, by id, and the problems of all files."""

    topics: tuple[Topic, ...] = ()
    problems: tuple[TopicProblem, ...] = ()
