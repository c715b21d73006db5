"""Shows the Lifecycle screen: the stages, the runs, one run, and the costs of models."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from engine.lifecycle.stage_counts import FLOW_DAYS, STAGES, Pipeline, StageFlow
from engine.models.cost_report import CostCurves
from engine.plans.plan import QueueEntry
from engine.workspace.layout import MEMORY_MD_CAP, MEMORY_MD_LINES, memory_md_band
from engine.workspace.values import Progress
from tui.present import costs, glyphs
from tui.present.overview.gauges import BarLimit, GaugeBar, bar
from tui.present.plot import DotStyle
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.stage_flows import days_strip, flow_bar, share_bar
from tui.present.words import ago, noun, percent, safe, words_of

if TYPE_CHECKING:
    from engine.lifecycle.replay.figures import BlindPair, BlindStanding, ReplayFigures

TITLES: dict[str, str] = words_of("stages")  # the stages by their systems
FLOW_UNITS: dict[str, str] = words_of("flows")  # the things that go through a stage
_LIMITS: dict[str, Role] = {"warning": "bar_warn", "full": "bar_risk", "over": "bar_blocked"}
_MEMORY_DUE = {"ok": "", "warning": "MEMORY.md is nearly full"}
_BAR = 16  # cells of a bar of costs
_BARS = ((150, 34), (100, 18))  # the cells of a stage's bar by the room of its row; less room has the least bar
_LEAST_BAR, _WEEK = 10, 7
_LEAST_CURVE, _TALLEST = 3, 10  # lines of the curve of costs, with its axis
_COMPARED = 20  # cells of a bar in the comparison of a replay
_LABEL = 9  # cells of a stage's name


class Stage(msgspec.Struct, frozen=True):
    """A row of the pipeline: what it holds, and what is due; `planned` tells whether its system can make a plan."""

    system: str
    stands: str
    due: str
    plan: str
    last: datetime | None
    planned: bool
    flow: StageFlow
    level: int | None = None  # lines of MEMORY.md, of the stage that keeps it short


def stages(pipeline: Pipeline, systems: Sequence[str]) -> tuple[Stage, ...]:
    """Lists the stages in order. `systems` are those that can make a plan."""
    return tuple(
        Stage(
            name,
            _stands(name, pipeline),
            _due(name, pipeline),
            pipeline.waiting.get(name, ""),
            pipeline.last.get(name),
            name in systems,
            pipeline.flows[name],
            pipeline.memory_lines if name == "prune" else None,
        )
        for name in STAGES
        if name == "capture" or name in systems
    )


def _stands(name: str, pipeline: Pipeline) -> str:
    match name:
        case "capture":
            return f"{noun(pipeline.closed, 'closed transcript')}, {pipeline.open:,} open"
        case "condense":
            return noun(pipeline.journals, "journal")
        case "prune":
            lines = pipeline.memory_lines
            return "no MEMORY.md" if lines is None else f"MEMORY.md {lines:,}/{MEMORY_MD_CAP} lines"
        case "distill":
            return noun(pipeline.reviewed, "file") + " of projects and people"
        case "archive":
            return noun(pipeline.archived, "archived file")
    return noun(pipeline.closed, "closed transcript")


def _due(name: str, pipeline: Pipeline) -> str:
    match name:
        case "extract" if pipeline.since_extraction:
            new = "never read" if "extract" not in pipeline.last else "since the last run"
            return f"{noun(pipeline.since_extraction, 'transcript')} {new}"
        case "condense" if pipeline.days_to_condense:
            return f"{noun(pipeline.days_to_condense, 'day')} without a journal"
        case "prune":
            return _MEMORY_DUE.get(memory_md_band(pipeline.memory_lines or 0), "MEMORY.md is full")
    return ""


def stage_rows(rows: Sequence[Stage], now: datetime, room: int, step: Progress | None = None) -> tuple[ListRow, ...]:
    """Makes a row of `room` cells for each stage; `step` is the progress of a replay under way."""
    return tuple(_stage_row(row, now, room, step if row.system == "replay" else None) for row in rows)


def _stage_row(stage: Stage, now: datetime, room: int, step: Progress | None) -> ListRow:
    ran = stage.last is not None or stage.system == "capture"
    sign = (glyphs.DUE if stage.due else glyphs.PASSED if ran else glyphs.QUIET).mark
    old = oldest_words(stage, now)
    old = old if room >= _BARS[-1][0] else old.replace("oldest ", "")
    due: Line = (Span(f" · {stage.due}", "warn"), Span(old, "warn")) if stage.due else ()
    waits: Line = (Span(f"  {stage.plan} waits", "accent"),) if stage.plan else ()
    last = ago(stage.last, now) if stage.last is not None else "never" if stage.planned else ""
    name = TITLES[stage.system].ljust(_LABEL)
    cells = next((cells for least, cells in _BARS if room >= least), _LEAST_BAR)
    head = (sign, Span(f" {name}", "strong"), *stage_bar(stage, cells, step), Span(" "))
    stands = f"{step.done:,} of {step.total:,} transcripts read" if step is not None and step.total else stage.stands
    ran_last = (Span(f" {last:>10}", "muted"),) if cells > _LEAST_BAR else ()
    days = days_strip(stage.flow, FLOW_DAYS if cells == _BARS[0][1] else _WEEK)
    return ListRow((*head, Span(stands), *due), (*days, *ran_last), waits)


def stage_bar(stage: Stage, width: int, step: Progress | None = None) -> Line:
    """Draws what a stage has done and what waits, or the lines of MEMORY.md against their limits."""
    if stage.level is None:
        return flow_bar(stage.flow, width, step)
    limits = tuple(BarLimit(at, _LIMITS[band]) for band, at in MEMORY_MD_LINES)
    return bar(GaugeBar("", stage.level, limits, ""), width)


def oldest_words(stage: Stage, now: datetime) -> str:
    """Returns `, oldest 12 d`: the age of what waits longest; empty if it is unknown or of today."""
    days = (now.date() - stage.flow.oldest).days if stage.flow.oldest is not None else 0
    return f", oldest {days:,} d" if days > 0 else ""


def flow_title(stage: Stage) -> Line:
    """Returns `Flow of Extract · transcripts a day · 8 through, 3 wait, oldest 12 d`."""
    unit = FLOW_UNITS.get(stage.system, FLOW_UNITS["others"])
    through, waits = stage.flow.all_through, stage.flow.all_waiting
    told = f" · {unit} · {through:,} through" + (f", {waits:,} waiting" if waits else "")
    return (Span("Flow of ", "muted"), Span(TITLES[stage.system], "title"), Span(told, "muted"))


def runs(entries: Sequence[QueueEntry]) -> tuple[QueueEntry, ...]:
    """Returns the plans of the pipeline's systems, the newest first."""
    ours = (entry for entry in entries if entry.system in STAGES)
    return tuple(sorted(ours, key=lambda run: (run.made_at, run.id), reverse=True))


def run_rows(entries: Sequence[QueueEntry], now: datetime) -> tuple[ListRow, ...]:
    """Makes a row for each run: system, changes, state and age."""
    return tuple(
        ListRow(
            (
                glyphs.PLAN_STATES[entry.state].mark,
                Span(f" {entry.system.ljust(_LABEL)}", "strong"),
                Span(noun(entry.changes, "change")),
                Span(f" · {glyphs.PLAN_STATES[entry.state].word}", "muted"),
            ),
            (Span(f"  {ago(entry.made_at, now)}", "muted"),),
            (Span(f"  {safe(entry.id)}", "muted"),),
        )
        for entry in entries
    )


def run_lines(
    report: str, standing: "BlindStanding | None", figures: "ReplayFigures | None" = None
) -> tuple[Line, ...]:
    """Shows one run: its report, below the comparison and the blind judgement if it is a replay."""
    lines: list[Line] = []
    if figures is not None and standing is not None:
        lines += compared_lines(figures, standing)
    if standing is not None:
        lines += [*((Span(words, "accent"),) for words in blind_words(standing)), ()]
    for number, line in enumerate(report.rstrip("\n").split("\n")):
        lines.append((Span(safe(line), "strong" if not number else "text"),))
    return tuple(lines)


def compared_lines(figures: "ReplayFigures", standing: "BlindStanding") -> tuple[Line, ...]:
    """Draws a replay as bars: entries before and after on one scale, probes, and blind judgements."""
    after = figures.before - figures.lost + figures.new
    whole = max(1, figures.before, after)
    kept = figures.kept + figures.yours
    gone = f"{figures.before:,} entries · {figures.lost:,} lost · {figures.changed:,} changed"
    old: Sequence[tuple[int, Role]] = ((kept, "bar_ok"), (figures.changed, "info"))
    rows: list[tuple[str, Sequence[tuple[int, Role]], int, str]] = [
        ("before", (*old, (figures.lost, "warn")), whole, gone),
        ("after", (*old, (figures.new, "accent")), whole, f"{after:,} entries · {figures.new:,} new"),
    ]
    if figures.probes:
        told = f"{figures.probes_after:,} of {figures.probes:,}, before {figures.probes_before:,}"
        rows.append(("probes", ((figures.probes_after, "bar_ok"),), figures.probes, told))
    if decided := standing.after + standing.before + standing.tie:
        sides: Sequence[tuple[int, Role]] = ((standing.after, "bar_ok"), (standing.tie, "muted"))
        told = f"replay {standing.after:,} · before {standing.before:,} · tie {standing.tie:,}"
        rows.append(("blind", (*sides, (standing.before, "info")), decided, told))
    return tuple(
        (Span(f"{name:<7}", "muted"), *share_bar(parts, of, _COMPARED), Span(f" {told}", "muted"))
        for name, parts, of, told in rows
    )


def blind_words(standing: "BlindStanding") -> tuple[str, ...]:
    """Counts the sessions judged blind by result, and those that cannot be judged."""
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
    one_sided = "No session has entries on both sides."
    return one_sided if standing.one_sided else "The replay tells every session as before."


def figure_rows(figures: "ReplayFigures") -> tuple[tuple[str, str], ...]:
    """Returns the figures of a replay as pairs of name and value."""
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
    """Shows the figures of a replay in a pane."""
    return tuple((Span(f"{name:<10}", "muted"), Span(said)) for name, said in figure_rows(figures))


def pair_lines(pair: "BlindPair") -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Shows both sides of a blind pair, one entry on each line."""
    left, right = (tuple((Span(safe(row)),) for row in rows) for rows in (pair.one, pair.two))
    return left, right


def cost_lines(
    curves: CostCurves, batches: Sequence[Line], width: int, height: int, style: DotStyle
) -> tuple[Line, ...]:
    """Shows batches under way, the curve if it fits, costs by role, and a month at three levels of use."""
    if not curves.whole.sum.calls:
        return (*batches, costs.says(curves), *costs.month_bars(curves.months, width))
    most = max((part.sum.usd for part in curves.curves), default=0.0) or 1.0
    lines: list[Line] = []
    for part in curves.curves:
        shown = share_bar(((max(1, round(100 * part.sum.usd / most)), "bar_ok"),), 100, _BAR + 2)
        paid = (Span(f" ${part.sum.usd:.2f}", "strong"), Span(f" · {noun(part.sum.calls, 'call')}", "muted"))
        lines.append((Span(safe(part.sum.name).ljust(11)), *shown, *paid))
    ahead = " · ".join(f"{month.level} ${month.usd:.2f}" for month in curves.months)
    lines.append((Span("a month ahead, all by a model: ", "muted"), Span(ahead)))
    room = height - len(lines) - len(batches) - 1
    drawn = costs.drawn(curves, None, width, min(room, _TALLEST), style) if room >= _LEAST_CURVE else ()
    return (*batches, costs.says(curves), *drawn, *lines)
