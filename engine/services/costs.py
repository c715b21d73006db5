"""Costs for the front ends: what calls of models have cost, and what a month would."""

from engine.models.cost_ledger import CostLedger
from engine.models.cost_report import (
    CostCurves,
    CostKey,
    CostSum,
    MonthForecast,
    cost_curves,
    cost_sums,
    cost_total,
    forecast,
)
from engine.models.price import Price
from engine.services.open_workspace import OpenWorkspace
from engine.services.policy_models import price_of
from engine.workspace.dates import zone_of


class CostService:
    """Reads the ledger. Asks no model and writes nothing."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def sums(self, key: CostKey) -> tuple[CostSum, ...]:
        """Adds up what was paid, by role, day or dry run; the last one is the total."""
        opened = self._opened
        lines = CostLedger(opened.state.ledger).lines()
        return (*cost_sums(lines, key, zone_of(opened.policy.zone)), cost_total(lines))

    def curves(self, key: CostKey, days: int) -> CostCurves:
        """Adds up what was paid from day to day, up to today in the workspace's zone, with the forecast."""
        opened = self._opened
        zone = zone_of(opened.policy.zone)
        lines = CostLedger(opened.state.ledger).lines()
        return cost_curves(lines, key, zone, self._opened.real_clock().astimezone(zone).date(), days, self.forecast())

    def forecast(self) -> tuple[MonthForecast, ...]:
        """The three levels of a month, at the prices of the operator's policy."""
        policy = self._opened.policy
        llm = policy.llm
        return forecast(
            price_of(llm, llm.models.extract or ""),
            price_of(llm, llm.models.summarise or ""),
            Price(policy.search.usd_per_million_tokens, 0.0),
        )
