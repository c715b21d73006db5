"""The one visual language: the same glyph, word and role for the same state everywhere. Never colour alone."""

import re
from typing import NamedTuple

from engine.plans.operation import OperationState
from engine.plans.plan import PlanState, RiskTier
from engine.plans.status import SemanticBand
from engine.workspace.findings import FindingKind
from tui.present.spans import Role, Span


class Sign(NamedTuple):
    """A state as it is shown: a single-cell glyph, its word, and the role that colours both."""

    glyph: str
    word: str
    role: Role

    @property
    def span(self) -> Span:
        return Span(f"{self.glyph} {self.word}", self.role)

    @property
    def mark(self) -> Span:
        return Span(self.glyph, self.role)


FIXED = Sign("●", "fixed", "ok")
TENTATIVE = Sign("◐", "tentative", "info")
MISSING = Sign("○", "missing", "muted")
STALE = Sign("!", "stale", "warn")
PASSED = Sign("✓", "passed", "ok")
FAILED = Sign("✗", "failed", "blocked")
QUIET = Sign("·", "quiet", "muted")
RISK = Sign("▲", "risk", "risk")
BLOCKED = Sign("■", "blocked", "blocked")

RAW_LOG = Sign("≡", "raw log", "muted")
NO_LOG = Sign("·", "no log", "muted")
NEEDS_SUMMARY = Sign("!", "needs a summary", "warn")
STALE_FIXED = Sign("▲", "stale-fixed", "risk")
DAMAGED = Sign("✗", "damaged", "blocked")
UNREADABLE = Sign("✗", "cannot be read", "blocked")
ORPHAN = Sign("?", "orphan", "warn")
FORGED = Sign("✗", "omitted", "blocked")

FLAGGED = Sign("⚑", "flagged", "risk")

WAITS = Sign("○", "waits", "muted")
DUE = Sign("!", "due", "warn")

WOKE = Sign("▶", "active", "ok")
LOST = Sign("·", "not active", "muted")
LISTENS = Sign("○", "listening", "muted")
OFF = Sign("·", "off", "muted")
USEFUL = Sign("✓", "useful", "ok")
NOT_USEFUL = Sign("✗", "not useful", "blocked")
UNSURE = Sign("?", "unsure", "muted")

NEW = Sign("+", "new", "ok")
CHANGED = Sign("~", "changed", "accent")
REMOVED = Sign("−", "removed", "blocked")

CONSOLIDATED = Sign("◇", "consolidated", "info")
ENTRY_KEPT = Sign("✓", "kept", "ok")
ENTRY_MOVED = Sign("~", "moved", "info")
ENTRY_MERGED = Sign("◐", "merged", "info")
ENTRY_LOST = Sign("✗", "lost", "blocked")

RISK_TIERS: dict[RiskTier, Sign] = {
    RiskTier.A: Sign("A", "rebuildable", "tier_a"),
    RiskTier.B: Sign("B", "reversible", "tier_b"),
    RiskTier.C: Sign("C", "type APPROVED", "tier_c"),
}

BANDS: dict[SemanticBand, Sign] = {
    SemanticBand.OK: Sign("✓", "ok", "ok"),
    SemanticBand.WARNING: Sign("!", "warning", "warn"),
    SemanticBand.RISK: RISK,
    SemanticBand.BLOCKED: BLOCKED,
}

PLAN_STATES: dict[PlanState, Sign] = {
    PlanState.PENDING: Sign("○", "pending", "info"),
    PlanState.STALE: STALE,
    PlanState.SUPERSEDED: Sign("·", "superseded", "muted"),
    PlanState.APPROVED: Sign("◐", "approved", "info"),
    PlanState.EXPIRED: Sign("!", "approval expired", "warn"),
    PlanState.APPLYING: Sign("◐", "applying", "info"),
    PlanState.PARTIAL: Sign("▲", "partly applied", "risk"),
    PlanState.CONFLICT: Sign("✗", "conflict", "blocked"),
    PlanState.APPLIED: Sign("✓", "applied", "ok"),
    PlanState.REJECTED: Sign("✗", "rejected", "muted"),
    PlanState.UNDONE: Sign("·", "undone", "muted"),
}

OPERATION_STATES: dict[OperationState, Sign] = {
    OperationState.RUNNING: Sign("◐", "running", "info"),
    OperationState.DONE: Sign("✓", "done", "ok"),
    OperationState.PARTIAL: Sign("▲", "partial", "risk"),
    OperationState.CONFLICT: Sign("✗", "conflict", "blocked"),
    OperationState.ROLLED_BACK: Sign("·", "rolled back", "muted"),
    OperationState.UNDONE: Sign("·", "undone", "muted"),
}

FINDINGS: dict[FindingKind, Sign] = {
    FindingKind.DAMAGE: Sign("✗", "damage", "blocked"),
    FindingKind.CONFLICT: Sign("✗", "conflict", "blocked"),
    FindingKind.LOSS: Sign("■", "loss", "blocked"),
    FindingKind.NOTICE: Sign("·", "notice", "muted"),
}

LOAD_STATES: dict[str, Sign] = {
    "whole": Sign("✓", "whole", "ok"),
    "over": Sign("!", "above its cap", "warn"),
    "cut": Sign("▲", "cut", "warn"),
    "left out": Sign("✗", "omitted", "blocked"),
    "unknown": Sign("?", "not followed", "warn"),
    "missing": MISSING,
}
"""By `LoadState`, whose room is not loaded for the first paint."""

ITEM_STATES: dict[str, Sign] = {
    "included": Sign("✓", "included", "ok"),
    "cut": Sign("▲", "cut", "warn"),
    "dropped": Sign("✗", "dropped", "blocked"),
}
"""By `ItemState`, of an item of a compiled prompt."""

WINDOW_BANDS: dict[str, Sign] = {
    "ok": Sign("✓", "ok", "ok"),
    "warning": Sign("!", "warning", "warn"),
    "compact": Sign("▲", "compact", "risk"),
    "emergency": Sign("■", "emergency", "blocked"),
    "unknown": Sign("?", "unknown", "muted"),
}
"""By `WindowBand`, of the context window of a session."""

SAVED: dict[str, Sign] = {
    "saved": Sign("✓", "saved", "ok"),
    "saved late": Sign("!", "saved late", "warn"),
    "not saved": Sign("✗", "not saved", "blocked"),
}
"""By `Saved`, of what a compaction took out."""

LOAD_MARKS: dict[str, Sign] = {
    "observed": Sign("●", "observed", "ok"),
    "simulated": Sign("○", "simulated", "muted"),
    "differs": Sign("!", "differs", "warn"),
}
"""By `LoadMark`, of a file that a session reported as loaded or not."""

ITEM_FATES: dict[str, Sign] = {
    "came in": Sign("+", "came in", "ok"),
    "fell out": Sign("−", "fell out", "blocked"),
    "changed": Sign("~", "changed", "accent"),
    "same": Sign("·", "same", "muted"),
}
"""By `ItemFate`, of an item in two prompts."""

HOLDS = Sign("✓", "holds", "ok")
HOLDS_NOT = Sign("✗", "does not hold", "blocked")

PROBES: dict[str, Sign] = {
    "kept": Sign("✓", "kept", "ok"),
    "lost": Sign("✗", "lost", "blocked"),
    "gained": Sign("+", "gained", "ok"),
    "unmet": Sign("○", "unmet", "muted"),
    "unknown": Sign("?", "unknown", "muted"),
}
"""By `ProbeOutcome`, of a probe under a plan."""

LANGUAGE: tuple[tuple[str, tuple[Sign, ...]], ...] = (
    ("Risk tiers", tuple(RISK_TIERS.values())),
    ("Limits", (*BANDS.values(), QUIET)),
    ("Plan checks", (PASSED, FAILED)),
    ("Plans", (*PLAN_STATES.values(), FLAGGED)),
    ("Operations", tuple(OPERATION_STATES.values())),
    (
        "The tree",
        (
            *(FIXED, TENTATIVE, MISSING, STALE, STALE_FIXED, NEEDS_SUMMARY),
            *(DAMAGED, ORPHAN, FORGED, RAW_LOG, NO_LOG, UNREADABLE, WAITS, DUE),
        ),
    ),
    ("Topics", (WOKE, LOST, LISTENS, OFF, USEFUL, NOT_USEFUL, UNSURE)),
    ("What a platform loads", tuple(LOAD_STATES.values())),
    ("Loaded as simulated", tuple(LOAD_MARKS.values())),
    ("What is in a prompt", tuple(ITEM_STATES.values())),
    ("The context window", tuple(WINDOW_BANDS.values())),
    ("Compactions", tuple(SAVED.values())),
    ("What differs between two prompts", tuple(ITEM_FATES.values())),
    ("Probes", (HOLDS, HOLDS_NOT, *PROBES.values())),
    ("What the agent did", (NEW, CHANGED, REMOVED)),
    ("Consolidations by other tools", (CONSOLIDATED, ENTRY_KEPT, ENTRY_MOVED, ENTRY_MERGED, ENTRY_LOST)),
    ("Findings of a check", tuple(FINDINGS.values())),
)
"""The whole language by what it speaks of, for the docs."""

TRIGGER_WORDS: dict[str, str] = {
    "semantic_hard": "semantic shard over its hard limit",
    "semantic_risk": "semantic shard over its risk line",
    "working_files": "too many working notes",
    "working_tokens": "working notes hold too many tokens",
    "working_age": "a working note is too old",
    "episodic_files": "too many episodic files",
    "episodic_tokens": "episodic files hold too many tokens",
    "episodic_age": "an episodic file is too old",
    "weekly": "the weekly run is due",
    "no_room": "an entry has no room in its shard",
    "manual": "asked for by hand",
    "cycle": "days whose node is missing or out of date",
    "drain": "every day that waits, however many",
    "warning": "a session fills 80 % of its window",
    "compact": "a session fills 90 % of its window",
    "emergency": "a session fills 97.5 % of its window",
    "daily": "the daily run is due",
    "judgements": "what you judged useful or not",
}

_ASCII = str.maketrans(
    {
        **dict.fromkeys("●", "*"),
        **dict.fromkeys("✓", "Y"),
        **dict.fromkeys("◐", "%"),
        **dict.fromkeys("◇", "@"),
        **dict.fromkeys("○", "o"),
        **dict.fromkeys("▲", "^"),
        **dict.fromkeys("⚑", "&"),
        **dict.fromkeys("■█▉▊▋▌▐", "#"),
        **dict.fromkeys("▍▎▏▕", "|"),
        **dict.fromkeys("✗×", "x"),
        **dict.fromkeys("·•…", "."),
        **dict.fromkeys("─━╌╸▔▁▂▀▄░", "-"),
        **dict.fromkeys("▃▅▒", "="),
        **dict.fromkeys("▆▇▓", "#"),
        **dict.fromkeys("│┃║╎", "|"),
        **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼", "+"),
        **dict.fromkeys("▸→▶›", ">"),
        **dict.fromkeys("←‹", "<"),
        **dict.fromkeys("⟨", "["),
        **dict.fromkeys("⟩", "]"),
        **dict.fromkeys("≈", "~"),
        **dict.fromkeys("≡", "="),
        **dict.fromkeys("↑", "^"),
        **dict.fromkeys("↓", "v"),
        **dict.fromkeys("≤", "<"),
        **dict.fromkeys("≥", ">"),
        **dict.fromkeys("—–−", "-"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("‘’", "'"),
    }
)
"""Signs for our own glyphs on a terminal that can only show ASCII; two states never have the same."""
_SPELLED = {" →": "->", "→ ": "->", " ≤": "<=", "≤ ": "<=", " ≥": ">=", "≥ ": ">="}
_BESIDE_A_SPACE = re.compile("|".join(_SPELLED))


def in_ascii(text: str) -> str:
    """The text with our own glyphs in ASCII, as wide as before: an arrow takes the space beside it, to be no `>`."""
    return _BESIDE_A_SPACE.sub(lambda found: _SPELLED[found[0]], text).translate(_ASCII)
