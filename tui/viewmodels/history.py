"""What was done to the memory: operations, what each did to which file, the audit log, and what is kept."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from engine.plans.chain import AuditRecord
from engine.plans.diff import FileDiff
from engine.plans.operation import Operation, OperationKind, OperationState, Put, Shift, Withdraw
from engine.plans.past import took_place
from engine.watching.kept import HeldFile, Kept, KeptBytes
from engine.workspace.findings import Finding
from tui.viewmodels import glyphs
from tui.viewmodels.diff import LABEL, short_figures
from tui.viewmodels.spans import Line, Row, Span
from tui.viewmodels.wording import age, ahead, clock, count, noun, safe, tail

UNDOABLE = frozenset({OperationState.DONE, OperationState.PARTIAL})
_LONGEST = 120
"""Characters of one value of an audit record in a row."""


class History(msgspec.Struct, frozen=True):
    """All that one read found."""

    operations: tuple[Operation, ...]
    records: tuple[AuditRecord, ...]
    findings: tuple[Finding, ...]
    kept: Kept


def matching(operations: tuple[Operation, ...], text: str) -> tuple[Operation, ...]:
    """The operations in which every word of `text` occurs: id, plan, system, trigger, state, paths, `tier:b`."""
    words = text.casefold().split()
    return tuple(one for one in operations if all(word in _haystack(one) for word in words)) if words else operations


def _haystack(operation: Operation) -> str:
    paths = [path for effect in operation.effects for path in (effect.path, getattr(effect, "to", ""))]
    fields = (operation.id, operation.plan, operation.system, operation.trigger, operation.kind.value)
    states = (operation.state.value, f"tier:{operation.risk_tier.value}", operation.undoes or "", *paths)
    return "\n".join((*fields, *states)).casefold()


class OperationRows:
    """Rows of operations, made when they are looked at."""

    def __init__(self, operations: tuple[Operation, ...], now: datetime) -> None:
        self._operations, self._now = operations, now

    def __len__(self) -> int:
        return len(self._operations)

    def row(self, index: int) -> Row:
        operation = self._operations[index]
        sign, tier = glyphs.OPERATION_STATES[operation.state], glyphs.RISK_TIERS[operation.risk_tier]
        over = operation.state not in UNDOABLE or operation.kind is OperationKind.UNDO
        left = (
            Span(f"{sign.glyph} ", sign.role),
            Span(f"{tier.glyph} ", "muted" if over else tier.role),
            Span(f"{_verb(operation):<9}", "muted" if over else "strong"),
            Span(_files(operation), "muted" if over else "text"),
        )
        state = () if operation.state is OperationState.DONE else (Span(f" {sign.word}", sign.role),)
        return Row(left, (*state, Span(f"{age(operation.started_at, self._now):>7}", "muted")))


def _verb(operation: Operation) -> str:
    return "undo" if operation.kind is OperationKind.UNDO else safe(operation.system)


def _files(operation: Operation) -> str:
    done = len(took_place(operation))
    if operation.kind is OperationKind.UNDO:
        return f"of {safe(operation.undoes or '?')}"
    part = f"{done} of {len(operation.effects)} files" if done != len(operation.effects) else noun(done, "file")
    return f"{part}  {safe(operation.plan)}"


def title(operation: Operation) -> Line:
    """`o-20260315-0001  compact · B`."""
    tier = glyphs.RISK_TIERS[operation.risk_tier]
    return (
        Span(safe(operation.id), "title"),
        Span(f" · {_verb(operation)} · ", "muted"),
        Span(tier.glyph, tier.role),
        Span(f" {tier.word}", "muted"),
    )


def head(operation: Operation, now: datetime) -> tuple[Line, ...]:
    """What it was, who approved it, where it stands, and what went wrong."""
    sign = glyphs.OPERATION_STATES[operation.state]
    lines: list[Line] = [_fact("state", sign.span, *_standing(operation))]
    when = f"{clock(operation.started_at, now)}, {age(operation.started_at, now)} ago"
    what_if = f" · what-if {operation.as_of:%Y-%m-%d %H:%M}" if operation.simulated_clock and operation.as_of else ""
    lines.append(_fact("when", Span(when), Span(what_if, "warn")))
    lines.append(_fact("plan", Span(safe(operation.plan)), Span(f"  {safe(operation.trigger)}", "muted")))
    lines.append(_fact("approved", *_approved(operation)))
    if operation.commit:
        lines.append(_fact("commit", Span(safe(operation.commit[:12])), Span(f"  {safe(operation.message)}", "muted")))
    lines.extend(_fact("problem", Span(f"▲ {safe(problem)}", "risk")) for problem in operation.problems)
    return tuple(lines)


def _fact(name: str, *spans: Span) -> Line:
    return (Span(f"{name:<{LABEL}}", "muted"), *spans)


def _standing(operation: Operation) -> Line:
    if operation.kind is OperationKind.UNDO:
        return (Span(f"  took back {safe(operation.undoes or '?')}", "muted"),)
    if operation.undone_by:
        return (Span(f"  taken back by {safe(operation.undone_by)}", "muted"),)
    if operation.redoes:
        return (Span(f"  does {safe(operation.redoes)} again", "muted"),)
    return ()


def _approved(operation: Operation) -> Line:
    approval = operation.approval
    if approval is None:
        return (Span("by your policy, without a person", "muted"),)
    where = f"  on {safe(approval.witness.tty)}, {safe(approval.witness.channel)}"
    return (Span(f"by {safe(approval.witness.user)}"), Span(where, "muted"))


def why_not_undo(operation: Operation | None) -> str:
    """Why it cannot be taken back; empty where it may be tried."""
    if operation is None:
        return "no operation is selected"
    if operation.kind is OperationKind.UNDO:
        return "an undo is taken back with redo: U"
    if operation.state not in UNDOABLE or not operation.done:
        return f"{operation.id} is {glyphs.OPERATION_STATES[operation.state].word}: nothing of it stands"
    return ""


def why_not_redo(operation: Operation | None) -> str:
    """Why it cannot be done again; empty where it may be tried."""
    if operation is None:
        return "no operation is selected"
    if operation.kind is OperationKind.APPLY and operation.state is not OperationState.UNDONE:
        return f"{operation.id} was not taken back"
    return ""


class FileRows:
    """What an operation did, a row per file; figures once the diffs are there."""

    def __init__(self, operation: Operation, diffs: Sequence[FileDiff]) -> None:
        self._effects = [operation.effects[index] for index in took_place(operation)]
        self._diffs = diffs if len(diffs) == len(self._effects) else ()

    def __len__(self) -> int:
        return len(self._effects)

    def row(self, index: int) -> Row:
        verb, path = effect_words(self._effects[index])
        right = short_figures(self._diffs[index]) if self._diffs else ()
        return Row((Span(f"{verb:<8} ", "accent"), Span(path)), right)


def effect_words(effect: Put | Shift | Withdraw) -> tuple[str, str]:
    """What an effect did to a path, in a word, and the path."""
    match effect:
        case Put(path=path, before=None):
            return "created", tail(path)
        case Put(path=path):
            return "wrote", tail(path)
        case Shift(path=path, to=to):
            return "moved", f"{tail(path)} → {tail(to)}"
        case Withdraw(path=path):
            return "withdrew", tail(path)


def diff_title(diff: FileDiff, index: int, total: int) -> Line:
    """`3/24  memory/episodic/x.md  +12`."""
    place = f" → {tail(diff.to)}" if diff.to else ""
    name = Span(f"{tail(diff.path) if diff.to else safe(diff.path)}{place}", "title")
    return (Span(f"{index + 1}/{total}  ", "muted"), name, *short_figures(diff))


def diff_note(diff: FileDiff) -> tuple[Line, ...]:
    return (_fact("note", Span(safe(diff.note), "info")),) if diff.note else ()


# The audit log


def audit_rows(history: History, now: datetime) -> tuple[Row, ...]:
    """What is wrong with the log first, then its records, the newest on top."""
    bad = [Row((_mark(finding), Span(f"{safe(finding.where)}: {safe(finding.what)}"))) for finding in history.findings]
    return (*bad, *(_record_row(record, now) for record in reversed(history.records)))


def _mark(finding: Finding) -> Span:
    sign = glyphs.FINDINGS[finding.kind]
    return Span(f"{sign.glyph} {sign.word}  ", sign.role)


def _record_row(record: AuditRecord, now: datetime) -> Row:
    left = (
        Span(f"{record.seq:>5}  ", "gutter"),
        Span(f"{safe(record.kind)[:10]:<11}", "strong"),
        Span(_gist(record.data), "muted"),
    )
    return Row(left, (Span(f"{age(record.at, now):>7}", "muted"),))


def _gist(data: dict[str, Any]) -> str:
    """What a record is about: the operation or the plan it names, and the reason if there is one."""
    named = [str(data[key]) for key in ("operation", "plan", "undoes", "state", "reason") if data.get(key)]
    return safe("  ".join(dict.fromkeys(named))[:_LONGEST])


def audit_detail(history: History, index: int) -> tuple[str, tuple[Line, ...]]:
    """Title and text of one row of the audit log, whole."""
    if index < len(history.findings):
        finding = history.findings[index]
        fix = (Span("Fix  ", "muted"), Span(safe(finding.fix)))
        return safe(finding.where), ((_mark(finding), Span(safe(finding.what))), (), fix)
    record = history.records[len(history.records) - 1 - (index - len(history.findings))]
    body = msgspec.json.format(msgspec.json.encode(record.data), indent=2).decode()
    lines: list[Line] = [
        (Span("when  ", "muted"), Span(f"{record.at:%Y-%m-%d %H:%M:%S} UTC")),
        (Span("hash  ", "muted"), Span(safe(record.hash))),
        (Span("prev  ", "muted"), Span(safe(record.prev))),
        (),
        *((Span(safe(line)),) for line in body.split("\n")),
    ]
    return f"Record {record.seq}: {safe(record.kind)}", tuple(lines)


def audit_title(history: History | None) -> Line:
    """`Audit log ⟨42⟩  ✓ whole`: what verifying the hash chain came to."""
    name: Line = (Span("Audit log", "title"),)
    if history is None:
        return name
    named: Line = (*name, Span(f" ⟨{count(len(history.records))}⟩ ", "muted"))
    if history.findings:
        return (*named, Span(f"{glyphs.FAILED.glyph} {noun(len(history.findings), 'finding')}", "blocked"))
    return (*named, Span(f"{glyphs.PASSED.glyph} chain whole", "ok")) if history.records else named


# What is kept


def kept_rows(kept: Kept, now: datetime) -> tuple[Row, ...]:
    """Problems, held files by the time they may go, then displaced contents, the largest first."""
    rows = [Row((_mark(problem), Span(f"{safe(problem.where)}: {safe(problem.what)}"))) for problem in kept.problems]
    rows += [_held_row(file, now) for file in kept.held]
    return (*rows, *map(_displaced_row, kept.displaced))


def _held_row(file: HeldFile, now: datetime) -> Row:
    until = "may go" if file.over else ahead(file.until, now)
    held = size(file.size) if file.size is not None else "gone"
    return Row((Span("held  ", "info"), Span(tail(file.path))), (Span(held), Span(f"  {until:>10}", "muted")))


def _displaced_row(item: KeptBytes) -> Row:
    name = tail(item.path) if item.path else item.sha256[:12]
    return Row((Span("bytes ", "muted"), Span(safe(name))), (Span(size(item.size)), Span("   for good", "muted")))


def kept_title(kept: Kept | None) -> Line:
    """`Kept  14 KiB`."""
    name: Line = (Span("Kept", "title"),)
    if kept is None:
        return name
    return (*name, Span(f" {size(kept.displaced_bytes + kept.held_bytes)}", "muted"))


def kept_detail(kept: Kept, index: int) -> tuple[str, tuple[Line, ...]]:
    """Title and text of one row of what is kept, whole."""
    if index < len(kept.problems):
        problem = kept.problems[index]
        return safe(problem.where), ((_mark(problem), Span(safe(problem.what))), (), (Span(safe(problem.fix)),))
    index -= len(kept.problems)
    if index < len(kept.held):
        file = kept.held[index]
        why = f"The file itself, for {kept.hold_hours} hours at least: a program that still has it open writes into it."
        return "Held file", (
            (Span(safe(file.path), "strong"),),
            (),
            (Span(why),),
            _fact("since", Span(safe(file.operation))),
            _fact("until", Span(f"{file.until:%Y-%m-%d %H:%M} UTC")),
            _fact("lies in", Span(safe(file.place))),
        )
    item = kept.displaced[index - len(kept.held)]
    return "Displaced content", (
        (Span(safe(item.path) or "no operation names it", "strong"),),
        (),
        (Span("What the file held before, kept for good so that it can be given back."),),
        _fact("since", Span(safe(item.operation) or "—")),
        _fact("size", Span(size(item.size))),
        _fact("sha256", Span(safe(item.sha256))),
    )


def size(number: int) -> str:
    """`812 B`, `2.9 KiB`, `1.2 GiB`."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= unit:
            return f"{number / unit:,.1f} {name}"
    return f"{number} B"
