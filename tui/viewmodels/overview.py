"""The Overview as lines: a card per memory tier, the triggers, what is due, what needs a look, the queue."""

from typing import NamedTuple

import msgspec

from engine.plans.plan import QueueEntry
from engine.plans.policy import Policy
from engine.views import SemanticBand, ShardFigures, Status, TierFigures
from engine.workspace.values import MemoryTier
from tui.viewmodels import glyphs
from tui.viewmodels.gauges import Gauge, Threshold
from tui.viewmodels.spans import Line, Role, Row, Span
from tui.viewmodels.wording import count, noun, safe, short_count, tail

_BAND_ROLES: dict[SemanticBand, Role] = {
    SemanticBand.OK: "text",
    SemanticBand.WARNING: "warn",
    SemanticBand.RISK: "risk",
    SemanticBand.BLOCKED: "blocked",
}


class Limits(msgspec.Struct, frozen=True):
    """The limits a gauge draws; the policy in force, or the specification's while it is not read yet."""

    policy: Policy = Policy()

    def of(self, tier: MemoryTier) -> tuple[int, int, int, int]:
        """Files, tokens, days of pressure and days of eligibility of a tier."""
        limits = self.policy.limits.working if tier is MemoryTier.WORKING else self.policy.limits.episodic
        return limits.files, limits.tokens, limits.age_days, limits.eligible_days


class Card(NamedTuple):
    """A card of the Overview: gauges and lines of text from top to bottom, and a line in its lower border."""

    title: str
    body: tuple[Gauge | Line, ...]
    foot: Line = ()
    role: Role = "text"
    """The worst state in the card, which colours its title."""


def cards(status: Status, limits: Limits) -> tuple[Card, ...]:
    """Working, episodic, semantic, archive, in that order."""
    tiers = status.memory_tiers
    return (
        _flow_card("Working", tiers.working, *limits.of(MemoryTier.WORKING)),
        _flow_card("Episodic", tiers.episodic, *limits.of(MemoryTier.EPISODIC)),
        _semantic_card(status, limits),
        _archive_card(status),
    )


def _flow_card(title: str, tier: TierFigures, files: int, tokens: int, days: int, eligible_days: int) -> Card:
    gauges = (
        _limited("files", tier.files, files, f"{count(tier.files)}/{count(files)}"),
        _limited("tokens", tier.tokens, tokens, f"{short_count(tier.tokens)}/{short_count(tokens)}"),
        _oldest(tier.oldest_days, days),
    )
    foot: Line = (Span(f"{count(tier.eligible)} eligible", "accent" if tier.eligible else "muted"),)
    foot += (Span(f" (> {eligible_days} d)", "muted"),)
    role: Role = "risk" if any(gauge.role == "risk" for gauge in gauges) else "text"
    return Card(title, gauges, foot, role)


def _limited(label: str, value: int, limit: int, figure: str) -> Gauge:
    """A gauge with one limit, compared with `>`; the glyph says it where colour cannot."""
    over = value > limit
    sign = f"{glyphs.RISK.glyph} " if over else ""
    return Gauge(label, value, (Threshold(limit, "bar_risk"),), sign + figure, "risk" if over else "text")


def _oldest(days: int | None, limit: int) -> Gauge:
    if days is None:
        return Gauge("oldest", 0, (Threshold(limit, "bar_risk"),), "—", "muted")
    return _limited("oldest", days, limit, f"{count(days)}/{count(limit)} d")


def _semantic_card(status: Status, limits: Limits) -> Card:
    semantic = status.memory_tiers.semantic
    shards = sorted(semantic.shards, key=lambda shard: -shard.tokens)
    body: list[Gauge | Line] = [_shard(shard, limits) for shard in shards]
    if not body:
        body.append((Span("no shard yet", "muted"),))
    worst = max((list(SemanticBand).index(shard.band) for shard in shards), default=0)
    foot = (Span(f"{noun(semantic.files, 'shard')} · {count(semantic.tokens)} tokens", "muted"),)
    return Card("Semantic", tuple(body), foot, _BAND_ROLES[list(SemanticBand)[worst]])


def _shard(shard: ShardFigures, limits: Limits) -> Gauge:
    semantic = limits.policy.limits.semantic
    thresholds = (
        Threshold(semantic.soft, "bar_warn"),
        Threshold(semantic.risk, "bar_risk"),
        Threshold(semantic.hard, "bar_blocked"),
    )
    sign = glyphs.BANDS[shard.band]
    name = safe(shard.path.rsplit("/", 1)[-1])
    figure = f"{count(shard.tokens)} {sign.glyph} {sign.word}"
    return Gauge(name, shard.tokens, thresholds, figure, _BAND_ROLES[shard.band])


def _archive_card(status: Status) -> Card:
    archive = status.memory_tiers.archive
    body: tuple[Line, ...] = (
        (Span(count(archive.files), "strong"), Span(" files" if archive.files != 1 else " file", "muted")),
        (Span(short_count(archive.tokens), "strong"), Span(" tokens", "muted")),
    )
    return Card("Archive", body, (Span("nothing is ever deleted", "muted"),))


def triggers(status: Status) -> tuple[Row, ...]:
    """The triggers in their priority order: value, comparison, threshold, and what a fired one leads to."""
    return tuple(_trigger_row(status, index) for index in range(len(status.triggers)))


def _trigger_row(status: Status, index: int) -> Row:
    state = status.triggers[index]
    sign = _trigger_sign(state.id, state.fired)
    role: Role = sign.role if state.fired else "muted"
    primary = state.fired and state.id == status.primary_trigger
    name = Span(f"{safe(state.id):<16}", "strong" if state.fired else "text")
    left = (Span(f"{sign.glyph} ", sign.role), name, *_compared(state.value, state.threshold, state.fired, role))
    detail = safe(state.detail)
    if detail and (state.value is None or state.threshold is None):
        left += (Span(detail, role),)
    right: Line = (Span(f"→ {status.risk_tier.value}", "accent"),) if primary and status.risk_tier else ()
    return Row(left, (Span("primary ", "muted"), *right) if right else ())


def _trigger_sign(trigger: str, fired: bool) -> glyphs.Sign:
    if not fired:
        return glyphs.QUIET if trigger == "weekly" else glyphs.PASSED
    return glyphs.BLOCKED if trigger == "semantic_hard" else glyphs.RISK


def _compared(value: int | None, threshold: int | None, fired: bool, role: Role) -> Line:
    if threshold is None:
        return ()
    if value is None:
        return (Span(f"{'—':>7}   {count(threshold):<6}", "muted"),)
    sign = ">" if value > threshold else "≤"
    figures = (Span(f"{count(value):>7}", role if fired else "text"), Span(f" {sign} {count(threshold):<6}", "muted"))
    return (*figures, Span(" fired" if fired else "", role))


def attention(status: Status) -> tuple[Row, ...]:
    """Degraded modes with their fix, remarks on files, and what was skipped: everything worth a look."""
    degraded = [
        Row(
            (
                Span(f"{glyphs.STALE.glyph} ", "warn"),
                Span(safe(item.what), "text"),
                Span("  " + safe(item.fix), "muted"),
            )
        )
        for item in status.degraded
    ]
    notes = [Row((Span("· ", "info"), Span(safe(note)))) for note in status.notes]
    skipped = [
        Row(
            (
                Span("○ ", "muted"),
                Span("skipped ", "muted"),
                Span(tail(item.path)),
                Span("  " + safe(item.reason), "muted"),
            )
        )
        for item in status.skipped
    ]
    return tuple(_nothing_here(status) + degraded + notes + skipped)


def _nothing_here(status: Status) -> list[Row]:
    """Said of a folder that holds no memory yet, which may be the wrong folder."""
    if status.capabilities or status.skipped or status.notes:
        return []
    where = "memory/working, memory/episodic and memory/semantic are made when the first plan is applied"
    return [Row((Span("○ ", "info"), Span("no memory in this folder yet", "strong"), Span(f"  {where}", "muted")))]


def attention_detail(status: Status, index: int) -> tuple[str, tuple[Line, ...]]:
    """Title and text of one row of `attention`, whole."""
    if index < len(_nothing_here(status)):
        line = _nothing_here(status)[index].left
        return "Nothing here yet", (line[1:2], (), line[2:])
    index -= len(_nothing_here(status))
    if index < len(status.degraded):
        item = status.degraded[index]
        return "Works less well than it could", (
            (Span(safe(item.what)),),
            (),
            (Span("Fix  ", "muted"), Span(safe(item.fix))),
        )
    index -= len(status.degraded)
    if index < len(status.notes):
        return "Remark", ((Span(safe(status.notes[index])),),)
    skipped = status.skipped[index - len(status.notes)]
    why = (Span("Left alone: ", "muted"), Span(safe(skipped.reason)))
    return "Skipped", ((Span(safe(skipped.path), "strong"),), (), why)


def open_entries(entries: tuple[QueueEntry, ...]) -> tuple[QueueEntry, ...]:
    """The plans that still wait for the operator, as they stand in the queue."""
    return tuple(entry for entry in entries if entry.state.value in ("pending", "approved", "expired", "stale"))


def trigger_detail(status: Status, index: int) -> tuple[str, tuple[Line, ...]]:
    """Title and text that explain one trigger."""
    state = status.triggers[index]
    means = glyphs.TRIGGER_WORDS.get(state.id, state.id)
    figure = "—" if state.value is None else count(state.value)
    lines: list[Line] = [(Span(f"Fires for: {safe(means)}", "text"),), ()]
    if state.threshold is not None:
        lines.append(
            (Span("now ", "muted"), Span(figure, "strong"), Span(f"   fires above {count(state.threshold)}", "muted"))
        )
    if state.detail:
        lines.append((Span(safe(state.detail)),))
    sign = _trigger_sign(state.id, state.fired)
    lines.append((Span(f"{sign.glyph} {'fired' if state.fired else 'not fired'}", sign.role),))
    if state.fired:
        lines.extend(
            [
                (),
                (
                    Span("d", "key"),
                    Span(" on the Overview makes a dry run: a plan to look at, nothing is changed", "muted"),
                ),
            ]
        )
    return safe(state.id), tuple(lines)
