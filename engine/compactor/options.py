"""Defines the inputs of a compaction beside snapshot and policy: past compactions and the operator's options."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

import msgspec

from engine.plans.system_request import SystemRequest, option

COMPACTOR_ZONE = "UTC"  # the compactor's jobs and dates are in UTC (compactor §Time-Based Trigger, decision G5)

COMPACTION_JOB = "weekly"  # the scheduled job that compacts

USER_SHARD = "memory/semantic/user.md"  # the shard of who the user is: people, preferences, rules (decision A32)
DEFAULT_SHARD = "memory/semantic/openclaw.md"
"""The shard of an entry that no other shard fits and that has no route (decision A21)."""


class CompactorHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Earlier compactions in the operator's own state. `applied`: one was applied (A19). `last_semantic_at`: the last
    write to semantic memory (A12). `last_scheduled_at`: the last scheduled dry run."""

    applied: bool = False
    last_semantic_at: datetime | None = None
    last_scheduled_at: datetime | None = None


class CompactRequest(SystemRequest, frozen=True, kw_only=True):
    """Options of one planning. Keys are entry numbers of the plan without routes and edits. `routes`: the shard of an
    entry, or of titles that match a pattern (A21). `edits`: an entry in the operator's words (A15)."""

    routes: Annotated[
        Mapping[int | str, str],
        option(
            "Send semantic entry N to this shard, or with a pattern (`*backup*=PATH`) all whose title is like it.",
            "N=PATH",
            flag="--route",
        ),
    ] = {}
    edits: Mapping[int, str] = {}
    scheduled: bool = False
