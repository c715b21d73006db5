"""The Lifecycle screen in rows and lines: the stages, the runs, one run, and what models have cost."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from engine.lifecycle.pipeline import STAGES, Pipeline
from engine.plans.plan import QueueEntry
from engine.workspace.layout import MEMORY_MD_CAP, memory_md_band
from tui.present import glyphs
from tui.present.spans import Line, ListRow, Span
from tui.present.words import ago, noun, percent, safe, words_of

if TYPE_CHECKING:
    from engine.lifecycle.replay.figures import BlindPair, BlindStanding, ReplayFigures
    from engine.models.cost_report import CostSum, MonthForecast

TITLES: dict[str, str] = words_of("stages")  # the stages by their systems
_MEMORY_DUE = {"ok": "", "warning": "MEMORY.md is nearly full"}
_BAR = 16  # cells of a bar of costs
_LABEL = 9  # cells of a stage's name


class Stage(msgspec.Struct, frozen=True):
    """One row of the pipeline: what stands there, and what is due; `system` can be planned where it is there."""

    system: str
    stands: str
    due: str
    plan: str
    last: datetime | None
    planned: bool


def stages(found: Pipeline, systems: Sequence[str]) -> tuple[Stage, ...]:
    """The stages in their order. `systems` are those that can be planned."""
    return tuple(
        Stage(
            name,
            _stands(name, found),
            _due(name, found),
            found.waiting.get(name, ""),
            found.last.get(name),
            name in systems,
        )
        for name in STAGES
        if name == "capture" or name in systems
    )


def _stands(name: str, found: Pipeline) -> str:
    match name:
        case "capture":
            return f"{noun(found.closed, 'closed transcript')}, {found.open:,} open"
        case "condense":
            return noun(found.journals, "journal")
        case "prune":
            lines = found.memory_lines
            return "no MEMORY.md" if lines is None else f"MEMORY.md {lines:,}/{MEMORY_MD_CAP} lines"
        case "distill":
            return noun(found.reviewed, "file") + " of projects and people"
        case "archive":
            return noun(found.archived, "archived file")
    return noun(found.closed, "closed transcript")


def _due(name: str, found: Pipeline) -> str:
    match name:
        case "extract" if found.since_extraction:
            new = "never read" if "extract" not in found.last else "since the last run"
            return f"{noun(found.since_extraction, 'transcript')} {new}"
        case "condense" if found.days_to_condense:
            return f"{noun(found.days_to_condense, 'day')} without a journal"
        case "prune":
            return _MEMORY_DUE.get(memory_md_band(found.memory_lines or 0), "MEMORY.md is full")
    return ""


def stage_rows(rows: Sequence[Stage], now: datetime) -> tuple[ListRow, ...]:
    """A row for each stage: its sign, what stands, what is due, and when it ran last."""
    return tuple(_stage_row(row, now) for row in rows)


def _stage_row(stage: Stage, now: datetime) -> ListRow:
    ran = stage.last is not None or stage.system == "capture"
    sign = (glyphs.DUE if stage.due else glyphs.PASSED if ran else glyphs.QUIET).mark
    due: Line = (Span(f" · {stage.due}", "warn"),) if stage.due else ()
    waits: Line = (Span(f"  {stage.plan} waits", "accent"),) if stage.plan else ()
    last = f"  {ago(stage.last, now)}" if stage.last is not None else "  never" if stage.planned else ""
    name = TITLES[stage.system].ljust(_LABEL)
    return ListRow((sign, Span(f" {name}", "strong"), Span(stage.stands), *due), (Span(last, "muted"),), waits)


def runs(entries: Sequence[QueueEntry]) -> tuple[QueueEntry, ...]:
    """The plans of the pipeline's systems, newest first."""
    ours = (entry for entry in entries if entry.system in STAGES)
    return tuple(sorted(ours, key=lambda one: (one.made_at, one.id), reverse=True))


def run_rows(entries: Sequence[QueueEntry], now: datetime) -> tuple[ListRow, ...]:
    """A row for each run: system, changes, state and age."""
    return tuple(
        ListRow(
            (
                glyphs.PLAN_STATES[one.state].mark,
                Span(f" {one.system.ljust(_LABEL)}", "strong"),
                Span(noun(one.changes, "change")),
                Span(f" · {glyphs.PLAN_STATES[one.state].word}", "muted"),
            ),
            (Span(f"  {ago(one.made_at, now)}", "muted"),),
            (Span(f"  {safe(one.id)}", "muted"),),
        )
        for one in entries
    )


def run_lines(report: str, standing: "BlindStanding | None") -> tuple[Line, ...]:
    """One run: its report, and below a replay's what the blind comparison says."""
    lines: list[Line] = []
    if standing is not None:
        lines += [*((Span(words, "accent"),) for words in blind_words(standing)), ()]
    for number, line in enumerate(report.rstrip("\n").split("\n")):
        lines.append((Span(safe(line), "strong" if not number else "text"),))
    return tuple(lines)


def blind_words(standing: "BlindStanding") -> tuple[str, ...]:
    """Counts the judged sessions, what came of them, and those that cannot be; the rate once a pair was decided."""
    judged = standing.after + standing.before + standing.tie + standing.neither
    line = f"{judged:,} of {noun(standing.pairs, 'session')} judged"
    if judged:
        line += f" · replay better {standing.after:,} · before {standing.before:,}"
        line += f" · tie {standing.tie:,} · neither {standing.neither:,}"
    lines = [line]
    if standing.one_sided:
        lines.append(f"{noun(standing.one_sided, 'session')} with entries of one side alone, not judged")
    if standing.after + standing.before:
        rate, low, high = map(percent, (standing.rate, standing.low, standing.high))
        lines.append(f"the replay wins {rate} ({low} to {high})")
    return tuple(lines)


def judged_words(standing: "BlindStanding") -> str:
    """Says why no session is left to judge."""
    if standing.pairs:
        return "Every session is judged."
    return (
        "No session has entries on both sides." if standing.one_sided else "The replay tells every session as before."
    )


def figure_rows(figures: "ReplayFigures") -> tuple[tuple[str, str], ...]:
    """The comparison of a replay, a name and its figures a row."""
    probes = f"{figures.probes_before:,} of {figures.probes:,} before, {figures.probes_after:,} after"
    rows = (
        ("extractor", figures.extractor),
        ("files", f"{figures.files_added:,} added, {figures.files_changed:,} changed"),
        ("before", noun(figures.before, "entry", "entries")),
        ("kept", f"{figures.kept:,}"),
        ("changed", f"{figures.changed:,}"),
        ("lost", f"{figures.lost:,}"),
        ("yours", f"{figures.yours:,}, which stay"),
        ("new", f"{figures.new:,}"),
        ("probes", probes if figures.probes else "none to ask"),
        ("inferred", f"{100 * figures.inferred_share:.1f} % of all found"),
        ("cost", f"{noun(figures.calls, 'call')}, ${figures.usd:.2f}" if figures.calls else "none"),
    )
    kept = (("branch", figures.branch), ("weeks", f"{figures.weeks:,} rolled up")) if figures.branch else ()
    return tuple((name, safe(said)) for name, said in (*rows, *kept))


def figure_lines(figures: "ReplayFigures") -> tuple[Line, ...]:
    """The same for a pane."""
    return tuple((Span(f"{name:<10}", "muted"), Span(said)) for name, said in figure_rows(figures))


def pair_lines(pair: "BlindPair") -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Both sides of a pair, an entry a line."""
    one, two = (tuple((Span(safe(row)),) for row in rows) for rows in (pair.one, pair.two))
    return one, two


def cost_lines(
    sums: "Sequence[CostSum]", months: "Sequence[MonthForecast]", batches: Sequence[Line] = ()
) -> tuple[Line, ...]:
    """Batches under way, costs by role, as bars, and a month at three levels of use."""
    *parts, total = sums
    lines: list[Line] = [*batches]
    most = max((part.usd for part in parts), default=0.0) or 1.0
    for one in parts:
        filled = round(_BAR * one.usd / most)
        bar = (Span("█" * filled, "bar_ok"), Span("░" * (_BAR - filled), "bar_empty"))
        paid = (Span(f" ${one.usd:.2f}", "strong"), Span(f" · {noun(one.calls, 'call')}", "muted"))
        lines.append((Span(safe(one.name).ljust(11)), *bar, *paid))
    if not parts:
        lines.append((Span("nothing was paid: no model was asked", "muted"),))
    else:
        share = f" · {percent(total.cache_share)} of the input came from the cache" if total.cache_share else ""
        lines.append((Span(f"total ${total.usd:.2f} · {noun(total.calls, 'call')}{share}", "muted"),))
    ahead = " · ".join(f"{month.level} ${month.usd:.2f}" for month in months)
    return (*lines, (Span("a month ahead, all by a model: ", "muted"), Span(ahead)))
