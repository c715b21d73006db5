"""Makes the digest: sections that become lines on the screen, a text of 40 lines, or HTML."""

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from html import escape
from typing import NamedTuple

from engine.monitoring.digest import Curve, DigestOperation, DigestPlan, FallingFile, OldExploration, WeeklyDigest
from engine.monitoring.learnt import Quote
from engine.text.safe_text import cell_width, clip, in_column
from engine.workspace.dates import zone_of
from tui.present import glyphs
from tui.present.flags import flag_line
from tui.present.overview.forecast import LEVELS, LIMIT_WORDS, NEAR
from tui.present.overview.verdict import gauge_name
from tui.present.spans import Line, Role, Span, plain
from tui.present.words import age, ago, count, file_name, noun, safe, words_of

MOST_LINES, MOST_CELLS = 40, 100  # lines of the text, and cells of each: two minutes of reading, in a mail too
_SHOWN = {"alarms": 6, "flags": 4, "learnt": 7, "done": 8, "waiting": 5, "falling": 3, "curves": 5}
"""The most rows of each section; further rows are counted."""
_VERBS = words_of("digest")


class DigestSection(NamedTuple):
    """A heading with its figures and rows; `more` counts the rows that are not shown."""

    title: str
    figures: str
    rows: tuple[Line, ...]
    more: int = 0


def title(digest: WeeklyDigest) -> str:
    """Returns `Digest of silas, Sun 8 Mar 03:00 to Sun 15 Mar 2026 02:40 UTC`, safe to show."""
    start, end = digest.since.astimezone(_zone(digest)), digest.until.astimezone(_zone(digest))
    year = "" if start.year == end.year else f" {start.year}"
    stretch = f"{start:%a} {start.day} {start:%b}{year} {start:%H:%M} to {end:%a} {end.day} {end:%b %Y %H:%M %Z}"
    what_if = ", by a what-if clock" if digest.simulated_clock else ""
    return f"Digest of {file_name(digest.workspace)}, {stretch}{what_if}"


def _zone(digest: WeeklyDigest) -> tzinfo:
    return digest.until.tzinfo or zone_of("UTC")


def sections(digest: WeeklyDigest, cells: int = 1000) -> tuple[DigestSection, ...]:
    """Makes the sections in order: the past, what waits, what is ahead, and costs. A quote takes at most `cells`."""
    first = (*((_alarms(digest),) if digest.alarms else ()), *((_flags(digest),) if digest.flags else ()))
    rest = (_learnt(digest, cells), _done(digest), _waiting(digest), _falling(digest), _ahead(digest), _cost(digest))
    return (*first, *rest)


def lines(digest: WeeklyDigest, cells: int = 1000) -> tuple[Line, ...]:
    """Makes the digest for the screen, which wraps long rows; a quote and its source take at most `cells`."""
    return page_lines(title(digest), sections(digest, cells))


def page_lines(named: str, parts: Sequence[DigestSection]) -> tuple[Line, ...]:
    rows: list[Line] = [(Span(named, "title"),)]
    for section in parts:
        rows += [(), (Span(section.title, "strong"), Span(f"  {section.figures}", "muted")), *section.rows]
        if section.more:
            rows.append((Span(f"  and {count(section.more)} more", "muted"),))
    return tuple(rows)


def text(digest: WeeklyDigest) -> str:
    """Makes the digest as plain text of at most 40 lines; equal digests give equal bytes."""
    rows = [clip(plain(line), MOST_CELLS).rstrip() for line in lines(digest, MOST_CELLS)][:MOST_LINES]
    return "\n".join(rows) + "\n"


def html(digest: WeeklyDigest) -> str:
    """Makes the digest as an HTML file that loads nothing and has no links."""
    return page(title(digest), sections(digest))


def page(named: str, parts: Sequence[DigestSection]) -> str:
    """Makes an HTML file of sections that loads nothing and has no links."""
    body = "\n".join(_html_section(section) for section in parts)
    head = escape(named)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{head}</title>\n<style>{_STYLE}</style>'
        f"</head><body>\n<h1>{head}</h1>\n{body}\n</body></html>\n"
    )


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.25rem}h2{font-size:1rem;margin:1.5rem 0 .25rem}h2 small{font-weight:normal;opacity:.7}"
    "pre{font:14px/1.6 ui-monospace,monospace;margin:0;white-space:pre-wrap;overflow-wrap:anywhere}"
)


def _html_section(section: DigestSection) -> str:
    rows = [plain(row).strip() for row in section.rows] + [f"and {count(section.more)} more"] * bool(section.more)
    heading = f"<h2>{escape(section.title)} <small>{escape(section.figures)}</small></h2>"
    return f"{heading}\n<pre>{escape(chr(10).join(rows))}</pre>"


def _section(name: str, heading: str, figures: str, rows: Sequence[Line]) -> DigestSection:
    """Makes a section of at most the rows allowed; if rows are omitted, their number takes the place of the last."""
    most = _SHOWN[name]
    kept = rows if len(rows) <= most else rows[: most - 1]
    return DigestSection(heading, figures, tuple(kept), len(rows) - len(kept))


def _alarms(digest: WeeklyDigest) -> DigestSection:
    rows: list[Line] = []
    for alarm in digest.alarms:
        rows.append((Span(f"  {glyphs.BLOCKED.glyph} ", "blocked"), Span(safe(alarm.line), "blocked")))
        rows.append((Span(f"      {safe(alarm.fix)}", "muted"),))
    return _section("alarms", "Alarms", count(len(digest.alarms)), rows)


def _flags(digest: WeeklyDigest) -> DigestSection:
    rows: list[Line] = [(Span("  "), *flag_line(flag)) for flag in digest.flags]
    return _section("flags", "What is flagged in notes", noun(len(digest.flags), "line"), rows)


def _learnt(digest: WeeklyDigest, cells: int) -> DigestSection:
    notes = noun(digest.notes, "note or session", "notes and sessions")
    figures = f"from {notes} of these days" if digest.notes else "no note of these days"
    if digest.notes and not digest.learnt:
        figures += ": no sentence of them says what was learnt"
    return _section("learnt", "What the agent learnt", figures, [_quote(quote, cells) for quote in digest.learnt])


def _quote(quote: Quote, cells: int) -> Line:
    """Makes the line of a quote, shortened so that its source fits."""
    where = f"  {file_name(quote.path)}:{quote.line}"
    said = clip(safe(quote.text), max(20, cells - cell_width(where) - _QUOTE_APART))
    return (Span(f"  {quote.kind.value:<10}  ", "muted"), Span(f"“{said}”"), Span(where, "muted"))


_QUOTE_APART = 16  # cells before and around a quote


def _done(digest: WeeklyDigest) -> DigestSection:
    asked = sum(op.asked for op in digest.approved)
    alone = len(digest.approved) - asked
    figures = [
        f"{count(len(digest.planned))} planned",
        f"{count(asked)} approved",
        *([f"{count(alone)} ran by {'itself' if alone == 1 else 'themselves'}"] if alone else []),
        f"{count(len(digest.refused))} refused",
        f"{count(len(digest.undone))} undone",
    ]
    rows = [line for _, _, line in sorted(_happened(digest), key=lambda row: row[:2])]
    return _section("done", "What was decided", ", ".join(figures), rows)


def _happened(digest: WeeklyDigest) -> Iterator[tuple[float, str, Line]]:
    """Yields approved, refused and undone plans with their times; plans that were only made are not among them."""
    zone = _zone(digest)
    for op in digest.approved:
        line = _row("approved" if op.asked else "by itself", f"{op.at.astimezone(zone):%a %H:%M}", _op_words(op))
        yield -op.at.timestamp(), op.id, line
    for plan in digest.refused:
        why = f", “{safe(plan.reason)}”" if plan.reason else ""
        words = f"{_plan_words(plan)}{why}"
        yield -plan.at.timestamp(), plan.id, _row("refused", f"{plan.at.astimezone(zone):%a %H:%M}", words)
    for op in digest.undone:
        words = f"{_op_words(op)}, was {safe(op.undoes)}"
        yield -op.at.timestamp(), op.id, _row("undone", f"{op.at.astimezone(zone):%a %H:%M}", words)


def _row(verb: str, when: str, words: str) -> Line:
    said, role = _VERBS[verb]
    return (Span(f"  {said:<13} ", role), Span(f"{when}  ", "muted"), Span(words))


def _op_words(op: DigestOperation) -> str:
    return f"{safe(op.id)}  {safe(op.system)} · {op.risk_tier.value} · {noun(op.files, 'file')}"


def _plan_words(plan: DigestPlan) -> str:
    return f"{safe(plan.id)}  {safe(plan.system)} · {plan.risk_tier.value} · {noun(plan.changes, 'change')}"


def _waiting(digest: WeeklyDigest) -> DigestSection:
    asleep = [plan for plan in digest.waiting if plan.snoozed_until is not None]
    awake = sorted((plan for plan in digest.waiting if plan not in asleep), key=lambda plan: (plan.made_at, plan.id))
    oldest = f", the oldest made {ago(awake[0].made_at, digest.until)}" if awake else ""
    snoozed = f", {count(len(asleep))} snoozed" if asleep else ""
    plans = f"{noun(len(awake), 'plan')}{oldest}{snoozed}" if awake or asleep else ""
    old = f"{noun(len(digest.explorations), 'exploration')} older than a week" if digest.explorations else ""
    figures = " · ".join(filter(None, (plans, old))) or "nothing"
    rows: list[Line] = [_exploration(exploration, digest) for exploration in digest.explorations]
    rows += [(Span(f"  {age(plan.made_at, digest.until):>6}  ", "muted"), Span(_plan_words(plan))) for plan in awake]
    return _section("waiting", "What waits for you", figures, rows)


def _exploration(exploration: OldExploration, digest: WeeklyDigest) -> Line:
    since = Span(f"  {age(exploration.begun, digest.until):>6}  ", "muted")
    name = Span(f"explore/{safe(exploration.name)[:40]}", "warn")
    return (since, name, Span("  memdeck plan branches ends it", "muted"))


def _falling(digest: WeeklyDigest) -> DigestSection:
    lost = sum(file.lines for file in digest.falling)
    near = f", {noun(len(digest.falling), 'file')} near a cap or over it" if digest.falling else ""
    figures = f"{noun(lost, 'line')} not loaded now" if lost else f"every line is loaded{near}"
    return _section("falling", "What falls off", figures, list(map(_falling_row, digest.falling)))


def _falling_row(file: FallingFile) -> Line:
    size = f"{count(file.value)} of {count(file.cap)} {safe(file.unit)}"
    role: Role = "risk" if file.lines else "warn"
    said = f"{count(file.headroom)} more fit" if file.headroom >= 0 else f"{count(-file.headroom)} over"
    said = f"{noun(file.lines, 'line')} not loaded" if file.lines else said
    return (
        Span(f"  {safe(file.path)}", "text"),
        Span(f" in {safe(file.platform)}: {size}, ", "muted"),
        Span(said, role),
    )


def _ahead(digest: WeeklyDigest) -> DigestSection:
    over = sum(curve.over for curve in digest.curves)
    near = sum(curve.days is not None and not curve.over for curve in digest.curves)
    figures = f"{noun(over, 'gauge')} over {'its' if over == 1 else 'their'} limit, {count(near)} on the way there"
    return _section("curves", "Where it is heading", figures, [_curve(curve) for curve in digest.curves])


def _curve(curve: Curve) -> Line:
    unit = "d" if curve.unit == "days" else curve.unit
    grown = "" if curve.before is None else f"{curve.value - curve.before:+,}"
    role: Role = "risk" if curve.over else "warn" if curve.days is not None and curve.days <= NEAR else "muted"
    return (
        Span(f"  {in_column(clip(gauge_name(curve.id), 18), 18)} "),
        Span(sparkline(curve.values), "rule"),
        Span(f" {count(curve.value):>6} {unit:<6} {grown:>6}  "),
        Span(_heading(curve), role),
    )


def _heading(curve: Curve) -> str:
    if curve.over:
        return f"over its limit of {count(curve.limits[-1])}"
    if curve.days is None or curve.limit_value is None:
        return "" if curve.per_week is None else "no limit within 90 days"
    name = LIMIT_WORDS.get(curve.limit, curve.limit)
    when = "today" if curve.days == 0 else f"in {noun(curve.days, 'day')}"
    return f"{name} {count(curve.limit_value)} {when}"


def sparkline(values: Sequence[int | None]) -> str:
    """Draws a cell for each value, scaled from the least to the greatest; a blank for None."""
    known = [value for value in values if value is not None]
    low, room = (min(known), max(max(known) - min(known), 1)) if known else (0, 1)
    top = len(LEVELS) - 1
    return "".join(" " if value is None else LEVELS[round((value - low) / room * top)] for value in values)


def _cost(digest: WeeklyDigest) -> DigestSection:
    calls = sum(paid.calls for paid in digest.cost)
    roles = ", ".join(f"{safe(paid.role)} {noun(paid.calls, 'call')} ${float(paid.usd):.2f}" for paid in digest.cost)
    figures = f"${digest.usd} for {noun(calls, 'call')}: {roles}" if calls else "nothing: no model was called"
    return DigestSection("What it cost", figures, ())
