"""A workspace for one picture, of which a scene tells what there is to see."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.plans.memory_status import Status
from engine.plans.plan import Plan
from engine.plans.planning import PlanOutcome
from tests.tui.entries import OMITTED, Entries, repeated


class StageEngine(Entries):
    """The engine on a folder that goes with it. A dry run finds nothing to do."""

    def __init__(self, plans: Sequence[Plan] = (), status: Status | None = None) -> None:
        self._kept = TemporaryDirectory(prefix="scene-")
        super().__init__(plans, status, Path(self._kept.name))
        reason = "no threshold is crossed, nothing is eligible"
        self.stub.gives("plans.make", PlanOutcome(plan=None, reason_no_action=reason))
        self.stub.answers("entries.similar", repeated)
        self.stub.gives("entries.left_out", OMITTED)
