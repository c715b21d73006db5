"""Shared knowledge for the front ends: pins, fetches, folders for sub-agents. A fetch writes only in the operator's
state, from the policy's address; nothing of the other repository is executed."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError
from engine.history.gitmodules import FILE, FOLDER, SharedEntry, shared_entries
from engine.plans.memory_status import Degraded
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.state.private_files import make_private, write_private
from engine.text.safe_text import visible_line
from engine.workspace.values import Finding, notice

if TYPE_CHECKING:
    from engine.history.sparse_folder import SparseFolder


class SharedStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A shared repository: its address, pin and fetched commit. `changed`: notes that differ from the pinned ones."""

    name: str
    address: str
    pin: str
    tip: str
    notes: int
    changed: tuple[str, ...] = ()
    problem: str = ""

    @property
    def is_behind(self) -> bool:
        """Tells whether the fetched commit is not the pinned one."""
        return bool(self.pin and self.tip and self.pin != self.tip)


class ShareService:
    """Fetches shared knowledge and gives its state. Only the plans `share` and `unshare` change the workspace."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def all(self) -> tuple[SharedStatus, ...]:
        """Gives every shared repository of the policy or `.gitmodules`, by name."""
        named, pins = self._opened.policy.git.shared, shared_entries(self._opened.root.read_or_none(FILE) or b"")
        files = self._opened.fresh(look=True).files if named or pins else {}
        shas = {path: facts.sha256 for path, facts in files.items() if path.startswith(FOLDER)}
        return tuple(self._status(name, pins.get(name), shas) for name in sorted({*named, *pins}))

    def _status(self, name: str, entry: SharedEntry | None, shas: Mapping[str, str]) -> SharedStatus:
        from engine.services.shared_facts import pinned_notes, store_of

        folder, standing = f"{FOLDER}{name}/", self._standing(name, entry)
        here = {path.removeprefix(folder): sha for path, sha in shas.items() if path.startswith(folder)}
        try:
            pinned = pinned_notes(store_of(self._opened, name), standing.pin)
        except MemdeckError as error:
            return msgspec.structs.replace(standing, notes=len(here), problem=error.line())
        changed = [path for path in sorted({*here, *pinned}) if here.get(path) != pinned.get(path)] if pinned else []
        return msgspec.structs.replace(standing, notes=len(here), changed=tuple(changed))

    def _standing(self, name: str, entry: SharedEntry | None) -> SharedStatus:
        """Gives a share's state from its pin and address, without reading its notes."""
        from engine.services.shared_facts import store_of

        address, problem = self._opened.policy.git.shared.get(name, ""), ""
        if entry is not None and not address:
            problem = "the policy's git.shared does not name it: it is never fetched"
        elif entry is not None and entry.address != address:
            problem = f"{FILE} names another address, which is never asked: {visible_line(entry.address)[:200]}"
        pin, tip = entry.pin if entry is not None else "", store_of(self._opened, name).tip()
        return SharedStatus(name=name, address=address, pin=pin, tip=tip, notes=0, problem=problem)

    def fetch(self, names: Sequence[str] = ()) -> tuple[SharedStatus, ...]:
        """Fetches the named shares, by default all of the policy's; raises `GitFailed` or `Refused`."""
        from engine.services.shared_facts import named_shares, own_repository, store_of

        opened = self._opened
        own_repository(opened)
        chosen, context = named_shares(opened, names), opened.context
        with opened.lock, disk_errors("what is shared cannot be kept"), context.hold("fetching shared knowledge"):
            make_private(opened.state.path / "shared")
            for name in chosen:
                store_of(opened, name).fetch(opened.policy.git.shared[name])
        return tuple(share for share in self.all() if share.name in chosen)

    def sparse(self, name: str, only: Sequence[str], folder: Path | None = None) -> "SparseFolder":
        """Makes a folder for a sub-agent with some committed folders; `Refused` for private ones."""
        from engine.history.sparse_folder import make_sparse
        from engine.services.shared_facts import own_repository

        with self._opened.lock, disk_errors("the folder cannot be made"):
            workspace = Path(self._opened.root.identity.path)
            place = folder or workspace.parent / f"{workspace.name}-agents" / name
            repository = own_repository(self._opened)
            self.take_back()
            # On disk before the folder begins, so that `recover` knows what a kill left.
            write_private(self._begun, str(place).encode("utf-8", "surrogateescape"))
            try:
                return make_sparse(repository, only, place)
            finally:
                self._begun.unlink(missing_ok=True)

    @property
    def _begun(self) -> Path:
        return self._opened.state.path / "sparse-begun"

    def take_back(self) -> tuple[Finding, ...]:
        """Removes an unfinished sub-agent folder that a kill left; reports it."""
        left = self.left_unfinished()
        for finding in left:
            shutil.rmtree(finding.where)
        self._begun.unlink(missing_ok=True)
        return tuple(msgspec.structs.replace(one, what="an unfinished folder was taken away", fix="") for one in left)

    def left_unfinished(self) -> tuple[Finding, ...]:
        """Finds an unfinished sub-agent folder that a kill left."""
        from engine.history.sparse_folder import unfinished

        try:
            part = unfinished(Path(os.fsdecode(self._begun.read_bytes())))
        except FileNotFoundError:
            return ()
        if part.is_symlink() or not part.is_dir():
            return ()
        what = "a folder for a sub-agent was begun and never finished"
        return (notice("sparse_unfinished", str(part), what, "memdeck recover"),)

    def alarms(self) -> tuple[Degraded, ...]:
        """Reports shares that were fetched but not pinned, or whose address changed, for the status."""
        named = self._opened.policy.git.shared
        pins = shared_entries(self._opened.root.read_or_none(FILE) or b"") if named else {}
        found = (_alarm(self._standing(name, pins.get(name))) for name in sorted(pins))
        return tuple(degraded_mode for degraded_mode in found if degraded_mode is not None)


def _alarm(status: SharedStatus) -> Degraded | None:
    ident = f"share-{status.name}"
    if status.problem:
        return Degraded(
            id=ident, what=f"shared knowledge {status.name}: {status.problem}", fix="memdeck share tells more"
        )
    if status.is_behind:
        what = f"shared knowledge {status.name} is pinned to {status.pin[:12]}, and {status.tip[:12]} was fetched"
        return Degraded(id=ident, what=what, fix=f"memdeck plan share --take {status.name} shows what changes")
    return None
