"""`reports`: past dry runs as pages, and what changed between two of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

from tui.cli.output import Piece, Printer, Styled, print_json, stdout
from tui.cli.plan_json import change_op
from tui.cli.settings import Settings, command, open_console
from tui.present.words import moment, noun

if TYPE_CHECKING:
    from engine.monitoring.dry_runs import ReportDiff, ReportEntry, ThresholdShift
    from engine.plans.plan import Change

_ROW_SIGNS = {"added": Styled("+ ", fg="green"), "removed": Styled("- ", fg="red")}


@command("reports", short_help="Past dry runs; one of them; what changed between two.")
@click.argument("before", required=False, metavar="[A")
@click.argument("after", required=False, metavar="[B]]")
def reports_command(settings: Settings, before: str | None, after: str | None) -> None:
    """Lists past dry runs, shows the one named A, or says what changed from A to B."""
    with open_console(settings) as console:
        printer = stdout(settings.no_color)
        if before is None:
            entries = console.review.reports()
            if settings.json:
                print_json(entries)
            else:
                print_reports(printer, entries)
        elif after is None:
            report = console.review.report(before)
            if settings.json:
                print_json(
                    {"report": report.entry, "now": report.now, "text": report.text, "facts": report.facts}
                    | {"changes": [_change_json(change) for change in report.changes]}
                )
            else:
                printer.block(report.text.rstrip("\n") or "this dry run came without a report")
        else:
            found = console.review.compare_reports(before, after)
            if settings.json:
                print_json(comparison_json(found))
            else:
                print_comparison(printer, found)


def print_reports(printer: Printer, entries: Sequence["ReportEntry"]) -> None:
    if not entries:
        printer.line("no dry run yet · make one with `memdeck plan compact`")
        return
    rows: list[list[Piece]] = [
        [
            Styled(entry.id, bold=True),
            moment(entry.made_at),
            entry.system,
            entry.state.value if entry.state else "no plan",
            noun(entry.changes, "change") if entry.state else "",
            "what-if" if entry.simulated_clock else "",
            entry.reason,
        ]
        for entry in entries
    ]
    printer.table(rows, right=frozenset({4}))


def _change_json(change: "Change") -> dict[str, Any]:
    return {"n": change.n, "op": change_op(change), "path": change.path, "risk_tier": change.risk_tier.value}


def comparison_json(found: "ReportDiff") -> dict[str, Any]:
    """Builds the JSON of a comparison, without the texts of the changes: `show` has them."""
    added, removed = found.lines
    return {
        "before": msgspec.to_builtins(found.before),
        "after": msgspec.to_builtins(found.after),
        "thresholds": msgspec.to_builtins(found.thresholds),
        "added": [_change_json(change) for change in found.added],
        "removed": [_change_json(change) for change in found.removed],
        "changed": [[_change_json(was), _change_json(now)] for was, now in found.changed],
        "same": found.same,
        "lines_added": added,
        "lines_removed": removed,
    }


def print_comparison(printer: Printer, found: "ReportDiff") -> None:
    printer.line(Styled(f"{found.before.id} → {found.after.id}", bold=True), f"  {found.after.system}")
    for shift in found.thresholds:
        printer.line(f"  {shift.id}: {_reading(shift, after=False)} → {_reading(shift, after=True)}")
    for sign, changes in (("+", found.added), ("-", found.removed), ("~", [now for _, now in found.changed])):
        for change in changes:
            printer.line(f"  {sign} {change_op(change)} {change.path}")
    printer.line(f"  {noun(found.same, 'change')} the same")
    for row in found.rows:
        if row.kind.value in _ROW_SIGNS:
            printer.line("  ", _ROW_SIGNS[row.kind.value], row.text)


def _reading(shift: "ThresholdShift", *, after: bool) -> str:
    value = shift.value_after if after else shift.value_before
    limit = shift.limit_after if after else shift.limit_before
    fired = shift.fired_after if after else shift.fired_before
    shown = "—" if value is None else f"{value:,}"
    return f"{shown}{'' if limit is None else f' of {limit:,}'}{', fired' if fired else ''}"
