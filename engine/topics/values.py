"""The values of the watchers: topics and their triggers, messages and events, and what a match came to."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

import msgspec


class Scope(StrEnum):
    """Which side of the conversation a trigger listens to (decision D15)."""

    INPUT = "input"
    OUTPUT = "output"
    BOTH = "both"

    def covers(self, direction: "Direction") -> bool:
        return self is Scope.BOTH or (self is Scope.INPUT) == (direction is Direction.INPUT)


class Direction(StrEnum):
    """Whether a message came in from the user or went out from the agent."""

    INPUT = "input"
    OUTPUT = "output"


class Activation(StrEnum):
    """How a topic becomes active (autopoiesis §2.3)."""

    AUTO = "auto"
    GATED = "gated"
    MANUAL = "manual"


class Priority(StrEnum):
    """How readily a topic becomes active: the first column of the gate's table (autopoiesis §5.4)."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Shift(StrEnum):
    """Which way a session's mood has to turn for a sentiment trigger."""

    NEGATIVE = "negative"
    POSITIVE = "positive"
    ANY = "any"


# ── triggers (decision D15) ──────────────────────────────────────────────────────────────────────────────────────────


class Trigger(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """What every trigger has. `line` is its line in the topic's file, from 1."""

    scope: Scope = Scope.INPUT
    correction_hint: str = ""
    """What an output trigger tells the agent (autopoiesis §4.3)."""
    line: int = 0

    @property
    def kind(self) -> str:
        """The word that `type:` has in the file."""
        return str(self.__struct_config__.tag)

    @property
    def what(self) -> str:
        """What it looks for, in the operator's own words: the pattern, the keywords, the schedule."""
        raise NotImplementedError


class PatternTrigger(Trigger, frozen=True, kw_only=True, tag="pattern"):
    """An RE2 pattern, case-insensitive, searched anywhere in the text (decisions D16, D38)."""

    match: str

    @property
    def what(self) -> str:
        return self.match


class GlobTrigger(Trigger, frozen=True, kw_only=True, tag="glob"):
    """A glob on the paths in tool calls. Without a slash it is matched against the last part of a path."""

    match: str

    @property
    def what(self) -> str:
        return self.match


class KeywordsTrigger(Trigger, frozen=True, kw_only=True, tag="keywords"):
    """Words or phrases as whole words, in any case; `at_least` of them have to be there."""

    words: tuple[str, ...]
    at_least: int = 1

    @property
    def what(self) -> str:
        return ", ".join(self.words)


class CodeTrigger(Trigger, frozen=True, kw_only=True, tag="code"):
    """Program code in the text; in any language where none is named."""

    languages: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        return ", ".join(self.languages) or "any code"


class LanguageTrigger(Trigger, frozen=True, kw_only=True, tag="language"):
    """Text in one of these languages, by ISO 639-1 code."""

    languages: tuple[str, ...]

    @property
    def what(self) -> str:
        return ", ".join(self.languages)


class MentionTrigger(Trigger, frozen=True, kw_only=True, tag="mention"):
    """A name, or `@name`; a name without `@` is found with one too."""

    names: tuple[str, ...]

    @property
    def what(self) -> str:
        return ", ".join(self.names)


class UrlTrigger(Trigger, frozen=True, kw_only=True, tag="url"):
    """A link to one of these hosts (`github.com`, `github.com/*/*/pull/*`); any link where none is named."""

    hosts: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        return ", ".join(self.hosts) or "any link"


class SentimentTrigger(Trigger, frozen=True, kw_only=True, tag="sentiment"):
    """A turn of mood by at least `by` (from 0 to 2) against `Message.mood`, or shouting (`URGENT`, `!!!`)."""

    shift: Shift = Shift.NEGATIVE
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

    @property
    def what(self) -> str:
        return self.schedule


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


# ── topics ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    """One topic file, read and checked (autopoiesis §2.2). `id` is its path under `topics/` without `.md` (D37)."""

    DEFAULT_THRESHOLD: ClassVar[float] = 0.15

    id: str
    path: str
    """Workspace-relative POSIX path of the file."""
    sha256: str
    title: str
    description: str
    instructions: str
    """The body below the frontmatter, title included."""
    triggers: tuple[AnyTrigger, ...] = ()
    subscriptions: tuple[str, ...] = ()
    activation: Activation = Activation.GATED
    priority: Priority = Priority.MEDIUM
    max_context_kb: float = 4.0
    similarity_threshold: float | None = None
    """The least Tier 2 score, where the file names one; else the gate's table and `DEFAULT_THRESHOLD` decide."""
    similarity_only: bool = False
    """Whether similarity alone may make it a candidate (decision D17)."""
    enabled: bool = True
    """`enabled: false` in the file: it is listed, and never becomes active."""


class TopicProblem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong in a topic file, with its line from 1. An error disables the topic, a remark does not."""

    topic: str
    path: str
    line: int
    message: str
    error: bool = True


class TopicSet(msgspec.Struct, frozen=True, kw_only=True):
    """Every topic that could be read, in the order of ids, and what was wrong with it or with the others."""

    topics: tuple[Topic, ...] = ()
    problems: tuple[TopicProblem, ...] = ()


# ── what comes in ────────────────────────────────────────────────────────────────────────────────────────────────────


class ToolCall(msgspec.Struct, frozen=True, gc=False):
    """A tool that the agent called, with the paths among its arguments."""

    name: str
    paths: tuple[str, ...] = ()


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message of a session. Everything in it is untrusted."""

    id: str
    text: str
    direction: Direction = Direction.INPUT
    time: datetime | None = None
    session: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    injected: bool = False
    """Put there by a topic or a hook: shown, and never a trigger (decision D20)."""
    mood: float = 0.0
    """The session's mood before this message, from -1 to 1: what a sentiment trigger compares with."""


class WebhookEvent(msgspec.Struct, frozen=True, kw_only=True, tag="webhook"):
    """Something another program reports. `text` is data for the gate and the scores."""

    id: str
    source: str
    event: str = ""
    text: str = ""


class CronEvent(msgspec.Struct, frozen=True, kw_only=True, tag="cron"):
    """Time has passed: schedules that fell due after `since` and not after `until` (aware instants)."""

    id: str
    since: datetime
    until: datetime


Event = WebhookEvent | CronEvent


# ── what a match came to ─────────────────────────────────────────────────────────────────────────────────────────────


class Evidence(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Why a topic is a candidate: the trigger, its line in the file, and where in the message it matched.

    `start` and `end` are characters of `Message.text`, both 0 where nothing in the text can be pointed at.
    """

    trigger: str
    what: str
    line: int = 0
    start: int = 0
    end: int = 0
    found: str = ""
    """What matched, at most 80 characters: raw text of the message, a path, a language's code."""


class Score(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One Tier 2 scorer's opinion: its own figure, and the same on the scale of the gate's table (decision D37)."""

    scorer: str
    raw: float
    calibrated: float


class GateAnswer(StrEnum):
    """What the gate said; `none` where it was not asked."""

    YES = "yes"
    NO = "no"
    NONE = "none"


class Rule(StrEnum):
    """The rule that made a decision (decision D17, autopoiesis §5.4)."""

    DISABLED = "disabled"
    MANUAL = "manual"
    AUTO = "auto"
    CRITICAL = "critical"
    HIGH_SURE = "high-sure"
    """high, score ≥ .3: active without the gate."""
    HIGH_GATE = "high-gate"
    MEDIUM_GATE = "medium-gate"
    MEDIUM_DROP = "medium-drop"
    LOW_GATE = "low-gate"
    LOW_DROP = "low-drop"
    CRITICAL_GATE = "critical-gate"
    """critical without a Tier 1 match, of a `similarity_only` topic: the table has no bypass for it."""
    BELOW_THRESHOLD = "below-threshold"
    """The score is below the topic's own `similarity_threshold`."""
    GATE_FAILED = "gate-failed"
    """The gate could not answer; it fails closed (decision D19)."""


class Decision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What became of one candidate, and why. Times in milliseconds, cost in US dollars."""

    topic: str
    rule: Rule
    gate: GateAnswer
    activated: bool
    tier1: bool
    score: float | None
    """The figure the rule looked at; None where no score was needed."""
    evidence: tuple[Evidence, ...] = ()
    scores: tuple[Score, ...] = ()
    gate_by: str = ""
    """Which gate answered: `offline`, or the model's name; with `cached` set, it had answered before."""
    reason: str = ""
    """One sentence: what the gate gave as its reason, or why it failed."""
    cached: bool = False
    latency_ms: float = 0.0
    cost_usd: float = 0.0
    pulled_in: tuple[str, ...] = ()
    """The files that come into the context with it, its own first."""
    topic_sha256: str = ""


class Correction(msgspec.Struct, frozen=True, gc=False):
    """What an output trigger wants the agent told (autopoiesis §4.3)."""

    topic: str
    hint: str


class Funnel(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How many topics each tier let through, and how long it took in milliseconds."""

    topics: int = 0
    tier1: int = 0
    tier2: int = 0
    gated: int = 0
    active: int = 0
    tier1_ms: float = 0.0
    tier2_ms: float = 0.0
    gate_ms: float = 0.0
    gate_calls: int = 0
    """Questions that the cache could not answer."""
    cost_usd: float = 0.0


class MatchResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message or event, and what it woke. The first six are the JSON of `topics match` (`CLI.md`)."""

    id: str
    candidates: tuple[str, ...] = ()
    """Topics that are looked at more closely: matched by Tier 1, or `similarity_only` at their threshold."""
    scores: dict[str, float] = {}
    """Tier 2's figure for each candidate that was scored."""
    decisions: tuple[Decision, ...] = ()
    active: tuple[str, ...] = ()
    corrections: tuple[Correction, ...] = ()
    """Every hint of an output trigger that matched; cooldown and cap are the steering's (decision D20)."""
    funnel: Funnel = Funnel()
    message_sha256: str = ""
    mood: float | None = None
    """The message's own mood from -1 to 1, where a sentiment trigger asked for it."""
    degraded: tuple[str, ...] = ()
    """Why this answer may be worse than it could be: a gate that failed, vectors that are missing."""
