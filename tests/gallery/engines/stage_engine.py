"""The fake engine of the tests, made fit for pictures."""

from collections.abc import Mapping
from datetime import datetime

from engine.plans.diff import FileDiff
from engine.plans.plan import Plan
from tests.tui.fake_engine import FakeEngine
from tests.values import NOW


class StageEngine(FakeEngine):
    """The tests' fake engine with diffs of its own, and every clock at the same instant."""

    own_diffs: Mapping[str, FileDiff] = {}

    def real_now(self) -> datetime:
        return NOW

    def diffs(self, plan: Plan) -> tuple[FileDiff, ...]:
        own = self.own_diffs.get(plan.id)
        return (own,) if own is not None else super().diffs(plan)
