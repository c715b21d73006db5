"""A model that only counts what would be asked gives the results by rules, and what was answered before."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import msgspec
import pytest

from engine.models.claude import ModelFailed
from engine.models.claude_model import MOST_CHARACTERS, CountingModel
from engine.models.egress import Unsendable
from engine.models.model_task import ModelQuestion, ModelRole, ModelTask
from engine.models.summary import NoteTick

T = TypeVar("T")
LONGEST, TOO_LONG = "x" * MOST_CHARACTERS, "x" * (MOST_CHARACTERS + 1)


class Echo(ModelTask[str, str, str]):
    """Asks the item itself; nothing about an empty one, and never about a secret."""

    prompt_name: ClassVar[str] = "commit"
    schema: ClassVar[Mapping[str, Any]] = {}
    max_tokens: ClassVar[int] = 10
    answer = str

    def offline(self, items: Sequence[str], tick: NoteTick) -> list[str]:
        return [f"by rules: {len(item)}" for item in items]

    def prompt(self, item: str) -> str:
        if item == "secret":
            raise Unsendable("a key")
        return item

    def judged(self, item: str, answer: str, by: str) -> str:
        if not answer:
            raise ModelFailed("too little is left")
        return f"{by}: {answer}"

    def marked(self, result: str, why: str) -> str:
        return f"{result} ({why})"


class Kept:
    """Answers by the prompt."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        self.answers = answers

    def get(self, key: tuple[str, ...], answer: type[T]) -> T | None:
        found = self.answers.get(key[-1])
        return None if found is None else msgspec.convert(found, answer)

    def put(self, key: tuple[str, ...], answer: object) -> None:
        raise AssertionError("nothing was answered")


@pytest.mark.parametrize(
    ("item", "result", "asked"),
    [
        ("new", "by rules: 3", True),
        ("", "by rules: 0", False),
        ("secret", "by rules: 6", False),
        (LONGEST, f"by rules: {MOST_CHARACTERS}", True),
        (TOO_LONG, f"by rules: {MOST_CHARACTERS + 1}", False),
        ("known", "claude small prompt 1: yes", False),
        ("poor", "by rules: 4", False),
    ],
    ids=["new", "nothing", "secret", "longest", "too-long", "known", "poor"],
)
def test_what_would_be_asked_is_told_and_each_item_has_its_result(item: str, result: str, asked: bool) -> None:
    told = list[ModelQuestion]()
    model = CountingModel(ModelRole.GATE, "small", told.append, Kept({"known": "yes", "poor": ""}), "claude")
    assert model.results(Echo(), [item], lambda done, total: None) == [result]
    assert [question.prompt for question in told] == [item] * asked
