"""Answers tasks by Claude within a budget, and item by item by rules if no usable answer comes."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from engine.models.claude import ModelFailed
from engine.models.cost_ledger import OverBudget
from engine.models.egress import Unsendable
from engine.models.model_task import A, I, ModelQuestion, ModelRole, ModelTask, R, signature
from engine.models.spending_cap import PaidModel
from engine.models.summary import NoteTick

MOST_CHARACTERS = 120_000  # of one prompt: what is longer is answered offline
IN_FLIGHT = 32  # questions that are under way at once

T = TypeVar("T")


class AnswerStore(Protocol):
    """Stores paid answers, so that making a plan again costs nothing and gives the same."""

    def get(self, key: tuple[str, ...], answer: type[T]) -> T | None: ...

    def put(self, key: tuple[str, ...], answer: object) -> None: ...


class ClaudeModel:
    """Asks about many items at once, and about none twice."""

    def __init__(
        self, model: PaidModel, role: ModelRole, answers: AnswerStore, *, name: str = "claude", at_once: int = IN_FLIGHT
    ) -> None:
        """`name`: the provider's; `at_once`: greatest number of simultaneous questions."""
        self.name, self.version, self._at_once = name, model.name, at_once
        self._model, self._role, self._answers = model, role, answers
        self.asked: list[ModelQuestion] = []  # the questions that were put, for an estimate beside what they cost

    def results(self, task: ModelTask[I, A, R], items: Sequence[I], tick: NoteTick) -> list[R]:
        """Returns one result for each item, in order. Raises what `tick` raises."""
        offline = task.offline(items, lambda _done, total: tick(0, total))  # the answers are counted
        pool = ThreadPoolExecutor(self._at_once)
        try:
            found: list[R] = []
            for result in pool.map(lambda item, otherwise: self._result(task, item, otherwise), items, offline):
                found.append(result)
                tick(len(found), len(items))
            return found
        finally:
            pool.shutdown(cancel_futures=True)

    def _result(self, task: ModelTask[I, A, R], item: I, offline: R) -> R:
        try:
            if (question := question_of(task, item, self._role, self.version)) is None:
                return offline
            return task.judged(item, self._answer(task, question), signature(self, task))
        except OverBudget:
            why = f"the budget is spent (llm.max_usd_per_plan: {self._model.budget.cap:g})"
        except (ModelFailed, Unsendable) as error:
            why = str(error)
        except OSError as error:  # what cannot be booked is not asked
            why = f"the ledger cannot be written: {error.strerror or error}"
        return task.marked(offline, f"not written by {'Claude' if self.name == 'claude' else self.version}: {why}")

    def _answer(self, task: ModelTask[I, A, R], question: ModelQuestion) -> A:
        if len(question.prompt) > MOST_CHARACTERS:
            raise ModelFailed(f"the text is longer than {MOST_CHARACTERS:,} characters")
        if (known := self._answers.get(question.key, task.answer)) is not None:
            return known
        self.asked.append(question)
        found, _ = self._model.ask(
            system=question.system,
            prompt=question.prompt,
            schema=question.schema,
            answer=task.answer,
            max_tokens=question.max_tokens,
        )
        self._answers.put(question.key, found)
        return found


class CountingModel:
    """Reports each question that Claude would get and answers by rules, for an estimate."""

    def __init__(
        self, role: ModelRole, model: str, told: Callable[[ModelQuestion], None], answers: AnswerStore, name: str
    ) -> None:
        self.name, self.version = name, model
        self._role, self._told, self._answers = role, told, answers

    def results(self, task: ModelTask[I, A, R], items: Sequence[I], tick: NoteTick) -> list[R]:
        """Returns the offline results, or Claude's stored answers."""
        offline = task.offline(items, tick)
        return [self._result(task, item, otherwise) for item, otherwise in zip(items, offline, strict=True)]

    def _result(self, task: ModelTask[I, A, R], item: I, offline: R) -> R:
        try:
            question = question_of(task, item, self._role, self.version)
            if question is None or len(question.prompt) > MOST_CHARACTERS:
                return offline
            if (known := self._answers.get(question.key, task.answer)) is None:
                self._told(question)
                return offline
            return task.judged(item, known, signature(self, task))
        except (ModelFailed, Unsendable):
            return offline


def question_of(task: ModelTask[I, A, R], item: I, role: ModelRole, model: str) -> ModelQuestion | None:
    """Returns the question about one item; None if there is nothing to ask. May raise `Unsendable`."""
    if not (prompt := task.prompt(item)):
        return None
    return ModelQuestion(
        role=role, model=model, system=task.told.text, prompt=prompt, schema=task.schema, max_tokens=task.max_tokens
    )
