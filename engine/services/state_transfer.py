"""Exports a workspace's whole state to one file, and imports such a file, also on another machine."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import Damaged, MemdeckError, Refused, UsageError, remedy
from engine.plans.plan import OPEN_STATES, PlanState
from engine.plans.queue import Queue
from engine.plans.records.displaced import late_bytes
from engine.services.open_workspace import OpenWorkspace
from engine.state.archive import Manifest, pack, unpack
from engine.state.folder import IMPORTING, StateFolder
from engine.state.health import damage
from engine.state.private_files import step
from engine.workspace.system_calls import fsync_folder
from engine.workspace.values import Tick, WorkspaceIdentity


class Transferred(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an export or import."""

    file: str
    files: int
    size: int  # bytes of all files together
    made_at: datetime
    workspace: str
    kept: str = ""  # the folder of the state that was here before an import
    notes: tuple[str, ...] = ()


def export_state(opened: OpenWorkspace, file: Path, tick: Tick | None = None) -> Transferred:
    """Writes the archive for this user alone; `Refused` in the workspace or an operation, `UsageError` over a file."""
    _refuse_inside(file, opened.root.identity)
    if os.path.lexists(file):
        raise UsageError("there is such a file already", where=str(file), hint="name a new one")
    with _errors("exporting", file), opened.context.hold("exporting the state"):
        if opened.state.journal.exists():
            raise Refused("an operation was cut off half-way", hint="memdeck recover, then export")
        if damage(opened.state.path):
            raise Damaged("state.db is damaged", where=str(opened.state.path), hint="memdeck recover, then export")
        late_bytes(opened.state, opened.displaced)  # they stay in held files, which are not exported
        opened.database.trouble()  # takes over the files of the version before
        fresh = file.with_name(f".{file.name}.{os.getpid()}.new")
        try:
            manifest = _pack(opened, fresh, tick)
            step("state-export-rename")
            fresh.rename(file)
        finally:
            fresh.unlink(missing_ok=True)
        fsync_folder(file.parent)
    return _transferred(file, manifest)


def import_state(opened: OpenWorkspace, file: Path, *, force: bool, tick: Tick | None = None) -> Transferred:
    """Replaces this workspace's state by an archive's. `Refused` if there is a state, unless `force` moves it."""
    state, here = opened.state, opened.root.identity
    with _errors("importing", file), opened.context.hold("importing a state"):
        used = [place for place in (state.audit, opened.database.file, *state.operations.iterdir()) if place.exists()]
        if used and not force:
            hint = "--force puts it aside under another name"
            raise Refused("memdeck remembers something of this workspace already", where=str(state.path), hint=hint)
        if state.journal.exists():
            raise Refused("an operation was cut off half-way", hint="memdeck recover, then import")
        manifest, closed = _unpacked(file, state, opened.real_clock(), tick)
        opened.database.close()
        kept = _swap(state, opened.real_clock())
    told = [f"{closed:,} plans that waited are closed: plan again"] if closed else []
    return _transferred(file, manifest, str(kept), (*told, *_notes(manifest, here)))


def _pack(opened: OpenWorkspace, fresh: Path, tick: Tick | None) -> Manifest:
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(fresh, how, 0o600), "wb") as target:
        manifest = pack(opened.state.path, target, opened.root.identity, opened.real_clock(), tick)
        target.flush()
        os.fsync(target.fileno())
    return manifest


def _unpacked(file: Path, state: StateFolder, now: datetime, tick: Tick | None) -> tuple[Manifest, int]:
    """Unpacks and checks an archive beside the state; gives the manifest and the number of open plans. These are
    closed, because a foreign archive could have labels that no planner gave (decision G27)."""
    ready = state.path.with_name(state.path.name + IMPORTING)
    unpacking = state.path.with_name(f"{state.path.name}.unpacking")
    for left in (ready, unpacking):  # of an import that was killed before it took place
        shutil.rmtree(left, ignore_errors=True)
    unpacking.mkdir(mode=0o700)
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_CLOEXEC), "rb") as source:
            manifest = unpack(source, unpacking, tick)
        if problem := damage(unpacking):
            raise Damaged(f"its state.db is damaged: {problem}")
        closed = _close_plans(Queue(unpacking / state.queue.name), now)
        os.link(state.lock, unpacking / state.lock.name)  # who waits for this lock waits for the new folder's
        fsync_folder(unpacking)
        unpacking.rename(ready)
        fsync_folder(ready.parent)
    except BaseException:
        shutil.rmtree(unpacking, ignore_errors=True)
        raise
    return manifest, closed


def _close_plans(queue: Queue, now: datetime) -> int:
    waiting = [queued for queued in queue.entries() if queued.state in OPEN_STATES | {PlanState.STALE}]
    for entry in waiting:
        queue.set_state(entry.id, PlanState.SUPERSEDED, "it came with an archive of the state: plan again", now)
    return len(waiting)


def _swap(state: StateFolder, now: datetime) -> Path:
    """Renames the old folder away and the new one to its place; `StateFolder.locate` finishes an interrupted swap."""
    kept = _free(state.path.with_name(f"{state.path.name}-until-{now:%Y%m%d-%H%M%S}"))
    step("state-import-aside")
    state.path.rename(kept)
    step("state-import-rename")
    state.path.with_name(state.path.name + IMPORTING).rename(state.path)
    fsync_folder(state.path.parent)
    return kept


def _free(path: Path) -> Path:
    number = 1
    while (found := path if number == 1 else path.with_name(f"{path.name}-{number}")).exists():
        number += 1
    return found


def _notes(manifest: Manifest, here: WorkspaceIdentity) -> tuple[str, ...]:
    if manifest.workspace == here:
        return ()
    plans = "plans that wait were made for that very folder and cannot be applied here: plan again"
    undo = "what was applied can be undone where the files are as it left them"
    return (f"it was made for {manifest.workspace.path}: {plans}; {undo}",)


def _refuse_inside(file: Path, workspace: WorkspaceIdentity) -> None:
    for place in Path(os.path.realpath(file.parent)), *Path(os.path.realpath(file.parent)).parents:
        try:
            found = place.stat()
        except OSError as error:
            raise UsageError("there is no such folder", where=str(file.parent)) from error
        if (found.st_dev, found.st_ino) == (workspace.device, workspace.inode):
            raise Refused("the agent could read and alter it there", where=str(file), hint="name a file elsewhere")


@contextmanager
def _errors(doing: str, file: Path) -> Iterator[None]:
    """Converts disk errors into memdeck's, with the file's name."""
    try:
        yield
    except OSError as error:
        what = f"{doing} failed: {error.strerror or error}"
        raise MemdeckError(what, where=str(error.filename or file), hint=remedy(error, "try again")) from error


def _transferred(file: Path, manifest: Manifest, kept: str = "", notes: tuple[str, ...] = ()) -> Transferred:
    return Transferred(
        file=str(file),
        files=len(manifest.files),
        size=sum(one.size for one in manifest.files),
        made_at=manifest.made_at,
        workspace=manifest.workspace.path,
        kept=kept,
        notes=notes,
    )
