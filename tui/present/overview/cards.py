"""Makes the cards of the Overview: a gauge for each figure with its limits and its forecast."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from engine.plans.memory_status import SemanticBand, ShardFigures, Status, TierFigures
from engine.plans.policy.values import Policy
from engine.workspace.layout import MEMORY_MD_LINES
from engine.workspace.values import MemoryTier
from tui.present import glyphs
from tui.present.overview.forecast import GRAVE, Outlook
from tui.present.overview.gauges import BarLimit, GaugeBar
from tui.present.spans import Line, Role, Span
from tui.present.words import count, noun, safe, short_count

_BAND_ROLES: dict[SemanticBand, Role] = {
    SemanticBand.OK: "text",
    SemanticBand.WARNING: "warn",
    SemanticBand.RISK: "risk",
    SemanticBand.BLOCKED: "blocked",
}


class CardLimits(msgspec.Struct, frozen=True):
    """The limits that gauges draw: those of the policy, or the specification's until the policy is read."""

    policy: Policy = Policy()

    def of(self, tier: MemoryTier) -> tuple[int, int, int, int]:
        """Returns the limits of a memory tier: files, tokens, days of pressure, days until eligible."""
        limits = self.policy.limits.working if tier is MemoryTier.WORKING else self.policy.limits.episodic
        return limits.files, limits.tokens, limits.age_days, limits.eligible_days


class Card(NamedTuple):
    """A card of the Overview: gauges and lines of text, and a line in its lower border."""

    title: str
    body: tuple[GaugeBar | Line, ...]
    foot: Line = ()
    role: Role = "text"  # the worst state in the card, which colours its title
    stacked: bool = False  # true if each gauge stands under its name
    dense_foot: Line = ()  # the lower border where gauges have no line for their outlook

    @property
    def gauges(self) -> tuple[str, ...]:
        """The ids of the gauges that a chart can show, from top to bottom."""
        return tuple(part.id for part in self.body if isinstance(part, GaugeBar) and part.id)

    def choosing(self, gauge: str) -> "Card":
        """Puts the cursor on a gauge of the card; on none if `gauge` is empty."""
        body = tuple(
            part._replace(chosen=bool(gauge) and part.id == gauge) if isinstance(part, GaugeBar) else part
            for part in self.body
        )
        return self._replace(body=body)


Outlooks = Mapping[str, Outlook]  # by the id of the gauge, as `engine.monitoring.gauges` names them


def cards(status: Status, limits: CardLimits, outlooks: Mapping[str, Outlook] = {}) -> tuple[Card, ...]:
    """Makes the four cards: working, episodic, semantic, and the always loaded files with the archive."""
    tiers = status.memory_tiers
    return (
        _flow_card("Working", "working", tiers.working, limits.of(MemoryTier.WORKING), outlooks),
        _flow_card("Episodic", "episodic", tiers.episodic, limits.of(MemoryTier.EPISODIC), outlooks),
        _semantic_card(status, limits, outlooks),
        _loaded_card(status, limits, outlooks),
    )


def _flow_card(title: str, name: str, tier: TierFigures, limits: tuple[int, int, int, int], outlooks: Outlooks) -> Card:
    files, tokens, days, eligible_days = limits
    figure = f"{short_count(tier.tokens)}/{short_count(tokens)}"
    gauges = (
        _limited("files", tier.files, files, f"{count(tier.files)}/{count(files)}", f"{name}.files", outlooks),
        _limited("tokens", tier.tokens, tokens, figure, f"{name}.tokens", outlooks),
        _oldest(tier.oldest_days, days, f"{name}.oldest", outlooks),
    )
    eligible: Line = (Span(f"{count(tier.eligible)} eligible", "accent" if tier.eligible else "muted"),)
    role: Role = "risk" if any(gauge.role == "risk" for gauge in gauges) else "text"
    foot = (*eligible, Span(f" (> {eligible_days} d)", "muted"))
    return Card(title, gauges, foot, role, dense_foot=_dense(gauges, eligible))


def _dense(gauges: tuple[GaugeBar, ...], foot: Line) -> Line:
    grave = [gauge for gauge in gauges if gauge.outlook.role in GRAVE and gauge.role == "text"]
    worst = min(grave, key=lambda gauge: GRAVE.index(gauge.outlook.role), default=None)
    if worst is None or not worst.outlook.words:
        return foot
    return (*foot, Span(" · ", "muted"), Span(f"{worst.label} {worst.outlook.brief}", worst.outlook.role))


def _limited(label: str, value: int, limit: int, figure: str, ident: str, outlooks: Outlooks) -> GaugeBar:
    """Makes a gauge with one limit; a glyph marks a value above it, since colour alone is not enough."""
    over = value > limit
    sign = f"{glyphs.RISK.glyph} " if over else ""
    thresholds = (BarLimit(limit, "bar_risk"),)
    role: Role = "risk" if over else "text"
    return GaugeBar(label, value, thresholds, sign + figure, role, outlooks.get(ident) or Outlook(), ident)


def _oldest(days: int | None, limit: int, ident: str, outlooks: Outlooks) -> GaugeBar:
    if days is None:
        return GaugeBar("oldest", 0, (BarLimit(limit, "bar_risk"),), "—", "muted")
    return _limited("oldest", days, limit, f"{count(days)}/{count(limit)} d", ident, outlooks)


def _semantic_card(status: Status, limits: CardLimits, outlooks: Outlooks) -> Card:
    semantic = status.memory_tiers.semantic
    shards = sorted(semantic.shards, key=lambda shard: -shard.tokens)
    gauges = tuple(_shard(shard, limits, outlooks.get(f"semantic:{shard.path}")) for shard in shards)
    worst = max((list(SemanticBand).index(shard.band) for shard in shards), default=0)
    foot: Line = (Span(f"{noun(semantic.files, 'shard')} · {count(semantic.tokens)} tokens", "muted"),)
    body: tuple[GaugeBar | Line, ...] = gauges or ((Span("no shard yet", "muted"),),)
    role = _BAND_ROLES[list(SemanticBand)[worst]]
    return Card("Semantic", body, foot, role, stacked=bool(gauges), dense_foot=_urgent(gauges) or foot)


def _urgent(gauges: tuple[GaugeBar, ...]) -> Line:
    ahead = [gauge.outlook for gauge in gauges if gauge.outlook.role in GRAVE]
    words = [words for words in ahead[0].words if len(words) <= _FOOT] if ahead else []
    return (Span(words[0], ahead[0].role),) if words else ()


_FOOT = 24  # cells of a card's last line


def _shard(shard: ShardFigures, limits: CardLimits, outlook: Outlook | None) -> GaugeBar:
    semantic = limits.policy.limits.semantic
    thresholds = (
        BarLimit(semantic.soft, "bar_warn"),
        BarLimit(semantic.risk, "bar_risk"),
        BarLimit(semantic.hard, "bar_blocked"),
    )
    sign = glyphs.BANDS[shard.band]
    name = safe(shard.path.rsplit("/", 1)[-1])
    figure = f"{count(shard.tokens)} {sign.glyph} {sign.word}"
    ident = f"semantic:{shard.path}"
    return GaugeBar(name, shard.tokens, thresholds, figure, _BAND_ROLES[shard.band], outlook or Outlook(), ident)


def _loaded_card(status: Status, limits: CardLimits, outlooks: Outlooks) -> Card:
    loaded = [gauge for gauge in (_root(status, limits, outlooks), _memory_md(status, outlooks)) if gauge is not None]
    archive = status.memory_tiers.archive
    course = outlooks.get("archive.files") or Outlook()
    tokens = f"{short_count(archive.tokens)} tokens"
    words = (*(f"{tokens} · {word}" for word in course.words[:1]), tokens)
    heading = course._replace(words=words, role="muted")
    files = noun(archive.files, "file")
    body = (*loaded, GaugeBar("archive", archive.files, (), files, "text", heading, "archive.files"))
    role: Role = "risk" if any(gauge.role == "risk" for gauge in loaded) else "text"
    foot: Line = (Span("nothing is ever deleted", "muted"),)
    return Card("Always loaded · archive" if loaded else "Archive", body, foot, role)


def _root(status: Status, limits: CardLimits, outlooks: Outlooks) -> GaugeBar | None:
    tokens = status.tree.get("root", {}).get("tokens")
    if not isinstance(tokens, int):
        return None
    cap = limits.policy.limits.root_tokens
    return _limited("ROOT", tokens, cap, f"{count(tokens)}/{short_count(cap)}", "root.tokens", outlooks)


def _memory_md(status: Status, outlooks: Outlooks) -> GaugeBar | None:
    lines = status.memory_md.get("lines")
    if not isinstance(lines, int) or not lines:
        return None
    full = dict(MEMORY_MD_LINES)["full"]
    return _limited("MEMORY", lines, full, f"{count(lines)}/{count(full)}", "memory_md.lines", outlooks)
