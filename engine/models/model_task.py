"""Defines what the engine asks a model for, and who answers: offline rules, or Claude (decisions D30, D49)."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import msgspec

from engine.models.summary import NoteTick
from engine.text.pattern_file import fault, source

_FIRST_LINE = re.compile(r"<!-- version: (\d+) -->\n")


class TaskPrompt(msgspec.Struct, frozen=True):
    """The text of a task for a model. `version` goes up with each change of it: plans and their digests name it."""

    text: str
    version: int


@cache
def task_prompt(name: str) -> TaskPrompt:
    """Reads one file; each paragraph of it becomes a line. `Damaged` where its first line gives no version."""
    written = source(f"{__package__}.prompts", f"{name}.md").decode("utf-8")
    head = _FIRST_LINE.match(written)
    if head is None:
        raise fault(f"engine/models/prompts/{name}.md", "", "its first line must be <!-- version: NUMBER -->")
    paragraphs = written[head.end() :].strip().split("\n\n")
    return TaskPrompt("\n".join(" ".join(paragraph.split()) for paragraph in paragraphs), int(head[1]))


I = TypeVar("I")  # noqa: E741  (an item)
A = TypeVar("A")
R = TypeVar("R")


def closed_schema(**fields: object) -> dict[str, object]:
    """The JSON schema of an object that has these fields and no others."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


class ModelRole(StrEnum):
    """The purposes for which the policy names a model each."""

    GATE = "gate"
    EXTRACT = "extract"
    SUMMARISE = "summarise"
    COMMIT = "commit"


class ModelQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question as a model would be sent it."""

    role: ModelRole
    model: str
    system: str
    prompt: str
    schema: Mapping[str, Any]
    max_tokens: int

    @property
    def key(self) -> tuple[str, ...]:
        """All that the answer depends on."""
        return (self.model, self.system, self.prompt)


class ModelTask(ABC, Generic[I, A, R]):
    """A kind of question: an item becomes a prompt, and the answer a result that holds nothing invented."""

    prompt_name: ClassVar[str]  # the file in `prompts/` that says what the model is to do
    schema: ClassVar[Mapping[str, Any]]
    max_tokens: ClassVar[int]
    answer: type[A]  # the type that an answer must have; the schema tells the model of it

    @property
    def told(self) -> TaskPrompt:
        """Gives the text that tells the model its task, with its version."""
        return task_prompt(self.prompt_name)

    @abstractmethod
    def offline(self, items: Sequence[I], tick: NoteTick) -> list[R]:
        """Results by rules, one for each item. Deterministic."""

    @abstractmethod
    def prompt(self, item: I) -> str:
        """The item fenced as data, without secrets; empty where nothing is to be asked. May raise `Unsendable`."""

    @abstractmethod
    def judged(self, item: I, answer: A, by: str) -> R:
        """Gives the part of an answer that its lines hold. `ModelFailed` where too little is left."""

    @abstractmethod
    def marked(self, result: R, why: str) -> R:
        """Gives an offline result that stands in for an answer, with the reason for the operator."""


class TextModel(Protocol):
    """Answers tasks. The offline model and Claude both fit it."""

    name: str
    version: str

    def results(self, task: ModelTask[I, A, R], items: Sequence[I], tick: NoteTick) -> list[R]:
        """One result for each item, in order; the same again for the same items."""


def signature(model: TextModel, task: ModelTask[I, A, R]) -> str:
    """Names who answers a task: the model, and the version of what it is told."""
    return f"{model.name} {model.version} prompt {task.told.version}"


RULES = "rules"
MODELS = ("claude ", "local ")  # the name of a model that answered begins with one of these


class RuleModel:
    """Answers each task by its offline rules; nothing leaves this machine."""

    name = RULES
    version = "1"

    def results(self, task: ModelTask[I, A, R], items: Sequence[I], tick: NoteTick) -> list[R]:
        """Gives the task's own offline results."""
        return task.offline(items, tick)
