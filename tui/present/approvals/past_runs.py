"""Shows the digest and past dry runs: as rows, one of them in full, or two compared."""

from collections.abc import Sequence
from datetime import datetime

from engine.monitoring.digest import WeeklyDigest
from engine.monitoring.dry_runs import DryRunReport, ReportDiff, ReportEntry, ThresholdShift
from engine.plans.diff import RowKind
from engine.plans.plan import Change
from engine.text.safe_text import in_column
from tui.present import diff, glyphs, markdown
from tui.present.digest import lines as digest_lines
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import clock, count, noun, safe, tail

_ROLES: dict[RowKind, Role] = {RowKind.ADDED: "ok", RowKind.REMOVED: "blocked"}


class RunRows:
    """Shows the digest, then a row for each dry run; the run marked for comparison stands out."""

    def __init__(self, entries: Sequence[ReportEntry], now: datetime, marked: str) -> None:
        self._entries, self._now, self._marked = entries, now, marked

    def __len__(self) -> int:
        return 1 + len(self._entries)

    def row(self, index: int) -> ListRow:
        if not index:
            return ListRow((Span("  ≡ ", "accent"), Span("Weekly digest", "strong")), ())
        entry = self._entries[index - 1]
        tier = glyphs.RISK_TIERS[entry.risk_tier] if entry.risk_tier else glyphs.QUIET
        what = noun(entry.changes, "change") if entry.state else "no plan"
        left = (
            Span("✓ " if entry.id == self._marked else "  ", "ok"),
            Span(f"{tier.glyph} ", tier.role if entry.risk_tier else "muted"),
            Span(f"{safe(entry.system):<8} ", "strong"),
        )
        counted = (Span(what, "text" if entry.state else "muted"),)
        sign = glyphs.PLAN_STATES[entry.state] if entry.state else None
        state = (Span(f"{sign.glyph} {sign.word}  ", sign.role),) if sign else ()
        return ListRow(left, (*state, Span(f"{clock(entry.made_at, self._now):>9}", "muted")), counted)


def digest_page(digest: WeeklyDigest, newest: DryRunReport | None) -> tuple[Line, ...]:
    """Shows the digest, and below it the report of the newest dry run."""
    digested = digest_lines(digest)
    if newest is None:
        return (*digested, (), (Span("No dry run yet", "strong"), Span("  d makes one", "muted")))
    return (*digested, (), (Span("The newest dry run  ", "strong"), *title(newest.entry)), *page(newest))


def title(entry: ReportEntry) -> Line:
    """Returns `p-20260315-0001  compact · working_files`."""
    trigger = f" · {safe(entry.trigger)}" if entry.trigger else ""
    what_if = (Span("  what-if", "warn"),) if entry.simulated_clock else ()
    return (Span(f"{safe(entry.id)}  ", "title"), Span(f"{safe(entry.system)}{trigger}"), *what_if)


def page(report: DryRunReport) -> tuple[Line, ...]:
    """Shows a dry run: when and why it ran, the planner's report, and the changes it proposed."""
    lines: list[Line] = [(Span("as of     ", "muted"), Span(f"{report.now:%Y-%m-%d %H:%M %Z}"))]
    if report.entry.reason:
        lines.append((Span("reason    ", "muted"), Span(safe(report.entry.reason))))
    lines.append(())
    text = report.text or "this dry run left no report"
    lines += [_marked_up(safe(line)) for line in text.rstrip("\n").split("\n")]
    if report.changes:
        lines += [(), (Span(f"Changes ({len(report.changes):,})", "strong"),)]
        lines += [_change(change, " ", "muted") for change in report.changes]
    return tuple(lines)


def _marked_up(line: str) -> Line:
    cut: list[Span] = []
    at = 0
    for part in markdown.parts(line):
        cut += [Span(line[at : part.start]), Span(line[part.start : part.end], part.role)]
        at = part.end
    return (*cut, Span(line[at:]))


def _change(change: Change, sign: str, role: Role) -> Line:
    return (Span(f"{sign} ", role), Span(f"{diff.verb(change):<8}", "muted"), Span(tail(change.path)))


def comparison(compared: ReportDiff) -> tuple[Line, ...]:
    """Compares two dry runs: thresholds, changes, and the lines of their reports."""
    lines: list[Line] = [(Span("Thresholds", "strong"),)]
    lines += [_shift(shift) for shift in compared.thresholds] or [(Span("  all came out the same", "muted"),)]
    both = f"{noun(compared.same, 'change')} the same in both" if compared.same else "none is the same in both"
    lines += [(), (Span("Changes", "strong"), Span(f"   {both}", "muted"))]
    lines += [_change(change, "  +", "ok") for change in compared.added]
    lines += [_change(change, "  −", "blocked") for change in compared.removed]
    lines += [_change(now, "  ~", "warn") for _, now in compared.changed]
    added, removed = compared.lines
    lines += [
        (),
        (Span("Reports", "strong"), Span(f"   +{count(added)}", "ok"), Span(f" −{count(removed)}", "blocked")),
    ]
    lines += [
        (Span(f"{diff.SIGNS[row.kind]} ", _ROLES[row.kind]), Span(safe(row.text)))
        for row in compared.rows
        if row.kind is not RowKind.SAME
    ]
    return tuple(lines)


def _shift(shift: ThresholdShift) -> Line:
    was = _reading(shift.value_before, shift.limit_before, shift.fired_before)
    now = _reading(shift.value_after, shift.limit_after, shift.fired_after)
    fired: Role = "risk" if shift.fired_after else "text"
    return (Span(f"  {in_column(safe(shift.id), 18)}"), Span(was, "muted"), Span(" → ", "muted"), Span(now, fired))


def _reading(value: int | None, limit: int | None, fired: bool) -> str:
    shown = "—" if value is None else count(value)
    return f"{shown}{'' if limit is None else f' of {count(limit)}'}{', fired' if fired else ''}"
