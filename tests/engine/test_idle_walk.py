"""An idle dry run is short: what an open engine runs of ours from the request to its answer."""

import sys
from pathlib import Path
from types import FrameType

from tests.prepared import Prepared

ROOT = str(Path(__file__).parents[2]) + "/engine/"
MOST = 200
SERVICES = "services/"
GIVEN = {"FirstCommitDates.__call__"}
"""Functions of the services that a lower room calls: they were handed down for what only the services know."""


def test_an_idle_prune_runs_few_functions_and_calls_nothing_above_itself() -> None:
    run: set[tuple[str, str]] = set()
    upward: set[str] = set()

    def note(frame: FrameType, event: str, _arg: object) -> None:
        name, caller = frame.f_code.co_filename.removeprefix(ROOT), frame.f_back
        if event != "call" or name == frame.f_code.co_filename or frame.f_code.co_name.startswith("<"):
            return
        run.add((name, frame.f_code.co_qualname))
        above = "" if caller is None else caller.f_code.co_filename.removeprefix(ROOT)
        if name.startswith(SERVICES) and not above.startswith((SERVICES, "/", "<")):
            upward.add(frame.f_code.co_qualname)

    with Prepared().engine as engine:
        assert engine.plans.make("prune").plan is None, "so that all modules are there"
        sys.setprofile(note)
        try:
            engine.plans.make("prune")
        finally:
            sys.setprofile(None)
    assert ("lifecycle/prune/plan.py", "PrunePlanner.outcome") in run
    assert 100 < len(run) <= MOST, sorted(run)
    assert upward <= GIVEN
