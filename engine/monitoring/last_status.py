"""The last status of a large workspace, kept so that the next console has something to show while it reads."""

from pathlib import Path

import msgspec

from engine.plans.status import Status
from engine.state.private_files import write_private

LARGE = 2_000
"""Notes from which on a status is kept: a smaller workspace is read before an earlier picture would be seen."""
LARGEST = 16 * 1024 * 1024  # bytes of a status that is kept or read


class _Kept(msgspec.Struct, frozen=True):
    """A status, and the policy it was made under: under other limits its figures mean something else."""

    policy: str
    status: Status


_DECODER = msgspec.msgpack.Decoder(_Kept)
_ENCODER = msgspec.msgpack.Encoder()


class LastStatus:
    """Keeps one status in the operator's state folder. It is for showing alone: no plan, mark or sample comes of it."""

    def __init__(self, file: Path, policy_sha256: str) -> None:
        self._file, self._policy = file, policy_sha256

    def read(self) -> Status | None:
        """The status kept last; None where there is none, where it is damaged, or made under another policy."""
        try:
            if self._file.stat().st_size > LARGEST:
                return None
            kept = _DECODER.decode(self._file.read_bytes())
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return kept.status if kept.policy == self._policy else None

    def keep(self, status: Status, notes: int) -> None:
        """Keeps the status of a workspace of that many notes; of a small one nothing is kept. Raises `OSError`."""
        data = _ENCODER.encode(_Kept(self._policy, status)) if notes >= LARGE else b""
        if 0 < len(data) <= LARGEST:
            write_private(self._file, data)
        else:
            self._file.unlink(missing_ok=True)
