"""Runs `status`: memory tiers, crossed thresholds, and what is due."""

from functools import partial
from itertools import chain
from typing import Any

import msgspec

from engine.monitoring.note_flags import NoteFlags
from engine.plans.memory_status import DueJob, Status, TierFigures, TriggerState
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, pieces_of, sign_piece
from tui.cli.plan_text import tier_piece
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, opened
from tui.present.context_window import band_sign, figure_line
from tui.present.flags import flag_line, unread_words
from tui.present.glyphs import BANDS, BLOCKED, PASSED, RISK
from tui.present.words import moment, moment_of_week, noun, uses_words

BAND_PIECES = {band: sign_piece(sign) for band, sign in BANDS.items()}
LABEL = 10  # cells of the column of labels
MOST_REMARKS = 10  # remarks of one kind shown here; `--json` has them all


def status_rows(status: Status) -> Text:
    """Prints the status from the top: place, tiers, triggers, what waits, what is degraded."""
    clock = f"what-if {moment(status.now)}" if status.simulated_clock else moment(status.now)
    git = f"git {PASSED.glyph}" if status.git else "no git"
    git += f" · {len(status.shared):,} shared" if status.shared else ""
    yield Styled(status.workspace, bold=True)
    yield f"{clock} · {status.tokenizer} · {', '.join(sorted(status.capabilities)) or 'no memory yet'} · {git}"
    for alarm in status.alarms:
        yield Styled(f"{BLOCKED.glyph} {alarm.line}", fg="red", bold=alarm.id == "loss")
        yield Styled(f"    → {alarm.fix}", dim=True)
    yield ""
    yield from _tiers_rows(status)
    yield ""
    yield from _triggers_rows(status)
    yield ""
    for label, pieces in _facts(status):
        yield Styled(label.ljust(LABEL), dim=True), *pieces
    yield from _remarks_rows("note", list(status.notes))
    yield from _remarks_rows("skipped", [f"{item.path}: {item.reason}" for item in status.skipped])


def flags_rows(flags: NoteFlags) -> Text:
    """Prints flagged lines that nobody viewed, and how many notes are not yet judged (decision G30)."""
    for flag in flags.flags[:MOST_REMARKS]:
        yield pieces_of(flag_line(flag))
    more = len(flags.flags) - MOST_REMARKS
    if more > 0:
        yield Styled(f"and {more:,} more flagged lines; `--json` has all", dim=True)
    if flags.unread:
        yield Styled(unread_words(flags), dim=True)


def _tiers_rows(status: Status) -> Text:
    tiers, limits = status.memory_tiers, {trigger.id: trigger.threshold for trigger in status.triggers}
    header: list[Piece] = [Styled(title, dim=True) for title in ("memory", "files", "tokens", "oldest", "eligible")]
    rows: list[list[Piece]] = [header]
    for name, figures in (("working", tiers.working), ("episodic", tiers.episodic)):
        rows.append([name, *_figures(name, figures, limits)])
    rows.append(["semantic", f"{tiers.semantic.files:,}", f"{tiers.semantic.tokens:,}"])
    rows.append(["archive", f"{tiers.archive.files:,}", f"{tiers.archive.tokens:,}"])
    yield TextTable(rows, right=frozenset({1, 2, 3, 4}))
    shards: list[list[Piece]] = [
        [shard.path, f"{shard.tokens:,}", BAND_PIECES[shard.band]] for shard in tiers.semantic.shards
    ]
    yield TextTable(shards, right=frozenset({1}), indent="  ")


def _figures(name: str, figures: TierFigures, limits: dict[str, int | None]) -> list[Piece]:
    oldest = "—" if figures.oldest_days is None else f"{figures.oldest_days:,}"
    return [
        _against(f"{figures.files:,}", figures.files, limits.get(f"{name}_files")),
        _against(f"{figures.tokens:,}", figures.tokens, limits.get(f"{name}_tokens")),
        _against(oldest, figures.oldest_days, limits.get(f"{name}_age"), " d"),
        f"{figures.eligible:,}",
    ]


def _against(shown: str, value: int | None, limit: int | None, unit: str = "") -> Styled:
    if limit is None:
        return Styled(shown + unit)
    over = value is not None and value > limit
    return Styled(f"{RISK.glyph + ' ' if over else ''}{shown}/{limit:,}{unit}", fg="yellow" if over else None)


def _triggers_rows(status: Status) -> Text:
    yield TextTable([_trigger(trigger) for trigger in status.triggers])
    if status.primary_trigger is None:
        yield "nothing fired"
    else:
        tier = tier_piece(status.risk_tier) if status.risk_tier is not None else "—"
        yield "primary trigger ", Styled(status.primary_trigger, bold=True), " → ", tier
    if status.next_eligible is not None:
        yield f"nothing is eligible until {status.next_eligible}"


def _trigger(trigger: TriggerState) -> list[Piece]:
    mark = Styled(RISK.glyph, fg="yellow") if trigger.fired else Styled(PASSED.glyph, fg="green")
    if trigger.value is None or trigger.threshold is None:
        return [mark, trigger.id, trigger.detail]
    sign = ">" if trigger.value > trigger.threshold else "≤"
    return [mark, trigger.id, f"{trigger.value:,} {sign} {trigger.threshold:,}", trigger.detail]


def _facts(status: Status) -> list[tuple[str, list[Piece]]]:
    queue, memory_md = status.queue, status.memory_md
    facts: list[tuple[str, list[Piece]]] = [
        ("cooldown", [_cooldown(status)]),
        ("queue", [f"{queue.pending:,} pending, {queue.stale:,} stale"]),
    ]
    if status.window:
        facts.append(("window", _window(status.window)))
    if status.first_run:
        facts.append(("first run", ["nothing was compacted here yet; the first plan asks for a confirmation"]))
    if memory_md:
        lines = f"{noun(memory_md.get('lines', 0), 'line')}, {memory_md.get('band', '')}"
        unknown = memory_md.get("reason")
        facts.append(("MEMORY.md", [Styled(f"unknown: {unknown}", fg="yellow") if unknown else lines]))
    facts += [("due", [f"{job.title}, {_due(job)}"]) for job in status.due]
    facts += [("ended?", [f"{fact.text} ({fact.path}:{fact.line}), memdeck facts"]) for fact in status.ended]
    facts += [("uses", [f"{words}, memdeck uses"]) for words in (uses_words(status.uses),) if words]
    facts += [("degraded", [Styled(f"! {item.what} → {item.fix}", fg="yellow")]) for item in status.degraded]
    return facts


def _window(window: dict[str, Any]) -> list[Piece]:
    return [sign_piece(band_sign(str(window.get("band")))), " ", *(span.text for span in figure_line(window))]


def _cooldown(status: Status) -> str:
    cooldown = status.cooldown
    if not cooldown.active:
        return f"free{f' ({cooldown.warning})' if cooldown.warning else ''}"
    until = f" until {moment(cooldown.until)}" if cooldown.until is not None else ""
    return f"active{until}{f' ({cooldown.warning})' if cooldown.warning else ''}"


def _due(job: DueJob) -> str:
    when = moment_of_week(job.next_at)
    detail = f" ({job.detail})" if job.detail else ""
    return f"overdue{detail}, next {when}" if job.overdue else f"{when}{detail}"


def _remarks_rows(label: str, remarks: list[str]) -> Text:
    for remark in remarks[:MOST_REMARKS]:
        yield Styled(label.ljust(LABEL), dim=True), remark
    if len(remarks) > MOST_REMARKS:
        yield Styled(label.ljust(LABEL), dim=True), f"and {len(remarks) - MOST_REMARKS:,} more; `--json` has all"


@command("status")
def status_command(settings: Settings, at: str | None) -> Answer:
    console = opened(settings, at)
    with progress(settings) as tick:
        status = console.status.read(tick)
        flags = console.flags.look()
    return Answer(partial(status_json, status, flags), chain(status_rows(status), flags_rows(flags)))


def status_json(status: Status, flags: NoteFlags) -> dict[str, Any]:
    """Returns every key of CLI.md §JSON, and more."""
    made: dict[str, Any] = msgspec.to_builtins(status)
    made["now"] = status.now.isoformat()
    for key in ("last", "until"):
        at = getattr(status.cooldown, key)
        made["cooldown"][key] = at.isoformat() if at is not None else None
    for job, due in zip(made["due"], status.due, strict=True):
        job["next_at"] = due.next_at.isoformat()
    made |= msgspec.to_builtins(flags)
    return made
