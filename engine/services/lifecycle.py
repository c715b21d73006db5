"""The lifecycle for the front ends: the counts of each stage, and what is due (§8.1)."""

from datetime import datetime

from engine.lifecycle.stage_counts import Pipeline, pipeline
from engine.monitoring.dry_runs import RunsWithoutPlan
from engine.services.capture import CaptureService
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.services.transcripts import closed_transcripts
from engine.text.transcript_marks import instant


class LifecycleService:
    """Counts transcripts, journals and archived notes. Plans nothing."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue, runs: RunsWithoutPlan, capture: CaptureService) -> None:
        self._opened, self._queue, self._runs, self._capture = opened, queue, runs, capture

    def pipeline(self) -> Pipeline:
        """Gives the pipeline as of the last scan of the workspace."""
        snapshot, zone = self._opened.fresh(look=False), self._opened.policy.time_zone
        last: dict[str, datetime] = {}
        for report in self._runs.entries():
            last[report.system] = max(report.made_at, last.get(report.system, report.made_at))
        began = [instant(session.started) for session in self._capture.sessions()]
        return pipeline(
            snapshot.files,
            closed_transcripts(snapshot),
            [at.astimezone(zone).date() if at is not None else None for at in began],
            self._queue.entries(),
            last,
            zone,
            self._opened.real_clock().astimezone(zone).date(),
        )
