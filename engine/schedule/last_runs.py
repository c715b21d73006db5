"""Keeps the last run of each scheduled dry run in the operator's state."""

from datetime import UTC, datetime

import msgspec

from engine.state.database import StateDatabase
from engine.state.rows import JOB_RUNS, Instant
from engine.state.table import Table


class LastRuns:
    """Instants by job id. Where they cannot be read there are none: a dry run too many does no harm."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, JOB_RUNS)

    def all(self) -> dict[str, datetime]:
        """The last run of each job, in UTC."""
        return self._table.values(Instant)

    def record(self, job: str, at: datetime) -> None:
        """Notes that `job` ran at `at`. Where nothing can be kept the job stays due, and the status says why."""
        self._table.keep(job, msgspec.json.encode(at.astimezone(UTC)))
