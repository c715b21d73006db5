"""Finds when a text entered memory and when it left: by commit, by operation, and since (autopoiesis §3.6)."""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

import msgspec
from msgspec.structs import replace

from engine.errors import MemdeckError
from engine.history.repository_history import Commit, CommitSteps, blobs, in_growing_groups, steps_with
from engine.monitoring.recall.timeline import Sources, Teller
from engine.plans.diff import split_lines
from engine.plans.operation import Operation, Rename, Write
from engine.plans.past_effects import took_place
from engine.plans.records.operation_index import Side
from engine.text.derived import redacted_lines

MOST_SHOWN = 5  # lines of one event that are given


class Occurrence(msgspec.Struct, frozen=True, kw_only=True):
    """A change in the number of a file's lines with a text. `lines`: those that came, else those that went. `teller`,
    `ref`: the source. `operation`: set if the operator's record confirms it."""

    teller: Teller
    path: str
    at: datetime
    came: int
    went: int
    lines: tuple[tuple[int, str], ...]
    ref: str = ""
    operation: str = ""
    subject: str = ""
    since: datetime | None = None  # it happened after this, where the instant itself is not known


def occurrences(text: str, sources: Sources, notes: Callable[[], Collection[str]]) -> Generator[Occurrence]:
    """Yields each change as it is found: git's, then operations', each newest first, then later ones; without any, the
    notes with the text now. `notes` is called last: first answers need no scan. Closing the iterator stops it."""
    found = False
    for occurrence in _told(text, sources, notes):
        found = True
        yield occurrence
    if not found:
        yield from _there(text, sources, notes())


def _told(text: str, sources: Sources, notes: Callable[[], Collection[str]]) -> Iterator[Occurrence]:
    if sources.repository is not None:
        for group in in_growing_groups(steps_with(sources.repository, text)):
            names = (name for commit_steps in group for step in commit_steps.steps for name in (step.old, step.new))
            data = blobs(sources.repository, names)
            for commit_steps in group:
                yield from _steps(text, commit_steps, data, sources)
    # What has a commit is told by git already.
    index, committed = sources.operations.index, sources.repository is None
    for operation, sides in index.holding(text, lambda touched: _sides(touched, sources), committed=committed):
        yield from _operated(text, operation, sides)
    yield from _since(text, sources, notes)


def _there(text: str, sources: Sources, notes: Collection[str]) -> Iterator[Occurrence]:
    """Yields the notes with a text of unknown origin; `at`: when it was seen at the latest."""
    seen = sources.seen.notes() if sources.seen.begun else {}
    looked = sources.seen.looked_at() if sources.seen.begun else None
    for path in sorted(notes):
        if _holding(text, sources.present(path)):
            at = looked if looked is not None and path in seen else sources.now
            yield _compared(text, None, sources.present(path), Teller.NOW, path, at)


def _steps(text: str, one: CommitSteps, data: Mapping[str, bytes], sources: Sources) -> Iterator[Occurrence]:
    for step in one.steps:
        if all(name in data for name in (step.old, step.new) if name):
            commit, told = one.commit, _confirmed(one.commit, sources)
            found = _compared(text, data.get(step.old), data.get(step.new), Teller.GIT, step.path, commit.at)
            yield replace(found, ref=commit.id, operation=told, subject=commit.subject)


def _confirmed(commit: Commit, sources: Sources) -> str:
    """Returns the operation that a commit names, if its record names the commit; else nothing."""
    for claim in reversed(commit.claims.split(",")):
        with suppress(MemdeckError):
            if (operation := sources.operations.load(claim.strip())).commit == commit.id:
                return operation.id
    return ""


def _sides(operation: Operation, sources: Sources) -> list[Side]:
    """Returns the bytes before and after at each path that an operation wrote; a move changes no line."""
    found: list[Side] = []
    for index in took_place(operation):
        effect = operation.effects[index]
        if not isinstance(effect, Rename):
            new = sources.written(operation, effect) if isinstance(effect, Write) else None
            found.append((effect.path, sources.kept(effect.before) if effect.before else None, new))
    return found


def _operated(text: str, operation: Operation, sides: Iterable[Side]) -> Iterator[Occurrence]:
    for path, old, new in sides:
        found = _compared(text, old, new, Teller.OPERATION, path, operation.started_at)
        if found.came or found.went:
            subject = f"{operation.system} ({operation.kind})"
            yield replace(found, ref=operation.id, operation=operation.id, subject=subject)


def _since(text: str, sources: Sources, notes: Callable[[], Collection[str]]) -> Iterator[Occurrence]:
    """Yields what came or went since the operator last looked, outside operations."""
    looked = sources.seen.looked_at() if sources.seen.begun else None
    if looked is None:
        return
    seen = sources.seen.notes()
    for path in sorted({*seen, *notes()}):
        note = seen.get(path)
        new = sources.present(path)
        old = sources.kept(note.sha256) if note is not None else None
        # Its text was not kept: every line of it would seem to have come.
        if note is not None and old is None:
            continue
        found = _compared(text, old, new, Teller.SEEN, path, sources.now)
        if found.came or found.went:
            yield replace(found, since=looked)


def _compared(text: str, old: bytes | None, new: bytes | None, teller: Teller, path: str, at: datetime) -> Occurrence:
    """Compares the lines with the text in two states of a file."""
    before, after = _holding(text, old), _holding(text, new)
    left, right = {line for _, line in before}, {line for _, line in after}
    came = [(number, line) for number, line in after if line not in left]
    went = [(number, line) for number, line in before if line not in right]
    lines = _shown((came or went)[:MOST_SHOWN], new if came else old)
    return Occurrence(teller=teller, path=path, at=at, came=len(came), went=len(went), lines=lines)


def _shown(lines: Sequence[tuple[int, str]], data: bytes | None) -> tuple[tuple[int, str], ...]:
    clean = redacted_lines(split_lines((data or b"").decode("utf-8", "replace"))) if lines else []
    return tuple((number, clean[number - 1]) for number, _ in lines)


def _holding(text: str, data: bytes | None) -> list[tuple[int, str]]:
    """Returns the lines that contain the text, or in which a text of several lines begins."""
    if data is None:
        return []
    whole = data.decode("utf-8", "replace")
    if "\n" not in text:
        return [(number, line) for number, line in enumerate(split_lines(whole), 1) if text in line]
    found, at, lines = [], whole.find(text), split_lines(whole)
    while at >= 0:
        number = whole.count("\n", 0, at) + 1
        found.append((number, lines[number - 1]))
        at = whole.find(text, at + 1)
    return found
