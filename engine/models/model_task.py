"""Defines the tasks of models, and who answers them: offline rules or Claude (decisions G9, D30, D49)."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

import msgspec

from engine.models.summary import NoteTick
from engine.text.pattern_file import fault, source
from engine.text.tokens import TokenCounter

_FIRST_LINE = re.compile(r"<!-- version: (\d+) -->\n")


class TaskPrompt(msgspec.Struct, frozen=True):
    """The instructions of a task. `version` rises with each change; plans and their digests name it."""

    text: str
    version: int


@cache
def task_prompt(name: str) -> TaskPrompt:
    """Reads a prompt file, joining each paragraph to a line. Raises `Damaged` without a version on its first line."""
    written = source(f"{__package__}.prompts", f"{name}.md").decode("utf-8")
    if (head := _FIRST_LINE.match(written)) is None:
        raise fault(f"engine/models/prompts/{name}.md", "", "its first line must be <!-- version: NUMBER -->")
    paragraphs = written[head.end() :].strip().split("\n\n")
    return TaskPrompt("\n".join(" ".join(paragraph.split()) for paragraph in paragraphs), int(head[1]))


I = TypeVar("I")  # noqa: E741  (an item)
A = TypeVar("A")
R = TypeVar("R")


def closed_schema(**fields: object) -> dict[str, object]:
    """Returns the JSON schema of an object with exactly these fields."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


class ModelRole(StrEnum):
    """The purposes for which the policy names a model each."""

    GATE = "gate"
    EXTRACT = "extract"
    SUMMARISE = "summarise"
    COMMIT = "commit"


class ModelQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question as it would be sent to a model."""

    role: ModelRole
    model: str
    system: str
    prompt: str
    schema: Mapping[str, Any]
    max_tokens: int

    @property
    def key(self) -> tuple[str, ...]:
        """Everything that the answer depends on."""
        return (self.model, self.system, self.prompt)


class ModelTask(ABC, Generic[I, A, R]):
    """A kind of question: an item becomes a prompt, an answer a result without anything invented (decision G9)."""

    prompt_name: ClassVar[str]  # the file in `prompts/` that says what the model is to do
    schema: ClassVar[Mapping[str, Any]]
    max_tokens: ClassVar[int]
    answer: type[A]  # the type that an answer must have; the schema tells the model of it

    @property
    def told(self) -> TaskPrompt:
        """The instructions of the task, with their version."""
        return task_prompt(self.prompt_name)

    @abstractmethod
    def offline(self, items: Sequence[I], tick: NoteTick) -> list[R]:
        """Returns one result for each item by rules; deterministic (decision G9)."""

    @abstractmethod
    def prompt(self, item: I) -> str:
        """Returns the item fenced as data, secrets masked; empty if there is nothing to ask. May raise `Unsendable`."""

    @abstractmethod
    def judged(self, item: I, answer: A, by: str) -> R:
        """Returns the part of an answer that its lines prove. Raises `ModelFailed` if too little is left."""

    @abstractmethod
    def marked(self, result: R, why: str) -> R:
        """Returns an offline result with the reason why it replaces an answer."""


class TextModel(Protocol):
    """Answers tasks: the offline rules or Claude."""

    name: str
    version: str

    def results(self, task: ModelTask[I, A, R], items: Sequence[I], tick: NoteTick) -> list[R]:
        """Returns one result for each item, in order; the same for the same items."""


def signature(model: TextModel, task: ModelTask[I, A, R]) -> str:
    """Returns who answers a task: the model, and the version of its instructions."""
    return f"{model.name} {model.version} prompt {task.told.version}"


RULES = "rules"
MODELS = ("claude ", "local ")  # the name of a model that answered begins with one of these


class RuleModel:
    """Answers each task by its offline rules; nothing leaves this machine."""

    name = RULES
    version = "1"

    def results(self, task: ModelTask[I, A, R], items: Sequence[I], tick: NoteTick) -> list[R]:
        """Returns the task's offline results."""
        return task.offline(items, tick)


CACHE_READ: Final = 0.1  # the price of a token that the service reads from its cache, in prices of an input token
CACHE_WRITE: Final = 1.25  # the price of a token that it keeps there for five minutes
CACHE_WRITE_HOUR: Final = 2.0  # the price of one that it keeps for an hour: the most that an input token may cost
BATCH: Final = 0.5
"""Shares of the price of input tokens for reading from the cache, for writing to it for five minutes and for an hour;
and the share of the whole price that a message of a batch costs."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens that one call is billed for. `input` excludes the cache's."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0  # all that was written to the cache; `cache_write_hour` of it for an hour
    cache_write_hour: int = 0
    batch: bool = False
    cache_miss: str = ""
    """The service's reason why its cache did not have the beginning shared with the call before."""

    @property
    def read(self) -> int:
        """All tokens of input, cached or not."""
        return self.input + self.cache_read + self.cache_write


NOTHING_USED: Final = Usage()  # of a call that is not billed: it was never sent, or was answered by an error


NOT_SENT: Final = "not sent"  # the end of a call that nobody heard of: no line of the ledger


class Price(msgspec.Struct, frozen=True):
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, input_tokens: float, output_tokens: float) -> float:
        """Returns the dollars for these tokens, without cache and batch."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6

    def cost(self, usage: Usage) -> float:
        """Returns the dollars for a call's usage."""
        written = (usage.cache_write - usage.cache_write_hour) * CACHE_WRITE + usage.cache_write_hour * CACHE_WRITE_HOUR
        whole = self.of(usage.input + usage.cache_read * CACHE_READ + written, usage.output)
        return whole * BATCH if usage.batch else whole


CLAUDE_COUNT = 1.4  # Claude's own count of a text over o200k's: 1.2 to 1.6
ANSWER = 500  # tokens of an answer about one note, as a rule


class CostEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Expected calls, tokens and US dollars; `cap`: the most that a plan spends."""

    calls: int
    input: int
    output: int
    usd: float
    cap: float
    batch: bool = False

    def line(self) -> str:
        """Returns the estimate in one line."""
        if not self.calls:
            return "nothing is asked of Claude"
        calls = "1 call" if self.calls == 1 else f"{self.calls:,} calls"
        if self.batch:
            calls += " as a batch"
        return f"{calls} of Claude, about ${self.usd:.4f}, at most ${self.cap:.2f}"


def estimate(
    questions: Iterable[ModelQuestion],
    counter: TokenCounter,
    price_of: Callable[[str], Price],
    cap: float,
    *,
    batch_from: int = 0,
) -> CostEstimate:
    """Estimates the questions' cost, at most the cap. `batch_from`: number from which they are a batch; 0: never."""
    asked = list(questions)
    sizes = [round(CLAUDE_COUNT * counter.count(question.system + question.prompt)) for question in asked]
    batch = 0 < batch_from <= len(sizes)
    whole = sum(price_of(one.model).of(size, ANSWER) for one, size in zip(asked, sizes, strict=True))
    usd = whole * (BATCH if batch else 1.0)
    read, written = sum(sizes), ANSWER * len(sizes)
    return CostEstimate(calls=len(sizes), input=read, output=written, usd=min(cap, usd), cap=cap, batch=batch)
