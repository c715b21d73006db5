"""Claude as the model of a task that asks much: all of its questions as a batch, at half the price (decision D48)."""

from collections.abc import Callable, Sequence

from engine.extras.batches.batch_desk import BatchDesk
from engine.models.budget import Budget
from engine.models.claude import END_TURN, ModelFailed
from engine.models.claude_model import MOST_CHARACTERS, ClaudeModel, question_of
from engine.models.egress import Unsendable
from engine.models.model_task import A, I, ModelQuestion, ModelRole, ModelTask, R, signature
from engine.models.summary import NoteTick
from engine.services.answers import AnswerFolder


class BatchingModel:
    """Sends what is not answered yet as a batch where it is `least` questions or more; fewer are asked one by one."""

    name = "claude"

    def __init__(
        self,
        single: ClaudeModel,
        desk: Callable[[], BatchDesk],
        budget: Budget,
        role: ModelRole,
        answers: AnswerFolder,
        *,
        least: int,
        plan: str,
    ) -> None:
        self.version = single.version
        self._single, self._desk, self._budget = single, desk, budget
        self._role, self._answers, self._least, self._plan = role, answers, least, plan
        self.batched: list[ModelQuestion] = []
        """The questions that were sent in batches, for an estimate beside what they cost."""

    def results(self, task: ModelTask[I, A, R], items: Sequence[I], tick: NoteTick) -> list[R]:
        """One result for each item, in order. Raises what `tick` raises; the batch then goes on at the service."""
        asked = {ident: one for item in items if (one := self._question(task, item)) and (ident := self._id(one))}
        missing = {ident: one for ident, one in asked.items() if self._answers.get(one.key, task.answer) is None}
        # Few questions are asked one by one: a batch is answered when the service finds the time.
        if len(missing) < self._least:
            return self._single.results(task, items, tick)
        # Made before the batch, so that there is an answer whatever comes of it (decision G9).
        offline = task.offline(items, lambda _done, total: tick(0, total))
        self.batched += missing.values()
        try:
            ends = self._desk().ask(missing, self._budget, self._plan, lambda: tick(0, len(items)))
        except ModelFailed as failed:
            ends = dict.fromkeys(missing, str(failed))
        except OSError as error:  # what cannot be noted is not sent
            ends = dict.fromkeys(missing, f"the batch cannot be noted: {error.strerror or error}")
        return [self._result(task, item, otherwise, ends) for item, otherwise in zip(items, offline, strict=True)]

    def _result(self, task: ModelTask[I, A, R], item: I, offline: R, ends: dict[str, str]) -> R:
        try:
            question = question_of(task, item, self._role, self.version)
            if question is None:
                return offline
            if len(question.prompt) > MOST_CHARACTERS:
                raise ModelFailed(f"the text is longer than {MOST_CHARACTERS:,} characters")
            known = self._answers.get(question.key, task.answer)
            if known is not None:
                return task.judged(item, known, signature(self, task))
            end = ends.get(self._id(question), "no answer came")
            why = "the answer has another form than was asked for" if end == END_TURN else end
        except (ModelFailed, Unsendable) as error:
            why = str(error)
        return task.marked(offline, f"not written by Claude: {why}")

    def _question(self, task: ModelTask[I, A, R], item: I) -> ModelQuestion | None:
        try:
            question = question_of(task, item, self._role, self.version)
        except Unsendable:
            return None
        return question if question is not None and len(question.prompt) <= MOST_CHARACTERS else None

    def _id(self, question: ModelQuestion) -> str:
        return self._answers.digest(question.key)
