"""Holds the sign of each state: the same glyph, word and colour role on every screen, never colour alone."""

import re
from typing import NamedTuple

from engine.plans.memory_status import SemanticBand
from engine.plans.operation import OperationState
from engine.plans.plan import PlanState, RiskTier
from engine.text.pattern_file import pattern_file
from engine.workspace.values import FindingKind
from tui.present.spans import Role, Span


class Sign(NamedTuple):
    """The sign of a state: a glyph of one cell, a word, and the role that colours both."""

    glyph: str
    word: str
    role: Role

    @property
    def span(self) -> Span:
        return Span(f"{self.glyph} {self.word}", self.role)

    @property
    def mark(self) -> Span:
        return Span(self.glyph, self.role)


_TABLES = pattern_file("tui.present", "signs.toml")


def _signs(table: str) -> dict[str, Sign]:
    return {state: Sign(*sign) for state, sign in _TABLES[table].items()}


_OWN = _signs("own")
FIXED, TENTATIVE, MISSING, STALE = (_OWN[name] for name in ("fixed", "tentative", "missing", "stale"))
PASSED, FAILED, QUIET, RISK, BLOCKED = (_OWN[name] for name in ("passed", "failed", "quiet", "risk", "blocked"))
RAW_LOG, NO_LOG, NEEDS_SUMMARY = (_OWN[name] for name in ("raw_log", "no_log", "needs_summary"))
STALE_FIXED, DAMAGED, UNREADABLE = (_OWN[name] for name in ("stale_fixed", "damaged", "unreadable"))
ORPHAN, FORGED, FLAGGED, WAITS, DUE = (_OWN[name] for name in ("orphan", "forged", "flagged", "waits", "due"))
WOKE, LOST, LISTENS, OFF = (_OWN[name] for name in ("woke", "lost", "listens", "off"))
USEFUL, NOT_USEFUL, UNSURE = (_OWN[name] for name in ("useful", "not_useful", "unsure"))
NEW, CHANGED, REMOVED, CONSOLIDATED = (_OWN[name] for name in ("new", "changed", "removed", "consolidated"))
ENTRY_KEPT, ENTRY_MOVED, ENTRY_MERGED = (_OWN[name] for name in ("entry_kept", "entry_moved", "entry_merged"))
ENTRY_LOST, HOLDS, HOLDS_NOT = (_OWN[name] for name in ("entry_lost", "holds", "holds_not"))

RISK_TIERS = {RiskTier(state): sign for state, sign in _signs("risk_tiers").items()}
BANDS = {SemanticBand(state): sign for state, sign in _signs("bands").items()}
PLAN_STATES = {PlanState(state): sign for state, sign in _signs("plans").items()}
OPERATION_STATES = {OperationState(state): sign for state, sign in _signs("operations").items()}
FINDINGS = {FindingKind(state): sign for state, sign in _signs("findings").items()}

LOAD_STATES = _signs("loads")  # by `LoadState`, whose room is not loaded for the first paint
ITEM_STATES = _signs("items")  # by `ItemState`, of an item of a compiled prompt
WINDOW_BANDS = _signs("windows")  # by `WindowBand`, of the context window of a session
SAVED = _signs("saved")  # by `Saved`, of what a compaction took out
LOAD_MARKS = _signs("load_marks")  # by `LoadMark`, of a file that a session reported as loaded or not
ITEM_FATES = _signs("fates")  # by `ItemFate`, of an item in two prompts
CLAIMS = _signs("claims")  # by `ClaimVerdict`, of what memory claims
PROBES = _signs("probes")  # by `ProbeOutcome`, of a probe under a plan


def _spoken(names: list[str]) -> tuple[Sign, ...]:
    return tuple(sign for name in names for sign in (_signs(name).values() if name in _TABLES else (_OWN[name],)))


LANGUAGE = tuple((title, _spoken(names)) for title, names in _TABLES["language"].items())
"""All signs grouped by what they are about, for the documentation."""

TRIGGER_WORDS: dict[str, str] = _TABLES["triggers"]

_ASCII = str.maketrans(
    "●✓◐◇○▲⚑■█▉▊▋▌▐▍▎▏▕✗×·•…─━╌╸▔▁▂▀▄░▃▅▒▆▇▓│┃║╎╭╮╰╯┌┐└┘├┤┬┴┼▸→▶›←‹⟨⟩≈≡↑↓≤≥—–−“”‘’",
    "*Y%@o^&#######||||xx...----------===###||||+++++++++++++>>>><<[]~=^v<>---\"\"''",
)
"""Replaces glyphs on a terminal that shows only ASCII; no two states share a replacement."""
_SPELLED = {" →": "->", "→ ": "->", " ≤": "<=", "≤ ": "<=", " ≥": ">=", "≥ ": ">="}
_BESIDE_A_SPACE = re.compile("|".join(_SPELLED))


def in_ascii(text: str) -> str:
    """Replaces glyphs by ASCII of the same width: an arrow and the space beside it become `->`."""
    return _BESIDE_A_SPACE.sub(lambda match: _SPELLED[match[0]], text).translate(_ASCII)
