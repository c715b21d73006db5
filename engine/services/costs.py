"""The costs of models for the front ends: what was paid, and a month's forecast."""

from datetime import timedelta

from engine.lifecycle.stage_counts import FLOW_DAYS
from engine.models.cost_ledger import CostLedger
from engine.models.cost_report import (
    CostCurves,
    CostKey,
    CostSum,
    MonthForecast,
    PresentUse,
    cost_curves,
    cost_sums,
    cost_total,
    forecast,
)
from engine.models.model_task import Price
from engine.services.open_workspace import OpenWorkspace
from engine.services.policy_models import price_of
from engine.services.transcripts import closed_transcripts
from engine.workspace.dates import transcript_day


class CostService:
    """Reads the ledger; asks no model and writes nothing."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def sums(self, key: CostKey) -> tuple[CostSum, ...]:
        """Sums what was paid by role, day or dry run; the last sum is the total."""
        lines = CostLedger(self._opened.state.ledger).lines()
        return (*cost_sums(lines, key, self._opened.policy.time_zone), cost_total(lines))

    def curves(self, key: CostKey, days: int) -> CostCurves:
        """Gives what was paid per day, up to today in the workspace's zone, with the forecast."""
        zone = self._opened.policy.time_zone
        lines = CostLedger(self._opened.state.ledger).lines()
        return cost_curves(lines, key, zone, self._opened.real_clock().astimezone(zone).date(), days, self.forecast())

    def forecast(self) -> tuple[MonthForecast, ...]:
        """Gives a month's forecast at three levels of use, at the policy's prices, and at the present use."""
        policy = self._opened.policy
        llm = policy.llm
        return forecast(
            price_of(llm, llm.models.extract or ""),
            price_of(llm, llm.models.summarise or ""),
            Price(policy.search.usd_per_million_tokens, 0.0),
            self._present(),
        )

    def _present(self) -> PresentUse | None:
        """Gives the present use from recently closed transcripts; None without any."""
        files, zone = self._opened.fresh(look=False).files, self._opened.policy.time_zone
        first = self._opened.real_clock().astimezone(zone).date() - timedelta(days=FLOW_DAYS)
        days = {path: transcript_day(path) for path in closed_transcripts(self._opened.fresh(look=False))}
        tokens = [files[path].tokens for path, day in days.items() if day is not None and day > first]
        if not tokens:
            return None
        notes = sum(file.tokens for path, file in files.items() if path not in days)
        return PresentUse(len(tokens) / FLOW_DAYS, sum(tokens) // len(tokens), notes)
