"""Hostile text in every string that the services of a prepared engine answer."""

from typing import Any

import msgspec

from engine.plans.diff import FileDiff
from engine.plans.memory_status import Status
from engine.plans.operation import Reversal
from engine.plans.plan import Plan
from engine.plans.sizes import PlanSizes
from tests.prepared import Prepared

_ALTERED = (
    "status.read", "status.trends", "status.policy_values", "plans.make", "plans.queue", "plans.load",
    "entries.of_plan", "comments.of_plan", "history.operations", "history.audit", "history.verify",
    "history.reversal", "history.redo", "history.kept", "maintenance.check", "maintenance.recover",
    "maintenance.doctor", "review.since_looked", "changes.agent_diffs", "review.reports", "review.report",
    "review.compare_reports",
)  # fmt: skip
"""Named as commands call them. What a test stubs is to be stubbed before, so that the text is in that as well."""
_KEPT = {"plans.queue": ("id",), "plans.load": ("id",), "history.reversal": ("operation", "plan")}
"""Ids by which a command asks on."""
_ID = len("p-20260315-0001")


class HostileAnswers:
    """From the start on the engine answers with `text` behind each of its strings; empty: as it answers by itself."""

    def __init__(self, made: Prepared) -> None:
        self.text = ""
        self._plans, self._history = made.engine.plans, made.engine.history
        self._load, self._diffs, self._sizes = self._plans.load, self._plans.diffs, self._plans.sizes
        self._reversal, self._reversed = self._history.reversal, self._history.reversal_diffs
        for name in _ALTERED:
            self._alter(made, name)
        # What asks on with an altered value is answered for the one that it was made of.
        made.stub.answers("plans.diffs", lambda plan: self._put(self._diffs(self._own(plan))))
        made.stub.answers("plans.sizes", self._sizes_of)
        made.stub.answers("history.reversal_diffs", self._reversal_diffs)

    def _alter(self, made: Prepared, name: str) -> None:
        keep = _KEPT.get(name, ())
        made.stub.alters(name, lambda value: self._put(value, keep))

    def _own(self, plan: Plan) -> Plan:
        return self._load(plan.id[:_ID])

    def _sizes_of(self, plan: Plan) -> PlanSizes:
        sizes: PlanSizes = self._put(self._sizes(self._own(plan)))
        return sizes

    def _reversal_diffs(self, reversal: Reversal) -> tuple[FileDiff, ...]:
        diffs: tuple[FileDiff, ...] = self._put(self._reversed(self._reversal(reversal.operation)))
        return diffs

    def _put(self, value: Any, keep: tuple[str, ...] = ()) -> Any:
        # What has a digest or stands in the records is valid Unicode; only paths on disk may hold stray bytes.
        text = self.text if isinstance(value, Status) else self.text.encode("utf-8", "replace").decode()
        return poisoned(value, text, keep) if text else value


def poisoned(value: Any, text: str, keep: tuple[str, ...] = ()) -> Any:
    """`value` with `text` in each of its plain strings, at any depth; keys and closed sets stay, and fields to `keep`.

    Of a tuple, the fields of each of its items.
    """
    match value:
        case msgspec.Struct():
            fields = {
                name: poisoned(getattr(value, name), text) for name in value.__struct_fields__ if name not in keep
            }
            return msgspec.structs.replace(value, **fields)
        case tuple() | list():
            return type(value)(poisoned(item, text, keep) for item in value)
        case dict():
            return {key: poisoned(item, text) for key, item in value.items()}
        case str() if type(value) is str and not _is_hash_or_money(value):
            return f"{value}{text}"
        case _:
            return value


def _is_hash_or_money(value: str) -> bool:
    return value.replace(".", "").isalnum() and (len(value) == 64 or value.startswith("0."))
