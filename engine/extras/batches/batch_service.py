"""Shows the state of batches in the front ends, and takes the operator's decisions about them (decision D48)."""

from collections.abc import Callable, Sequence

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.extras.batches.batch_desk import BatchDesk
from engine.extras.batches.batch_records import BatchFolder, BatchRecord, BatchState
from engine.extras.batches.claude_batches import ClaudeBatches
from engine.models.claude import END_TURN, ModelFailed
from engine.models.claude_model import MOST_CHARACTERS, ClaudeModel, question_of
from engine.models.cost_ledger import CostLedger
from engine.models.egress import Unsendable
from engine.models.model_task import A, I, ModelQuestion, ModelRole, ModelTask, R, signature
from engine.models.spending_cap import Budget
from engine.models.summary import NoteTick
from engine.services.answers import AnswerFolder
from engine.services.open_workspace import OpenWorkspace
from engine.services.policy_models import claude_for


class BatchFailed(MemdeckError):
    title = "The service of batches gave no answer"


class BatchService:
    """Lists the batches of this workspace. It only asks about batches or stops them; it never makes one."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened, self._records = opened, BatchFolder(opened.state.batches)

    def all(self) -> tuple[BatchRecord, ...]:
        """Every open batch, and the last finished ones, the newest first. Asks the service nothing."""
        return self._records.all()[::-1]

    def fetch(self, ident: str) -> BatchRecord:
        """Fetches the answers of a finished batch. Returns the record, unchanged while it runs."""
        record, desk = self._desk(ident)
        record = desk.clarified(record)
        if record.state is not BatchState.SENT:
            return record
        try:
            return desk.fetched(record) or record
        except ModelFailed as failed:
            raise BatchFailed(str(failed), where=record.remote, hint="try it again later") from failed

    def candidates(self, ident: str) -> tuple[str, ...]:
        """The ids of the service's batches that an unclear one may have become."""
        record, desk = self._desk(ident)
        try:
            return desk.candidates(record)
        except ModelFailed as failed:
            raise BatchFailed(str(failed), where=record.id, hint="try it again later") from failed

    def cancel(self, ident: str) -> None:
        """Asks the service to start nothing more of a batch. Questions already started are answered and billed."""
        record, _ = self._desk(ident)
        if record.state is not BatchState.SENT:
            raise UsageError(f"a batch that is {record.state.value} cannot be cancelled", where=record.id)
        try:
            _client(self._opened, ModelRole(record.role)).cancel(record.remote)
        except ModelFailed as failed:
            raise BatchFailed(str(failed), where=record.remote, hint="try it again later") from failed

    def name(self, ident: str, remote: str) -> BatchRecord:
        """Assigns a batch of the service to an unclear record. Raises `UsageError` if it cannot be that one."""
        record, _ = self._desk(ident)
        if record.state is not BatchState.UNCLEAR:
            raise UsageError(f"the batch is {record.state.value}, not unclear", where=record.id)
        if remote not in self.candidates(ident):
            raise UsageError("the service has no such batch of as many questions", where=remote[:100])
        record = msgspec.structs.replace(record, state=BatchState.SENT, remote=remote, why="")
        self._records.save(record)
        return record

    def forget(self, ident: str) -> None:
        """Gives a batch up. Its highest possible cost is booked, and its questions may be asked again."""
        record, desk = self._desk(ident)
        desk.forgotten(record)

    def _desk(self, ident: str) -> tuple[BatchRecord, BatchDesk]:
        if (record := self._records.load(ident)) is None:
            raise UsageError("there is no such batch", where=ident[:60], hint="memdeck batches")
        return record, batch_desk(self._opened, ModelRole(record.role))


def batch_desk(opened: OpenWorkspace, role: ModelRole) -> BatchDesk:
    """The batches of a workspace, by the key and the address that the policy names."""
    return BatchDesk(
        _client(opened, role),
        BatchFolder(opened.state.batches),
        CostLedger(opened.state.ledger),
        AnswerFolder(opened.state.answers),
        clock=opened.real_clock,
        url=opened.policy.llm.url,
    )


def _client(opened: OpenWorkspace, role: ModelRole) -> ClaudeBatches:
    return ClaudeBatches(claude_for(opened.policy.llm, opened.env, role))


class BatchingModel:
    """Sends unanswered questions as a batch if there are at least `least`; fewer are asked one by one."""

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
        """The questions sent in batches, to compare the estimate with the cost."""

    def results(self, task: ModelTask[I, A, R], items: Sequence[I], tick: NoteTick) -> list[R]:
        """One result for each item, in order. Raises what `tick` raises; the batch then continues at the service."""
        asked = {self._id(question): question for item in items if (question := self._question(task, item))}
        known = {ident for ident in asked if self._answers.get(asked[ident].key, task.answer) is not None}
        missing = {ident: question for ident, question in asked.items() if ident not in known}
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
            if (question := question_of(task, item, self._role, self.version)) is None:
                return offline
            if len(question.prompt) > MOST_CHARACTERS:
                raise ModelFailed(f"the text is longer than {MOST_CHARACTERS:,} characters")
            if (known := self._answers.get(question.key, task.answer)) is not None:
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
