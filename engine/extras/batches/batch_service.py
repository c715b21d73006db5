"""Batches of questions for the front ends: where each stands, and what the operator says of it (decision D48)."""

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.extras.batches.batch_desk import BatchDesk
from engine.extras.batches.batch_records import BatchFolder, BatchRecord, BatchState
from engine.extras.batches.claude_batches import ClaudeBatches
from engine.models.claude import ModelFailed
from engine.models.cost_ledger import CostLedger
from engine.models.model_task import ModelRole
from engine.services.answers import AnswerFolder
from engine.services.open_workspace import OpenWorkspace
from engine.services.policy_models import claude_for


class BatchFailed(MemdeckError):
    title = "The service of batches gave no answer"


class BatchService:
    """Lists the batches of this workspace. What it sends only asks, or stops; it never makes a batch."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened, self._records = opened, BatchFolder(opened.state.batches)

    def all(self) -> tuple[BatchRecord, ...]:
        """Every batch that is under way, and the last ones that are done; the newest first. Nothing is asked."""
        return self._records.all()[::-1]

    def fetch(self, ident: str) -> BatchRecord:
        """Fetches the answers of a batch that has ended; the record, unchanged while it runs."""
        record, desk = self._desk(ident)
        record = desk.clarified(record)
        if record.state is not BatchState.SENT:
            return record
        try:
            return desk.fetched(record) or record
        except ModelFailed as failed:
            raise BatchFailed(str(failed), where=record.remote, hint="try it again later") from failed

    def candidates(self, ident: str) -> tuple[str, ...]:
        """The batches at the service that an unclear one may have become, by their ids."""
        record, desk = self._desk(ident)
        try:
            return desk.candidates(record)
        except ModelFailed as failed:
            raise BatchFailed(str(failed), where=record.id, hint="try it again later") from failed

    def cancel(self, ident: str) -> None:
        """Asks the service to begin nothing more of a batch; what was begun is answered, billed and fetched."""
        record, _ = self._desk(ident)
        if record.state is not BatchState.SENT:
            raise UsageError(f"a batch that is {record.state.value} cannot be cancelled", where=record.id)
        try:
            _client(self._opened, ModelRole(record.role)).cancel(record.remote)
        except ModelFailed as failed:
            raise BatchFailed(str(failed), where=record.remote, hint="try it again later") from failed

    def name(self, ident: str, remote: str) -> BatchRecord:
        """Says which batch of the service an unclear one is; `UsageError` where it cannot be that one."""
        record, _ = self._desk(ident)
        if record.state is not BatchState.UNCLEAR:
            raise UsageError(f"the batch is {record.state.value}, not unclear", where=record.id)
        if remote not in self.candidates(ident):
            raise UsageError("the service has no such batch of as many questions", where=remote[:100])
        record = msgspec.structs.replace(record, state=BatchState.SENT, remote=remote, why="")
        self._records.save(record)
        return record

    def forget(self, ident: str) -> None:
        """Gives a batch up; what it may have cost at most is booked, and its questions may be asked again."""
        record, desk = self._desk(ident)
        desk.forgotten(record)

    def _desk(self, ident: str) -> tuple[BatchRecord, BatchDesk]:
        record = self._records.load(ident)
        if record is None:
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
