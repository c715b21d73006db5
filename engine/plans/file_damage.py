"""Checks that files of operations are unchanged: displaced bytes, archived files, held files."""

from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from itertools import chain

import msgspec

from engine.errors import Damaged, MemdeckError
from engine.plans.apply.context import ApplyContext
from engine.plans.operation import Operation, Rename, Withdraw, Write
from engine.plans.records.displaced import DisplacedStore, LateHeld, late_bytes, read_held, unaltered
from engine.text.canonical_json import sha256_hex
from engine.text.document import split_lines
from engine.text.safe_text import visible_line
from engine.workspace.paths import MAX_KEPT, FileMissing, WorkspaceRoot
from engine.workspace.values import Finding, FindingKind, damage, notice


class Late(msgspec.Struct, frozen=True):
    """A file whose first bytes an operation wrote; `added` came later."""

    path: str
    original: bytes
    added: bytes

    @property
    def first(self) -> int:
        """The number of the first late line."""
        return self.original.count(b"\n") + 1

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(split_lines(self.added.decode("utf-8", "replace")))


def late_lines(path: str, present: bytes, wanted: str, size: int | None) -> Late | None:
    """Gives the bytes after a beginning with the hash `wanted`, or None. Without `size` each line end is tried."""
    for end in _ends(present, size):
        if sha256_hex(present[:end]) == wanted:
            return Late(path, present[:end], present[end:])
    return None


def late_at(root: WorkspaceRoot, path: str, wanted: str, size: int | None) -> Late | None:
    """Finds late bytes in a workspace file."""
    try:
        present = root.read(path, MAX_KEPT)
    except MemdeckError:
        return None
    return None if sha256_hex(present) == wanted else late_lines(path, present, wanted, size)


def late_held(store: DisplacedStore, late: LateHeld) -> Late | None:
    """Finds late bytes in a held file; None too where it was rewritten or is too large."""
    if len(late.data) > MAX_KEPT:
        return None
    try:
        original = store.get(late.held.sha256)
    except Damaged:
        return None
    return Late(late.held.path, original, late.data[len(original) :]) if late.data.startswith(original) else None


def size_of(operation: Operation, path: str) -> int | None:
    """Gives the size of the file that the operation moved to `path`, in bytes; None where its record lacks it."""
    shifts = (effect for effect in operation.effects if isinstance(effect, Rename) and effect.to == path)
    return next((effect.size for effect in shifts), None)


def _ends(present: bytes, size: int | None) -> Iterator[int]:
    if size is not None:
        yield from (end for end in (size,) if end < len(present))
        return
    at = present.find(b"\n")
    while 0 <= at < len(present) - 1:
        yield at + 1
        at = present.find(b"\n", at + 1)


_FEW = 3  # late lines that a finding quotes; it counts the others
_SHOWN = 120  # late lines that are named, and characters of each


def displaced_findings(ctx: ApplyContext, operation: Operation, seen: set[str]) -> Iterator[Finding]:
    """Finds displaced bytes that undo needs and that are missing or altered; skips those in `seen`."""
    forgotten = ctx.displaced.forgotten()
    for effect in (operation.effects[i] for i in operation.done):
        sha256 = effect.before if isinstance(effect, Write | Withdraw) else None
        if sha256 is not None and sha256 not in forgotten and sha256 not in seen:
            seen.add(sha256)
            yield from _look_at(ctx, sha256, f"{operation.id} cannot be undone")


def unneeded_findings(ctx: ApplyContext, needed: Container[str]) -> Iterator[Finding]:
    """Finds altered bytes in the store that no operation needs."""
    for sha256 in ctx.displaced.hashes():
        if sha256 not in needed:
            yield from _look_at(ctx, sha256, "no operation needs it now")


def _look_at(ctx: ApplyContext, sha256: str, consequence: str) -> Iterator[Finding]:
    try:
        ctx.displaced.get(sha256)
    except Damaged as error:
        is_held = _held(ctx, sha256)
        fix = "memdeck recover takes them from the held file" if is_held else "restore that file from a backup"
        yield damage("displaced_damaged", f"displaced/{sha256[:12]}", f"{error.message}: {consequence}", fix)


def _held(ctx: ApplyContext, sha256: str) -> bool:
    with suppress(MemdeckError):
        held = chain.from_iterable(ctx.held.entries().values())
        return any(file.sha256 == sha256 and unaltered(file) is not None for file in held)
    return False


def archive_findings(
    ctx: ApplyContext, archived: Mapping[str, tuple[str, str]], hashes: Mapping[str, str]
) -> Iterator[Finding]:
    """Finds archived files that are gone or changed since an operation moved them there (decision G4)."""
    for path, (sha256, name) in archived.items():
        if hashes.get(path) == sha256:
            continue
        operation = ctx.operations.load(name)
        late = late_at(ctx.root, path, sha256, size_of(operation, path))
        if late is not None:
            fix = f"memdeck undo {operation.id} puts the note back with them; in the archive they are kept as well"
            yield _came_late(late, f"{operation.id} archived it", fix)
            continue
        if what := _difference(ctx, path, sha256):
            fix = _way_back(ctx, sha256, operation, path)
            yield damage("archive_damaged", path, f"archived by {operation.id}, {what}", fix)


def _came_late(late: Late, done: str, fix: str) -> Finding:
    """Reports late lines of a note that another program had open; nothing is lost."""
    count = len(late.lines)
    shown = "; ".join(f"line {number}: {line[:_SHOWN]}" for number, line in enumerate(late.lines[:_FEW], late.first))
    more = f"; and {count - _FEW} more" if count > _FEW else ""
    came = "1 line" if count == 1 else f"{count} lines"
    what = f"{came} came late, from a program that had it open while {done}: {shown}{more}"
    return notice("late_lines", late.path, visible_line(what), fix)


def _difference(ctx: ApplyContext, path: str, sha256: str) -> str:
    try:
        present = sha256_hex(ctx.root.read(path, MAX_KEPT))
    except FileMissing:
        return "it is missing"
    except MemdeckError as error:
        return f"it cannot be read: {error.message}"
    return "" if present == sha256 else "it was altered"


def _way_back(ctx: ApplyContext, sha256: str, operation: Operation, path: str) -> str:
    if ctx.displaced.has(sha256):
        return f"copy {ctx.displaced.folder / sha256[:2] / sha256} back"
    return f"git show {operation.commit[:12]}:{path} has it" if operation.commit else "restore it from a backup"


def held_findings(ctx: ApplyContext) -> Iterator[Finding]:
    """Finds held files with late bytes, and those that are gone too early without a copy."""
    try:
        yield from _late_held(ctx)
        entries = ctx.held.entries()
    except Damaged as error:
        yield damage("held_damaged", "held-log", error.message, "its operation's own record names what is held")
        return
    now = ctx.clock()
    for operation_id, held in entries.items():
        for file in held:
            if now < file.until and read_held(file) is None and not ctx.displaced.has(file.sha256):
                what = f"what {operation_id} displaced is gone before its time"
                yield damage("held_missing", file.path, what, "restore it from a backup")


def _late_held(ctx: ApplyContext) -> Iterator[Finding]:
    """Reports late lines in held files, unless they are back in the workspace."""
    for late_file in late_bytes(ctx.state, ctx.displaced):
        held, operation = late_file.held, late_file.operation
        if _is_back(ctx, held.path, late_file.data):
            continue
        if (late := late_held(ctx.displaced, late_file)) is None:
            what = f"another program wrote to this file after {operation} had displaced it"
            fix = f"compare {held.place} with the file and copy over what is missing"
            yield Finding(kind=FindingKind.CONFLICT, id="late_bytes", where=held.path, what=what, fix=fix)
        else:
            fix = f"memdeck undo {operation} puts the file back with them; they are kept in {held.place}"
            yield _came_late(late, f"{operation} replaced it", fix)


def _is_back(ctx: ApplyContext, path: str, data: bytes) -> bool:
    with suppress(MemdeckError):
        return ctx.root.read(path, MAX_KEPT).startswith(data)
    return False
