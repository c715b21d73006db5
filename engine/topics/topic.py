"""A topic as its file states it, and what is wrong with a file that cannot be read (autopoiesis §2.2)."""

from enum import StrEnum
from typing import ClassVar

import msgspec

from engine.topics.trigger import AnyTrigger


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
    """One topic file, read and checked (autopoiesis §2.2). `id` is its path under `topics/` without `.md` (D37)."""

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
    """The least Tier 2 score, where the file names one; else the gate's table and `DEFAULT_THRESHOLD` decide."""
    gate_cut: float | None = None
    """The least figure for a yes of the offline gate, where the file names one; judgements teach it."""
    similarity_only: bool = False  # true if similarity alone may make it a candidate (decision D17)
    exemplars: tuple[str, ...] = ()
    """Messages that called for it, from the file beside its own; part of what `sha256` covers."""
    enabled: bool = True  # `enabled: false` in the file: it is listed, and never becomes active


class TopicProblem(msgspec.Struct, frozen=True, kw_only=True):
    """A fault of a topic file, with its line from 1. An error disables the topic, a remark does not."""

    topic: str
    path: str
    line: int
    message: str
    error: bool = True


class TopicSet(msgspec.Struct, frozen=True, kw_only=True):
    """Every topic that could be read, in the order of ids, and what was wrong with it or with the others."""

    topics: tuple[Topic, ...] = ()
    problems: tuple[TopicProblem, ...] = ()
