"""Shows operations, what each did to which file, and whether it can be undone."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import repeat

import msgspec

from engine.monitoring.retention import Retention
from engine.plans.diff import FileDiff
from engine.plans.operation import Effect, Operation, OperationKind, OperationState
from engine.plans.past_effects import took_place
from engine.plans.records.chain import AuditRecord
from engine.workspace.values import Finding
from tui.present import glyphs
from tui.present.diff import fact, short_figures
from tui.present.history.undo_rows import effect_words
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import age, ago, clock, count, file_name, noun, safe, text_lines

UNDOABLE = frozenset({OperationState.DONE, OperationState.PARTIAL})


class Undoability(msgspec.Struct, frozen=True):
    """The number of effects that an undo would have, or the reason why it is impossible now."""

    effects: int = 0
    refused: str = ""


class History(msgspec.Struct, frozen=True):
    """The history as read; `findings` is None until the log is verified, `kept` until the stores are listed."""

    operations: tuple[Operation, ...]
    records: tuple[AuditRecord, ...]
    findings: tuple[Finding, ...] | None = None
    kept: Retention | None = None
    standing: Mapping[str, Undoability] = {}  # of the newest operations that stand: whether each can be undone now
    total: int = 0  # the number of operations; only the newest may have been read

    @property
    def more(self) -> bool:
        """Tells whether older operations exist that were not read."""
        return self.total > len(self.operations)

    @property
    def undoable(self) -> frozenset[str]:
        return frozenset(name for name, way in self.standing.items() if not way.refused)


def none_matches(history: History | None, step: int) -> str:
    """Says that no operation read so far matches the filter, and how to read more."""
    if history is None or not history.more:
        return "no operation matches\nesc clears the filter"
    further = min(step, history.total - len(history.operations))
    return (
        f"none of the newest {count(len(history.operations))} operations matches\n"
        f"enter reads {count(further)} more · esc clears the filter"
    )


def matching(operations: tuple[Operation, ...], text: str) -> tuple[Operation, ...]:
    """Returns the operations with every word of `text` in id, plan, system, trigger, state, paths or `tier:b`."""
    words = text.casefold().split()
    return tuple(each for each in operations if all(word in _haystack(each) for word in words)) if words else operations


def _haystack(operation: Operation) -> str:
    paths = [path for effect in operation.effects for path in (effect.path, getattr(effect, "to", ""))]
    fields = (operation.id, operation.plan, operation.system, operation.trigger, operation.kind.value)
    states = (operation.state.value, f"tier:{operation.risk_tier.value}", operation.undoes or "", *paths)
    return "\n".join((*fields, *states)).casefold()


class OperationRows(LazyRows[Operation]):
    """Rows of operations, made when they are looked at."""

    def __init__(self, operations: tuple[Operation, ...], now: datetime) -> None:
        super().__init__(operations)
        self._now = now

    def made(self, operation: Operation) -> ListRow:
        sign, tier = glyphs.OPERATION_STATES[operation.state], glyphs.RISK_TIERS[operation.risk_tier]
        over = operation.state not in UNDOABLE or operation.kind is OperationKind.UNDO
        left = (
            Span(f"{sign.glyph} ", sign.role),
            Span(f"{tier.glyph} ", "muted" if over else tier.role),
            Span(f"{_verb(operation):<9}", "muted" if over else "strong"),
            Span(_files(operation), "muted" if over else "text"),
        )
        state = () if operation.state is OperationState.DONE else (Span(f" {sign.word}", sign.role),)
        return ListRow(left, (*state, Span(f"{age(operation.started_at, self._now):>6}", "muted")))


def _verb(operation: Operation) -> str:
    return "undo" if operation.kind is OperationKind.UNDO else safe(operation.system)


def _files(operation: Operation) -> str:
    """Returns `6 new, 6 moved`; for an undo, the operation that it undid."""
    if operation.kind is OperationKind.UNDO:
        return f"of {safe(operation.undoes or '?')}"
    words = [_EFFECTS[effect_words(operation.effects[index], past=True)[0]] for index in took_place(operation)]
    said = ", ".join(f"{words.count(word)} {word}" for word in _EFFECTS.values() if word in words) or "nothing"
    return f"{said}, of {len(operation.effects):,}" if len(words) != len(operation.effects) else said


_EFFECTS = {"created": "new", "wrote": "changed", "moved": "moved", "took out": "taken out"}


def title(operation: Operation) -> Line:
    """Returns `o-20260315-0001  compact · B`."""
    tier = glyphs.RISK_TIERS[operation.risk_tier]
    return (
        Span(safe(operation.id), "title"),
        Span(f" · {_verb(operation)} · ", "muted"),
        Span(tier.glyph, tier.role),
        Span(f" {tier.word}", "muted"),
    )


def head(
    operation: Operation, now: datetime, standing: Undoability | None = None, *, read_only: bool = False
) -> tuple[Line, ...]:
    """Shows an operation: plan, approval, state, undo, and problems; `read_only` omits the undo key."""
    sign = glyphs.OPERATION_STATES[operation.state]
    lines: list[Line] = [fact("state", sign.span, *_standing(operation))]
    when = f"{clock(operation.started_at, now)}, {ago(operation.started_at, now)}"
    what_if = f" · what-if {operation.as_of:%Y-%m-%d %H:%M}" if operation.simulated_clock and operation.as_of else ""
    lines.append(fact("when", Span(when), Span(what_if, "warn")))
    why = glyphs.TRIGGER_WORDS.get(operation.trigger, operation.trigger)
    lines.append(fact("plan", Span(safe(operation.plan)), Span(f"  {safe(why)}", "muted")))
    lines.append(fact("approved", *_approved(operation)))
    lines.append(fact("undo", *_undo(operation, standing, read_only)))
    if operation.commit:
        lines.append(fact("commit", Span(safe(operation.commit[:12])), Span(f"  {safe(operation.message)}", "muted")))
    lines.extend(fact("problem", Span(f"▲ {safe(problem)}", "risk")) for problem in operation.problems)
    return tuple(lines)


def _undo(operation: Operation, standing: Undoability | None, read_only: bool) -> Line:
    """Says whether the key `u` can undo an operation, or why not."""
    if why := why_not_undo(operation):
        return (Span(f"{glyphs.QUIET.glyph} ", "muted"), Span(safe(why), "muted"))
    if standing is None:
        return (Span("looking…", "muted"),)
    if standing.refused:
        return (Span(f"{glyphs.FAILED.glyph} not possible  ", "warn"), Span(safe(standing.refused), "muted"))
    key: Line = () if read_only else (Span("u", "key"), Span(f" restores {noun(standing.effects, 'file')}", "muted"))
    return (Span(f"{glyphs.PASSED.glyph} can be undone  ", "ok"), *key)


def _standing(operation: Operation) -> Line:
    if operation.kind is OperationKind.UNDO:
        return (Span(f"  undid {safe(operation.undoes or '?')}", "muted"),)
    if operation.undone_by:
        return (Span(f"  undone by {safe(operation.undone_by)}", "muted"),)
    if operation.redoes:
        return (Span(f"  does {safe(operation.redoes)} again", "muted"),)
    return ()


def _approved(operation: Operation) -> Line:
    if (approval := operation.approval) is None:
        return (Span("by your policy, without a person", "muted"),)
    where = f"  on {safe(approval.witness.tty)}, {safe(approval.witness.channel)}"
    return (Span(f"by {safe(approval.witness.user)}"), Span(where, "muted"))


def why_not_undo(operation: Operation | None) -> str:
    """Says why an operation cannot be undone; empty if an undo can be tried."""
    if operation is None:
        return "no operation is selected"
    if operation.kind is OperationKind.UNDO:
        return "an undo is reversed with redo: U"
    if operation.state is OperationState.RUNNING:
        return f"{operation.id} is not over: if nothing works on it any more, :recover puts it right"
    if operation.state not in UNDOABLE or not operation.done:
        return f"{operation.id} is over ({glyphs.OPERATION_STATES[operation.state].word}): nothing of it stands"
    return ""


def why_not_redo(operation: Operation | None) -> str:
    """Says why an operation cannot be redone; empty if a redo can be tried."""
    if operation is None:
        return "no operation is selected"
    if operation.kind is OperationKind.APPLY and operation.state is not OperationState.UNDONE:
        return f"{operation.id} was not undone"
    return ""


class FileRows(LazyRows[tuple[Effect, FileDiff | None]]):
    """Shows the effects of an operation, a row for each file, with figures once the diffs are read."""

    def __init__(self, operation: Operation, diffs: Sequence[FileDiff]) -> None:
        effects = [operation.effects[index] for index in took_place(operation)]
        super().__init__(list(zip(effects, diffs if len(diffs) == len(effects) else repeat(None), strict=False)))

    def made(self, pair: tuple[Effect, FileDiff | None]) -> ListRow:
        verb, path = effect_words(pair[0], past=True)
        return ListRow((Span(f"{verb:<8} ", "accent"), Span(path)), short_figures(pair[1]) if pair[1] else ())


def diff_title(diff: FileDiff, index: int, total: int) -> Line:
    """Returns `3/24 memory/episodic/x.md +12`; the target of a move is shown above the diff instead."""
    verb: Line = (Span("moved ", "accent"),) if diff.to else ()
    return (Span(f"{index + 1:,}/{total:,}  ", "muted"), *verb, Span(safe(diff.path), "title"), *short_figures(diff))


def place(operation: Operation, index: int) -> str:
    """Returns `2/6 deploy.md`, the position of a file within an operation, for the crumbs; empty without files."""
    took = took_place(operation)
    if index >= len(took):
        return ""
    return f"{index + 1:,}/{len(took):,} {file_name(operation.effects[took[index]].path)}"


def diff_note(diff: FileDiff) -> tuple[Line, ...]:
    note = (fact("note", Span(safe(diff.note), "info")),) if diff.note else ()
    if not diff.to:
        return note
    return (fact("from", Span(safe(diff.path), "muted")), fact("to", Span(safe(diff.to), "strong")), *note)


WELCOME = text_lines("no_operation")  # the lines in place of a diff where there is no operation
