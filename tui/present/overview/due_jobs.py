"""Shows what falls due, when, and whether the cooldown is active."""

from collections.abc import Sequence
from datetime import datetime

from engine.plans.memory_status import DueJob, EndedFact, Status
from tui.present import glyphs
from tui.present.spans import Line, ListRow, Span, hint
from tui.present.words import ahead, clock, noun, safe, text_lines, uses_words

Explained = tuple[str, tuple[Line, ...]]  # title and text of a row, whole


def due(status: Status) -> tuple[ListRow, ...]:
    """Lists scheduled dry runs (missed first), ended facts, uses, the tree's backlog, the cooldown and a first run."""
    return tuple(row for row, _ in _all(status))


def due_detail(status: Status, index: int) -> Explained:
    """Returns the title and text of one row of `due`."""
    return _all(status)[index][1]


def _all(status: Status) -> list[tuple[ListRow, Explained]]:
    jobs = sorted(status.due, key=lambda job: (not job.overdue, job.next_at))
    widest = max((len(_stamp(job, status.now)) for job in jobs if not job.overdue), default=0)
    rows = [(_job(job, status.now, widest), _job_detail(job)) for job in jobs]
    rows += [(_ended(fact), _ended_detail(fact)) for fact in status.ended]
    if words := uses_words(status.uses):
        row = ListRow((glyphs.DUE.mark, Span(" uses  "), Span(words, "muted")), hint("`:uses` lists them"))
        rows.append((row, ("What earns its place", ((Span(words, "strong"),), (), *text_lines("uses")))))
    rows += _tree(status)
    rows.append((_cooldown(status), ("Cooldown", text_lines("cooldown"))))
    if status.first_run:
        row = ListRow((Span("! ", "warn"), Span("first run  "), Span("asks whether a backup exists", "muted")))
        rows.append((row, ("First run", text_lines("first_run"))))
    return rows


def _stamp(job: DueJob, now: datetime) -> str:
    return f"{clock(job.next_at, now)} {job.next_at:%Z}".strip()


def _job(job: DueJob, now: datetime, widest: int) -> ListRow:
    runs = safe(", ".join(job.runs))
    if job.overdue:
        missed = (Span("▲ ", "risk"), Span(safe(job.title), "strong"), Span("  " + safe(job.detail), "muted"))
        return ListRow(missed, (Span("missed, runs once", "risk"),))
    left = (Span("· ", "muted"), Span(f"{_stamp(job, now):<{widest}}  ", "muted"), Span(safe(job.title)))
    return ListRow(left, (Span(ahead(job.next_at, now), "accent"),), (Span(f"  {runs or safe(job.detail)}", "muted"),))


def _job_detail(job: DueJob) -> Explained:
    lines: list[Line] = [
        (Span("next  ", "muted"), Span(f"{job.next_at:%a %Y-%m-%d %H:%M %Z}", "strong")),
        (Span("runs  ", "muted"), Span(safe(", then ".join(job.runs)) or "—")),
    ]
    if job.detail:
        lines.append((Span("late  ", "muted"), Span(safe(job.detail), "risk")))
    return safe(job.title), (*lines, (), *text_lines("due_job"))


def ended_at(status: Status, index: int) -> EndedFact | None:
    """Returns the ended fact in a row of `due`; None for another row."""
    at = index - len(status.due)
    return status.ended[at] if 0 <= at < len(status.ended) else None


def _ended(fact: EndedFact) -> ListRow:
    left = (Span("◷ ", "warn"), Span("ended?  "), Span(safe(fact.text), "muted"))
    return ListRow(left, (Span(safe(f"“{fact.words}”"), "warn"),))


def _ended_detail(fact: EndedFact) -> Explained:
    place = (Span(safe(f"{fact.path}:{fact.line}"), "info"), Span(safe(f"  “{fact.words}”"), "warn"))
    return "Ended by itself?", ((Span(safe(fact.text), "strong"),), place, (), *text_lines("ended"))


def _tree(status: Status) -> Sequence[tuple[ListRow, Explained]]:
    """Counts the days whose log is not yet in its node; empty without a tree."""
    backlog = status.tree.get("backlog")
    if not isinstance(backlog, int) or not backlog:
        return []
    behind = Span(f"{noun(backlog, 'day')} to catch up", "muted")
    left = (Span(f"{glyphs.MISSING.glyph} ", "info"), Span("tree  "), behind)
    return [(ListRow(left, hint("`d` plans it")), ("Backlog of the tree", text_lines("backlog")))]


def _cooldown(status: Status) -> ListRow:
    state = status.cooldown
    if state.warning:
        return ListRow((Span("! ", "warn"), Span("cooldown  "), Span(safe(state.warning), "warn")))
    if state.active and state.until is not None:
        left = (Span(f"{glyphs.TENTATIVE.glyph} ", "info"), Span("cooldown  "), Span("semantic asks first", "muted"))
        return ListRow(left, (Span(f"free {ahead(state.until, status.now)}", "accent"),))
    last = f"last run {clock(state.last, status.now)}" if state.last is not None else "never run"
    return ListRow((Span("✓ ", "ok"), Span("cooldown  "), Span(f"free · {last}", "muted")))
