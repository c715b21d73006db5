"""What falls due, when, and whether the cooldown is on."""

from datetime import datetime

from engine.views import DueJob, Status
from tui.viewmodels import glyphs
from tui.viewmodels.spans import Row, Span
from tui.viewmodels.wording import ahead, clock, safe


def due(status: Status) -> tuple[Row, ...]:
    """Scheduled dry runs first (missed ones on top), then the cooldown and a first run."""
    jobs = sorted(status.due, key=lambda job: (not job.overdue, job.next_at))
    rows = [_job(job, status.now) for job in jobs]
    rows.append(_cooldown(status))
    if status.first_run:
        rows.append(Row((Span("! ", "warn"), Span("first run  "), Span("asks whether a backup exists", "muted"))))
    return tuple(rows)


def _job(job: DueJob, now: datetime) -> Row:
    if job.overdue:
        when = Span("missed, runs once", "risk")
        return Row(
            (Span("▲ ", "risk"), Span(safe(job.title), "strong"), Span("  " + safe(job.detail), "muted")), (when,)
        )
    stamp = f"{clock(job.next_at, now)} {job.next_at:%Z}".strip()
    left = (
        Span("· ", "muted"),
        Span(f"{stamp}  ", "muted"),
        Span(safe(job.title)),
        Span("  " + safe(job.detail), "muted"),
    )
    return Row(left, (Span(ahead(job.next_at, now), "accent"),))


def _cooldown(status: Status) -> Row:
    state = status.cooldown
    if state.warning:
        return Row((Span("! ", "warn"), Span("cooldown  "), Span(safe(state.warning), "warn")))
    if state.active and state.until is not None:
        left = (
            Span(f"{glyphs.TENTATIVE.glyph} ", "info"),
            Span("cooldown  "),
            Span("semantic step asks first", "muted"),
        )
        return Row(left, (Span(f"free {ahead(state.until, status.now)}", "accent"),))
    last = f"last run {clock(state.last, status.now)}" if state.last is not None else "never run"
    return Row((Span("✓ ", "ok"), Span("cooldown  "), Span(f"free · {last}", "muted")))
