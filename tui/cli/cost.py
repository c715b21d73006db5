"""`cost`: what calls of models have cost, by role, day or dry run, and what a month would."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tui.cli.output import Piece, Printer, Styled, print_json, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present.words import percent, safe

if TYPE_CHECKING:
    from engine.models.cost_report import CostSum, MonthForecast

_BAR = 20
"""Cells of the longest bar."""


@command("cost", short_help="What calls of models have cost, and what a month would.")
@click.option("--by", type=click.Choice(["role", "day", "plan"]), default="role", help="One line for each of them.")
@click.option("--forecast", "ahead", is_flag=True, help="A month at three levels of use, at your policy's prices.")
def cost_command(settings: Settings, by: str, ahead: bool) -> None:
    """Adds up the ledger of all calls of models; nothing is asked by it.

    An estimate before a dry run is `memdeck plan SYSTEM --estimate`.
    """
    from engine.models.cost_report import CostKey

    with open_console(settings) as console:
        if ahead:
            months = console.costs.forecast()
            if settings.json:
                print_json([_month_json(month) for month in months])
            else:
                _print_months(stdout(settings.no_color), months)
            return
        sums = console.costs.sums(CostKey(by))
        if settings.json:
            print_json(sums)
        else:
            _print_sums(stdout(settings.no_color), sums)


def _month_json(month: "MonthForecast") -> dict[str, object]:
    parts = {"extraction": month.extraction, "lifecycle": month.lifecycle, "embeddings": month.embeddings}
    return {"level": month.level, "sessions_per_day": month.sessions, **parts, "usd": month.usd}


def _print_months(printer: Printer, months: "Sequence[MonthForecast]") -> None:
    head: list[Piece] = ["use", "sessions a day", "extraction", "lifecycle", "embeddings", "a month"]
    rows = [head] + [
        [
            month.level,
            str(month.sessions),
            *(f"${usd:.2f}" for usd in (month.extraction, month.lifecycle, month.embeddings)),
            Styled(f"${month.usd:.2f}", bold=True),
        ]
        for month in months
    ]
    printer.table(rows, right=frozenset({1, 2, 3, 4, 5}))
    printer.line(Styled("if a model did all of it, at the prices of your policy", dim=True))


def _print_sums(printer: Printer, sums: "Sequence[CostSum]") -> None:
    *parts, total = sums
    if not parts:
        printer.line("nothing was paid: no model was asked")
        return
    most = max(part.usd for part in parts) or 1.0
    rows: list[list[Piece]] = [
        [
            part.name,
            f"{part.calls:,} calls",
            f"{part.input:,} in",
            f"{part.output:,} out",
            f"{percent(part.cache_share)} cached",
            f"${part.usd:.4f}",
            "█" * round(_BAR * part.usd / most) if part is not total else "",
            f"{part.estimated:,} at the most" if part.estimated else "",
            ", ".join(f"{safe(reason)} {many:,}×" for reason, many in part.cache_misses.items()),
        ]
        for part in sums
    ]
    printer.table(rows, right=frozenset({1, 2, 3, 4, 5}))
