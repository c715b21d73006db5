"""Shows the queue as rows, each made when it comes into view, since a queue may hold ten thousand plans."""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from engine.plans.plan import OPEN_STATES, PlanState, QueueEntry
from tui.present import glyphs
from tui.present.approvals import queue_filter
from tui.present.spans import Line, ListRow, Span
from tui.present.words import age, clock, noun, safe, tail

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem

_WAITING = OPEN_STATES | {PlanState.STALE, PlanState.APPLYING}
_TIER_ORDER = {"C": 0, "B": 1, "A": 2}  # the strictest tier first, as a plan's tier is that of its strictest change


class QueueOrder(StrEnum):
    """The order of the waiting plans; its value is the phrase on the screen."""

    RISK = "by risk, age and target"
    NEWEST = "newest first"
    OLDEST = "oldest first"
    SYSTEM = "by system"
    TARGET = "by target"


ORDERS = tuple(QueueOrder)


def waiting(entries: tuple[QueueEntry, ...]) -> int:
    """Counts the plans that can be approved now and are not snoozed, for the badge."""
    return sum(1 for entry in entries if entry.state in OPEN_STATES and entry.snoozed_until is None)


def is_over(entry: QueueEntry) -> bool:
    """Tells whether a plan has ended, so that nothing more happens to it by itself."""
    return entry.state not in _WAITING


def can_be_marked(entry: QueueEntry) -> bool:
    """Tells whether a plan can be one of several that are decided about together."""
    return entry.state in OPEN_STATES or entry.state is PlanState.STALE


def nothing_to_mark(entry: QueueEntry) -> str:
    """Says that a closed plan has nothing to mark."""
    return f"{entry.id} is {glyphs.PLAN_STATES[entry.state].word}: there is nothing to mark"


def ordered(entries: tuple[QueueEntry, ...], order: QueueOrder = QueueOrder.RISK) -> tuple[QueueEntry, ...]:
    """Sorts waiting plans by `order`, then ended ones from the newest; within a risk tier the oldest comes first."""
    newest = sorted(entries, key=lambda entry: (-entry.made_at.timestamp(), entry.id))
    open_ones = [entry for entry in newest if entry.state in _WAITING]
    match order:
        case QueueOrder.NEWEST:
            pass
        case QueueOrder.OLDEST:
            open_ones.reverse()
        case QueueOrder.RISK:
            open_ones.sort(
                key=lambda entry: (
                    entry.trigger != "emergency",  # a full window goes first (decision B1)
                    _TIER_ORDER[entry.risk_tier.value],
                    entry.made_at,
                    entry.targets[:1],
                )
            )
        case QueueOrder.SYSTEM:
            open_ones.sort(key=lambda entry: entry.system)
        case QueueOrder.TARGET:
            open_ones.sort(key=lambda entry: entry.targets[:1])
    return (*open_ones, *(entry for entry in newest if entry.state not in _WAITING))


def matching(entries: tuple[QueueEntry, ...], text: str, now: datetime) -> tuple[QueueEntry, ...]:
    holds = queue_filter.holds(text, now)
    return entries if holds is None else tuple(filter(holds, entries))


def target_words(entry: QueueEntry) -> str:
    """Says where a plan writes: its one path, or the number of files and their folder."""
    if not entry.targets:
        return "nothing"
    if flow := _flow_words(entry.targets):
        return flow
    if len(entry.targets) == 1:
        return tail(entry.targets[0])
    folders = {target.rsplit("/", 1)[0] if "/" in target else "." for target in entry.targets}
    place = tail(sorted(folders)[0]) + "/" if len(folders) == 1 else noun(len(folders), "folder")
    return f"{noun(len(entry.targets), 'file')} in {place}"


@lru_cache(maxsize=256)
def _flow_words(targets: tuple[str, ...]) -> str:
    """Describes a compaction as `9 notes → episodic, openclaw.md`; empty for other targets."""
    notes = sum(target.startswith("memory/working/") for target in targets)
    moved = sum(target.startswith("memory/episodic/") for target in targets)
    shards = [safe(target.rsplit("/", 1)[-1]) for target in targets if target.startswith("memory/semantic/")]
    if not notes and not (shards and len(targets) > 1):
        return ""
    parts = [f"{noun(notes, 'note')} → {'episodic' if moved else 'archive'}"] if notes else []
    return ", ".join([*parts, *shards])


class QueueRows:
    """Shows consolidations (`items`), then plans; `running` maps ids to words for states, `marked` holds ids."""

    def __init__(
        self,
        entries: tuple[QueueEntry, ...],
        now: datetime,
        running: Mapping[str, str],
        marked: Set[str] = frozenset(),
        items: "Sequence[ConsolidationItem]" = (),
    ) -> None:
        self._entries, self._now, self._running, self._marked = entries, now, running, marked
        self._items = items

    def __len__(self) -> int:
        return len(self._items) + len(self._entries)

    def row(self, index: int) -> ListRow:
        if index < len(self._items):
            from tui.present.approvals.consolidations import queue_row

            return queue_row(self._items[index], self._now)
        entry = self._entries[index - len(self._items)]
        over = is_over(entry)
        tier = glyphs.RISK_TIERS[entry.risk_tier]
        mark = (Span("✓ " if entry.id in self._marked else "  ", "ok"),) if self._marked else ()
        left = (
            *mark,
            Span(f"{tier.glyph} ", "muted" if over else tier.role),
            Span(f"{safe(entry.system):<7} ", "muted" if over else "strong"),
            Span(target_words(entry), "muted" if over else "text"),
        )
        return ListRow(left, self._right(entry))

    def _right(self, entry: QueueEntry) -> Line:
        spent = age(entry.made_at, self._now)
        when, alone = Span(f"{spent:>7}", "muted"), Span(f" {spent}", "muted")
        if entry.id in self._running:
            return (Span(f"◐ {safe(self._running[entry.id])}", "info"), when)
        if entry.snoozed_until is not None:
            return (Span(f"· until {clock(entry.snoozed_until, self._now)}", "info"), when)
        flagged = (Span(f"{glyphs.FLAGGED.glyph} {entry.flagged}", glyphs.FLAGGED.role),) if entry.flagged else ()
        if entry.state is PlanState.PENDING:
            if entry.simulated_clock:
                return (*flagged, *((Span(" "),) if flagged else ()), Span("what-if", "warn"), when)
            return (*flagged, when if flagged else alone)
        sign = glyphs.PLAN_STATES[entry.state]
        return (Span(f"{sign.glyph} {sign.word}", sign.role), when)


REJECTABLE = frozenset({"pending", "stale", "approved", "expired"})  # states from which a plan can still be refused
