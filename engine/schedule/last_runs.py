"""Keeps the last run of each scheduled dry run in the operator's state."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from engine.plans.records.state import write_private


class LastRuns:
    """Instants by job id. A damaged or missing file counts as none: a dry run too many does no harm."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def all(self) -> dict[str, datetime]:
        """The last run of each job, in UTC."""
        try:
            found = msgspec.json.decode(self._file.read_bytes(), type=dict[str, datetime])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}
        return {job: at.astimezone(UTC) for job, at in found.items() if at.tzinfo is not None}

    def record(self, job: str, at: datetime) -> None:
        """Notes that `job` ran at `at`."""
        write_private(self._file, msgspec.json.encode(self.all() | {job: at.astimezone(UTC)}))
