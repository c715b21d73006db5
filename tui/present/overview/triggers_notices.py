"""Makes the lists of the Overview: triggers, notices, and the queue; `cards` makes the cards."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.plans.memory_status import Alarm, Degraded, Status, TriggerState
from engine.plans.plan import QueueEntry
from engine.text.safe_text import cell_width, clip
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.values import MemoryTier, Skipped
from tui.present import glyphs
from tui.present.approvals import queue_rows
from tui.present.overview.cards import Card as Card
from tui.present.overview.cards import CardLimits as CardLimits
from tui.present.overview.cards import cards as cards
from tui.present.overview.due_jobs import Explained
from tui.present.spans import LazyRows, Line, ListRow, Role, Span, hint, plain
from tui.present.words import count, file_name, safe


def triggers(status: Status) -> tuple[ListRow, ...]:
    """Lists the fired triggers by priority with what each leads to, then counts the others."""
    rows = [_fired_row(status, status.triggers[index]) for index in fired(status)]
    quiet = len(status.triggers) - len(rows)
    return (*rows, _quiet_row(quiet, bool(rows))) if quiet else tuple(rows)


def fired(status: Status) -> tuple[int, ...]:
    """Returns the indices of the fired triggers, in order."""
    return tuple(index for index, trigger in enumerate(status.triggers) if trigger.fired)


def _fired_row(status: Status, state: TriggerState) -> ListRow:
    sign = _trigger_sign(state.id, state.fired)
    words = glyphs.TRIGGER_WORDS.get(state.id) or safe(state.id)
    said: Line = ()
    if state.id == status.primary_trigger and status.risk_tier:
        tier = glyphs.RISK_TIERS[status.risk_tier]
        said = (Span("risk tier ", "muted"), Span(tier.glyph, tier.role))
    left = (Span(f"{sign.glyph} ", sign.role), Span(f"{words:<{_WORDS}}", "strong"))
    return ListRow(left, said, (Span(f"  {safe(state.id)}", "muted"),))


def _quiet_row(many: int, others: bool) -> ListRow:
    words = f"{count(many)} {'others ' if others and many > 1 else 'other ' if others else ''}did not fire"
    return ListRow((Span(f"{glyphs.PASSED.glyph} ", "ok"), Span(words, "muted")))


_WORDS = max(map(len, glyphs.TRIGGER_WORDS.values()))


def quiet_detail(status: Status) -> Explained:
    """Returns the title and text about the triggers that did not fire: the value and threshold of each."""
    return "Did not fire", tuple([_quiet_line(state, _columns(status)) for state in status.triggers if not state.fired])


def _quiet_line(state: TriggerState, columns: tuple[int, int]) -> Line:
    detail: Line = (Span(f"  {safe(state.detail)}", "muted"),) if state.detail else ()
    return (Span(f"{safe(state.id):<17}"), *_compared(state, "text", columns), *detail)


def _trigger_sign(trigger: str, fired: bool) -> glyphs.Sign:
    if not fired:
        return glyphs.QUIET if trigger == "weekly" else glyphs.PASSED
    return glyphs.BLOCKED if trigger == "semantic_hard" else glyphs.RISK


def _columns(status: Status) -> tuple[int, int]:
    """Returns the cells of the widest value and of the widest threshold, so that rows align."""
    values = (count(trigger.value) for trigger in status.triggers if trigger.value is not None)
    thresholds = (count(state.threshold) for state in status.triggers if state.threshold is not None)
    return max(7, *map(len, values), 0), max(6, *map(len, thresholds), 0)


def _compared(state: TriggerState, role: Role, columns: tuple[int, int]) -> Line:
    if state.threshold is None:
        return ()
    before, after = columns
    threshold = f"{count(state.threshold):<{after}}"
    if state.value is None:
        return (Span(f"{'—':>{before}} ≤ {threshold}", "muted"),)
    sign = ">" if state.value > state.threshold else "≤"
    value = Span(f"{count(state.value):>{before}}", role if state.fired else "text")
    return (value, Span(f" {sign} {threshold}", "muted"), Span(" fired" if state.fired else "", role))


_BLOCKS = re.compile(r": \d+ blocks?, \d+ lines?")
_BLOCK_WORDS = "Another tool wrote these lines into the note. They stay as they are and are omitted from summaries."
_CONFLICT_WORDS = "Neither side of a merge conflict can be trusted: it is omitted from summaries until it is resolved."


def attention(status: Status) -> tuple[ListRow, ...]:
    """Lists alarms and degraded modes, each with its fix below, then remarks on files, and skipped files."""
    return tuple(row for row, _ in _worth_a_look(status))


class AttentionRows(LazyRows[ListRow]):
    """Shows `attention` in rows of `room()` cells; a long file name is shortened, so that the remark fits."""

    def __init__(self, status: Status, room: Callable[[], int]) -> None:
        super().__init__(attention(status))
        self._room = room

    def made(self, row: ListRow) -> ListRow:
        if not row.right:
            return row
        name, room = plain(row.right), self._room() - _APART
        most = max(room - cell_width(plain(row.left)), room * _NAMES_SHARE // 100)
        return row._replace(right=(row.right[0]._replace(text=clip(name, most)),))


_APART = 1  # cells between a name and what stands at the right
_NAMES_SHARE = 55  # the largest share of a remark's row for its file name, in percent, where not all finds room


def attention_detail(status: Status, index: int) -> Explained:
    """Returns the title and the full text of one row of `attention`."""
    return _worth_a_look(status)[index][1]


def loss_at(status: Status, index: int) -> Alarm | None:
    """Returns the loss in one row of `attention`, else the first loss; None without any."""
    losses = [alarm for alarm in status.alarms if alarm.id == "loss"]
    # An alarm has two rows, and losses come before all others.
    return losses[index // 2] if index // 2 < len(losses) else next(iter(losses), None)


def attention_count(status: Status) -> int:
    """Counts alarms, degraded modes, remarks and skipped files."""
    return len(status.alarms) + len(status.degraded) + len(status.notes) + len(status.skipped)


def _worth_a_look(status: Status) -> list[tuple[ListRow, Explained]]:
    rows = _nothing_here(status)
    for alarm in status.alarms:
        rows += _alarm(alarm)
    for item in status.degraded:
        rows += _degraded(item)
    rows += map(_remark, status.notes)
    return rows + [_skipped(item) for item in status.skipped]


def _remark(note: str) -> tuple[ListRow, Explained]:
    place, colon, words = note.partition(": ")
    if not colon:
        return ListRow((Span("· ", "info"), Span(safe(note)))), ("Remark", ((Span(safe(note)),),))
    row = ListRow((Span("· ", "info"), Span(safe(words))), (Span(file_name(place), "muted"),))
    whole: list[Line] = [(Span(safe(place), "strong"),), (), (Span(safe(words)),)]
    if _BLOCKS.search(words):
        conflict = "merge-conflict" in words
        whole.append((Span(_CONFLICT_WORDS if conflict else _BLOCK_WORDS, "muted"),))
    return row, ("Remark", tuple(whole))


def _alarm(alarm: Alarm) -> list[tuple[ListRow, Explained]]:
    """Shows an alarm and its fix below; for a loss the keys that revert or keep it."""
    keys = hint("`x` reverts it  `a` keeps it as it is")
    fix: Line = (Span("Fix  ", "muted"), Span(safe(alarm.fix)))
    whole: tuple[Line, ...] = ((Span(safe(alarm.line), "blocked"),), (), fix)
    step = keys if alarm.id == "loss" else (Span(safe(alarm.fix), "muted"),)
    first = ListRow((Span(f"{glyphs.BLOCKED.glyph} ", "blocked"), Span(safe(alarm.line), "blocked")))
    detail = ("Alarm", (*whole, (), keys) if alarm.id == "loss" else whole)
    return [(first, detail), (ListRow((Span("  "), *step)), detail)]


def _degraded(item: Degraded) -> list[tuple[ListRow, Explained]]:
    fix = (Span("Fix  ", "muted"), Span(safe(item.fix)))
    whole: Explained = ("Works less well than it could", ((Span(safe(item.what)),), (), fix))
    what = ListRow((Span(f"{glyphs.STALE.glyph} ", "warn"), Span(safe(item.what), "text")))
    return [(what, whole), (ListRow((Span("  → ", "accent"), Span(safe(item.fix), "muted"))), whole)]


def _skipped(item: Skipped) -> tuple[ListRow, Explained]:
    why = (Span("Skipped: ", "muted"), Span(safe(item.reason)))
    row = ListRow((Span("○ ", "muted"), Span(f"skipped: {safe(item.reason)}")), (Span(file_name(item.path), "muted"),))
    return row, ("Skipped", ((Span(safe(item.path), "strong"),), (), why))


def _nothing_here(status: Status) -> list[tuple[ListRow, Explained]]:
    """Says that the folder has no memory yet, since it may be the wrong folder."""
    if status.capabilities or status.skipped or status.notes:
        return []
    said = Span("no memory in this folder yet", "strong")
    where = Span("memory/working, memory/episodic and memory/semantic are made when the first plan is applied.")
    whole: Explained = ("Nothing here yet", ((said,), (), (where,)))
    next_ = ListRow((Span("  → ", "accent"), Span("the first plan makes its folders", "muted")))
    return [(ListRow((Span("○ ", "info"), said)), whole), (next_, whole)]


def open_entries(entries: tuple[QueueEntry, ...]) -> tuple[QueueEntry, ...]:
    """Returns the plans that still wait for the operator, in the order of the queue."""
    return tuple(entry for entry in entries if entry.state.value in ("pending", "approved", "expired", "stale"))


def no_plan_waits(*, read_only: bool) -> tuple[Line, ...]:
    """Says that the queue is empty, and names the key that makes a plan unless `read_only`."""
    nothing: Line = (Span("no plan waits for you", "muted"),)
    key: Line = (Span("d", "key"), Span(" makes a dry run: it changes nothing", "muted"))
    return (nothing,) if read_only else (nothing, key)


class TriggerDetail(NamedTuple):
    """The explanation of a trigger, and the id of the plan that waits because of it; empty without one."""

    title: str
    lines: tuple[Line, ...]
    plan: str


def trigger_detail(status: Status, index: int, plans: Sequence[QueueEntry]) -> TriggerDetail:
    """Explains a trigger: what it measures and where, and which of the `plans` was made for it."""
    state = status.triggers[index]
    plan = _answer_to(state, plans)
    means = glyphs.TRIGGER_WORDS.get(state.id, state.id)
    figure = "—" if state.value is None else count(state.value)
    lines: list[Line] = [(Span(f"Fires for: {safe(means)}", "text"),), ()]
    if state.threshold is not None:
        above = Span(f"   fires above {count(state.threshold)}", "muted")
        lines.append((Span("now ", "muted"), Span(figure, "strong"), above))
    if where := _measured_in(status, state.id):
        lines.append((Span("in  ", "muted"), Span(safe(where), "strong")))
    if state.detail:
        lines.append((Span(safe(state.detail)),))
    sign = _trigger_sign(state.id, state.fired)
    lines.append((Span(f"{sign.glyph} {'fired' if state.fired else 'not fired'}", sign.role),))
    if plan is not None:
        tier = glyphs.RISK_TIERS[plan.risk_tier]
        words = f" {safe(plan.id)}  {queue_rows.target_words(plan)}"
        lines.extend([(), (Span("waits for you: "), tier.mark, Span(words, "strong"))])
    elif state.fired:
        words = " on the Overview makes a dry run: a plan to look at, nothing is changed"
        lines.extend([(), (Span("d", "key"), Span(words, "muted"))])
    return TriggerDetail(safe(state.id), tuple(lines), plan.id if plan is not None else "")


def _answer_to(state: TriggerState, plans: Sequence[QueueEntry]) -> QueueEntry | None:
    """Returns the plan made for a trigger, else a compaction, which covers all fired triggers; None without either."""
    made_for = [entry for entry in plans if entry.trigger == state.id]
    together = [entry for entry in plans if entry.system == "compact"] if state.fired else []
    return next(iter([*made_for, *together]), None)


def _measured_in(status: Status, trigger: str) -> str:
    """Returns the file or folder that a trigger measures; for semantic memory the largest shard."""
    tier = trigger.partition("_")[0]
    if tier == "semantic":
        shards = status.memory_tiers.semantic.shards
        return max(shards, key=lambda shard: shard.tokens).path if shards else ""
    return f"{TIER_FOLDERS[MemoryTier(tier)]}/" if tier in ("working", "episodic") else ""
