"""Shows all agents as a table, for the console, the command and a read-only page."""

from collections.abc import Sequence
from datetime import datetime

from engine.fleet.row import FleetBand, FleetRow
from engine.plans.memory_status import SemanticBand
from engine.plans.plan import QueueEntry, RiskTier
from engine.text.safe_text import clip, in_column
from tui.present import glyphs
from tui.present.approvals import queue_filter
from tui.present.digest import DigestSection
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import age, ago, count, noun, percent, safe

WIDE = 100  # columns from which on all figures of a row are shown
HELP = f"{queue_filter.HELP}  agent:shop"
_NONE = "–"
_CURRENT = 60  # seconds after which a row says how old it is


def title(rows: Sequence[FleetRow]) -> str:
    """Returns `7 agents on 3 machines, 12 plans wait, 2 alarms`; plans and alarms of muted agents do not count."""
    machines = len({row.machine for row in rows})
    loud = [row for row in rows if not row.muted]
    where = f" on {noun(machines, 'machine')}" if machines > 1 else ""
    waits = sum(sum(row.waits.values()) for row in loud)
    alarms = sum(row.alarms for row in loud)
    return f"{noun(len(rows), 'agent')}{where}, {noun(waits, 'plan waits', 'plans wait')}, {noun(alarms, 'alarm')}"


def head(width: int) -> Line:
    """Makes the row with the names of the columns."""
    return _columns(("  agent", "headline", "waits", "unread", "window", "today", "heartbeat"), width, "muted")


def agent_row(row: FleetRow, now: datetime, width: int) -> ListRow:
    """Shows an agent as a row: its most serious fact, then its figures in columns."""
    sign, role = sign_of(row)
    beat = age(row.heartbeat, now) if row.heartbeat is not None else _NONE
    figures = (
        waiting_words(row) or _NONE,
        f"+{count(row.unread)}" if row.unread else "0",
        percent(row.window.tokens / row.window.limit) if row.window.tokens and row.window.limit else _NONE,
        f"${row.cost_today:.2f}" if row.cost_today else _NONE,
        f"{beat} ▲ late" if row.late else beat,
    )
    name = name_of(row) if width >= WIDE else row.agent
    line = _columns((f"{sign} {safe(name)}", _told(row, now), *figures), width, "muted" if row.muted else "text")
    return ListRow((Span(line[0].text, "muted" if row.muted else role), *line[1:]))


def sign_of(row: FleetRow) -> tuple[str, Role]:
    if row.band is FleetBand.UNKNOWN or row.problem:
        return glyphs.UNREADABLE.glyph, "warn"
    sign = glyphs.BANDS[SemanticBand(row.band)]
    return sign.glyph, sign.role


def name_of(row: FleetRow) -> str:
    """Returns `ana@nas`, or the bare name for an agent of this machine."""
    return f"{row.agent}@{row.machine}" if row.machine else row.agent


def waiting_words(row: FleetRow) -> str:
    """Returns `C 1 B 2`: waiting plans by risk tier, the strictest first."""
    return " ".join(f"{tier} {row.waits[tier]}" for tier in reversed(RiskTier) if row.waits.get(tier))


def detail(row: FleetRow, now: datetime) -> tuple[Line, ...]:
    """Shows the figures of an agent for which the table has no room, and its folder."""
    ahead = row.crossing
    parts = [
        row.group,
        f"{noun(len(row.fired), 'limit')} crossed: {', '.join(row.fired)}" if row.fired else "no limit crossed",
        f"{noun(row.falling, 'line')} not loaded" if row.falling else "",
        f"{ahead.gauge} reaches {ahead.limit} {count(ahead.value)} in {noun(ahead.days, 'day')}" if ahead else "",
        f"oldest plan {age(row.oldest, now)}" if row.oldest is not None else "",
        f"approved {ago(row.approved, now)}" if row.approved is not None else "nothing approved yet",
    ]
    place = f"{row.machine}:{row.workspace}" if row.machine else row.workspace
    return (Span(safe(place), "strong"),), (Span(safe(" · ".join(filter(None, parts))), "muted"),)


def plan_row(row: FleetRow, plan: QueueEntry, now: datetime, mark: str = " ") -> ListRow:
    """Shows a waiting plan with its agent."""
    tier = glyphs.RISK_TIERS[plan.risk_tier]
    more = f" +{len(plan.targets) - 1}" if len(plan.targets) > 1 else ""
    left = (
        Span(f"{mark} ", "accent"),
        Span(f"{tier.glyph} ", tier.role),
        Span(f"{in_column(clip(safe(name_of(row)), 16), 16)} ", "strong"),
        Span(f"{in_column(clip(safe(plan.system), 9), 9)} "),
        Span(safe("".join(plan.targets[:1])) + more),
    )
    flagged = f"{glyphs.FLAGGED.glyph} flagged  " if plan.flagged else ""
    return ListRow(left, (Span(flagged, "risk"), Span(age(plan.made_at, now), "muted")))


def waiting(rows: Sequence[FleetRow], asked: str, now: datetime) -> list[tuple[FleetRow, QueueEntry]]:
    """Lists waiting plans, the oldest first, by a filter of the queue with `agent:` for names, machines or groups."""
    words = asked.casefold().split()
    agents = [word.removeprefix("agent:") for word in words if word.startswith("agent:")]
    fits = queue_filter.holds(" ".join(word for word in words if not word.startswith("agent:")), now)
    loud = [row for row in rows if not row.muted and all(each in _names(row) for each in agents)]
    matching = [(row, plan) for row in loud for plan in row.plans if fits is None or fits(plan)]
    return sorted(matching, key=lambda each: each[1].made_at)


def is_named(row: FleetRow, asked: str) -> bool:
    """Tells whether a filter matches an agent, by its plain words and those after `agent:`."""
    words = (word.removeprefix("agent:") for word in asked.casefold().split())
    return all(word in _names(row) for word in words if ":" not in word)


def _names(row: FleetRow) -> str:
    return f"{name_of(row)} {row.group}".casefold()


def sections(rows: Sequence[FleetRow], now: datetime) -> tuple[DigestSection, ...]:
    """Makes the page of all agents: the table, then the waiting plans."""
    agents = tuple(_page_row(row, now) for row in rows)
    plans = waiting(rows, "", now)
    told = [(Span("  "), *line.left, Span("  "), *line.right) for line in (plan_row(*plan, now) for plan in plans[:20])]
    wait = DigestSection("What waits", noun(len(plans), "plan"), tuple(told), len(plans) - len(told))
    return DigestSection("Agents", title(rows), agents), wait


def _page_row(row: FleetRow, now: datetime) -> Line:
    sign, role = sign_of(row)
    waits = f"  {waiting_words(row)} waits" if row.waits else ""
    return (Span(f"  {sign} ", role), Span(f"{safe(name_of(row))}: ", "strong"), Span(_told(row, now) + waits))


def _told(row: FleetRow, now: datetime) -> str:
    """Returns the headline of an agent; if it could not be read, the reason and the age of the figures."""
    old = row.read_at is not None and (now - row.read_at).total_seconds() > _CURRENT
    since = f"as of {ago(row.read_at, now)}" if row.read_at is not None and (old or row.problem) else ""
    return " · ".join(filter(None, (since, safe(row.problem)) if row.problem else (safe(row.headline), since)))


_CELLS = (15, 0, 11, 6, 6, 7, 13)  # cells of each column; the headline has what is left
_LEFT_OUT = frozenset({3, 4, 5})  # the columns that a narrow terminal does without


def _columns(texts: Sequence[str], width: int, role: Role) -> Line:
    shown = [at for at in range(len(_CELLS)) if width >= WIDE or at not in _LEFT_OUT]
    rest = width - sum(_CELLS[at] + 1 for at in shown)
    cells = [(at, _CELLS[at] or max(10, rest)) for at in shown]
    return tuple(Span(in_column(clip(texts[at], size), size) + " ", role if at < 2 else "muted") for at, size in cells)
