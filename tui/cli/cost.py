"""Runs `cost` and `batches`: what model calls cost and would cost, and the message batches."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from engine.errors import Refused, UsageError
from engine.extra_registry import needs
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, stdout
from tui.cli.settings import Settings, command, opened
from tui.present.batches import batch_words
from tui.present.words import percent, safe

if TYPE_CHECKING:
    from engine.extras.batches.batch_records import BatchRecord
    from engine.models.cost_report import CostSum, MonthForecast

_BAR = 20  # cells of the longest bar


@command("cost")
def cost_command(settings: Settings, by: str, ahead: bool) -> Answer:
    from engine.models.cost_report import CostKey

    costs = opened(settings).costs
    if ahead:
        months = costs.forecast()
        return Answer([_month_json(month) for month in months], _months_rows(months))
    sums = costs.sums(CostKey(by))
    return Answer(sums, _sums_rows(sums))


def _month_json(month: "MonthForecast") -> dict[str, object]:
    parts = {"extraction": month.extraction, "lifecycle": month.lifecycle, "embeddings": month.embeddings}
    return {"level": month.level, "sessions_per_day": month.sessions, **parts, "usd": month.usd}


def _months_rows(months: "Sequence[MonthForecast]") -> Text:
    head: list[Piece] = ["use", "sessions a day", "extraction", "lifecycle", "embeddings", "a month"]
    rows = [head] + [
        [
            month.level,
            f"{month.sessions:.3g}",
            *(f"${usd:.2f}" for usd in (month.extraction, month.lifecycle, month.embeddings)),
            Styled(f"${month.usd:.2f}", bold=True),
        ]
        for month in months
    ]
    yield TextTable(rows, right=frozenset({1, 2, 3, 4, 5}))
    yield Styled("if a model did all of it, at the prices of your policy", dim=True)


def _sums_rows(sums: "Sequence[CostSum]") -> Text:
    *parts, total = sums
    if not parts:
        yield "nothing was paid: no model was asked"
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
    yield TextTable(rows, right=frozenset({1, 2, 3, 4, 5}))


@command("batches")
def batches_command(
    settings: Settings, batch_id: str | None, cancel: bool, remote: str | None, forget: bool
) -> Answer | int:
    with needs("batches"):
        from engine.extras.batches.batch_records import BatchState

    console = opened(settings)
    if batch_id is None:
        if cancel or remote or forget:
            raise UsageError("name the batch", hint="memdeck batches")
        records = console.batches.all()
        rows: list[list[Piece]] = [
            [Styled(each.id, bold=True), each.model, *batch_words(each, console.real_now())] for each in records
        ]
        return Answer(records, [TextTable(rows)] if records else ["no batch was sent"])
    if settings.read_only:
        raise Refused("read-only: nothing of a batch can be asked or changed", where=batch_id[:60])
    if forget:
        console.batches.forget(batch_id)
        stdout(settings.no_color).line(f"{batch_id} is forgotten; what it may have cost is in memdeck cost")
        return 0
    if cancel:
        console.batches.cancel(batch_id)
    record = console.batches.name(batch_id, remote) if remote else console.batches.fetch(batch_id)
    candidates = console.batches.candidates(record.id) if record.state is BatchState.UNCLEAR else None
    text = _batch_rows(record, candidates, console.real_now(), cancelled=cancel)
    return Answer({"batch": record, "candidates": candidates or ()}, text)


def _batch_rows(record: "BatchRecord", candidates: "Sequence[str] | None", now: datetime, *, cancelled: bool) -> Text:
    yield TextTable([[Styled(record.id, bold=True), record.model, *batch_words(record, now)]])
    if cancelled:
        yield "the service was asked to begin nothing more of it"
    if candidates is not None:
        yield "at the service, with as many questions: " + (", ".join(candidates) or "none")
        yield Styled(f"memdeck batches {record.id} --is ID, or --forget", dim=True)
