"""Holds what a compaction is given beside the snapshot and the policy: the past, and what the operator asked for."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

import msgspec

from engine.plans.system_request import SystemRequest, option

COMPACTOR_ZONE = "UTC"  # the compactor's jobs and dates are in UTC (compactor §Time-Based Trigger, decision G5)

COMPACTION_JOB = "weekly"  # the scheduled job that compacts

USER_SHARD = "memory/semantic/user.md"  # the shard of who the user is: people, preferences, rules (decision A32)
DEFAULT_SHARD = "memory/semantic/openclaw.md"
"""The shard of an entry that belongs to no other, unless the operator routes it elsewhere (decision A21)."""


class CompactorHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Earlier compactions, as the operator's own state records them; nothing in the workspace can change it. `applied`:
    some compactor operation was applied (decision A19). `last_semantic_at`: the last one that wrote semantic memory
    (decision A12). `last_scheduled_at`: the last scheduled dry run."""

    applied: bool = False
    last_semantic_at: datetime | None = None
    last_scheduled_at: datetime | None = None


class CompactRequest(SystemRequest, frozen=True, kw_only=True):
    """Options of one planning. `routes` and `edits` are by entry number: the semantic change's number in the plan
    without them. Entries that wait in that plan are numbered after those that do not. `routes` gives a shard for an
    entry, or for every entry whose title is like a pattern (decision A21), `edits` an entry's whole text in the words
    of the operator, checked like any other (decision A15)."""

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
