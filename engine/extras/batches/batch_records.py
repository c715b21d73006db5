"""Describes what was sent as a batch (decision D48)."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from engine.models.price import Price, Usage
from engine.workspace.system_calls import is_running


class BatchState(StrEnum):
    """The state of a batch, as far as this machine knows."""

    MADE = "made"
    """Nothing was sent yet."""
    SENDING = "sending"
    """It is being sent; once that process is gone, nobody knows whether it was."""
    UNCLEAR = "unclear"
    SENT = "sent"
    DONE = "done"


class BatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One batch: for what, which questions with what each may use at most, and what came of it."""

    id: str
    state: BatchState
    role: str
    model: str
    plan: str
    made_at: datetime
    pid: int
    url: str
    """The address that it was sent to, empty for the service's own."""
    price: Price
    most: Mapping[str, Usage]
    """By the id of a question, the digest of all that it asks."""
    remote: str = ""
    """The service's own id, once it is known."""
    why: str = ""
    """The reason of an unclear one."""
    ends: Mapping[str, str] = {}
    """By question, the end of its answer, once they were fetched; `end_turn` is a whole one."""
    usd: float = 0.0
    """Dollars in all, once it is done."""

    @property
    def usd_at_most(self) -> float:
        return sum(self.price.cost(one) for one in self.most.values())

    @property
    def lost(self) -> bool:
        """Tells whether the process that was sending it is gone without saying how that ended."""
        return self.state is BatchState.SENDING and not is_running(self.pid)
