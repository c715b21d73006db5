"""The tuning of a prune, and what the operator's records say of uses (autopoiesis §9.3)."""

from collections.abc import Callable, Mapping
from datetime import date

import msgspec

from engine.lifecycle.references.reference_days import Days
from engine.lifecycle.requests import PrunePart
from engine.plans.policy.workspace_keys import workspace_tuning
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import MEMORY_MD_LINES

_LIMITS = dict(MEMORY_MD_LINES)


Touched = Callable[[str], date | None]
"""Gives the day on which the disk says that a file was written; asked of files that bear no date of their own."""


class PruneOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`line_cap`: lines of MEMORY.md from which entries go; `room`: what is left then; `retention`: days of a journal.
    `uses` are the kept days of references by path."""

    parts: tuple[PrunePart, ...] = tuple(PrunePart)
    line_cap: int = _LIMITS["full"]
    room: int = _LIMITS["warning"]
    retention: int = 90
    uses: Mapping[str, Days] = {}
    touched: Touched = lambda _: None  # the disk is not asked
    config: str | None = None  # the sha256 of the workspace's `memory-config.yaml`, where it tunes this prune

    def tuned(self, data: bytes | None) -> "PruneOptions":
        """These with what the bytes of the workspace's configuration ask for; the room left keeps its distance."""
        tuning = workspace_tuning(data)
        if data is None or (tuning.memory_line_cap is None and tuning.journal_retention_days is None):
            return self
        cap = tuning.memory_line_cap or self.line_cap
        return msgspec.structs.replace(
            self,
            line_cap=cap,
            room=self.room - (self.line_cap - cap),
            retention=tuning.journal_retention_days or self.retention,
            config=sha256_hex(data),
        )
