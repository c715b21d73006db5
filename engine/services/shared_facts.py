"""Gathers the inputs of a plan of shared knowledge: pins, the policy's addresses, fetched commits."""

from collections.abc import Sequence
from pathlib import Path

from engine.errors import Refused, UsageError
from engine.history.gitmodules import FILE, SharedEntry, shared_entries
from engine.history.repository import Repository
from engine.history.shared_store import SharedStore
from engine.lifecycle.shared.plan import SharedRepository
from engine.services.open_workspace import OpenWorkspace
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line


def modules_file(opened: OpenWorkspace) -> bytes | None:
    """Reads `.gitmodules`; None if there is none. `Refused` where it is no regular file."""
    return opened.root.read(FILE) if opened.root.lstat(FILE) is not None else None


def own_repository(opened: OpenWorkspace) -> Repository:
    """Gives the workspace's own repository; `Refused` where it has none of its own."""
    repository = opened.git.writable()
    if repository.prefix:
        raise Refused("the workspace is a folder of another repository", where=str(repository.git.top))
    return repository


def store_of(opened: OpenWorkspace, name: str) -> SharedStore:
    """Gives the operator's copy of a shared repository."""
    return SharedStore(opened.state.path / "shared" / f"{name}.git", Path(opened.root.identity.path), opened.env)


def named_shares(opened: OpenWorkspace, names: Sequence[str]) -> tuple[str, ...]:
    """Gives these names, by default all that the policy shares; `UsageError` for a name that it does not share."""
    known = opened.policy.git.shared
    for name in names:
        if name not in known:
            hint = "git.shared of your policy names each with its address"
            raise UsageError("the policy shares nothing of this name", where=visible_line(name[:100]), hint=hint)
    return tuple(names) or tuple(sorted(known))


def shared_repositories(opened: OpenWorkspace, names: Sequence[str]) -> tuple[SharedRepository, ...]:
    """Gives each shared repository with its pin and its fetched tip, empty where never fetched."""
    own_repository(opened)
    pins = shared_entries(modules_file(opened) or b"")
    return tuple(_repository(opened, name, pins.get(name)) for name in names)


def _repository(opened: OpenWorkspace, name: str, entry: SharedEntry | None) -> SharedRepository:
    store = store_of(opened, name)
    tip = store.tip()
    pin = entry.pin if entry is not None else ""
    found = store.notes(tip) if tip else None
    return SharedRepository(
        name=name,
        address=opened.policy.git.shared[name],
        pin=pin,
        tip=tip,
        notes=found.notes if found is not None else {},
        pinned=pinned_notes(store, pin),
        left_out=found.left_out if found is not None else (),
        held=found.held if found is not None else {},
    )


def pinned_notes(store: SharedStore, pin: str) -> dict[str, str]:
    """Gives the sha256 of each note in the pinned commit; none where the store lacks it."""
    if not pin or not store.has(pin):
        return {}
    return {path: sha256_hex(data) for path, data in store.notes(pin).notes.items()}


def pinned_shares(opened: OpenWorkspace, names: Sequence[str]) -> tuple[SharedRepository, ...]:
    """Gives the pinned shared repositories with these names; `UsageError` for one that is not pinned."""
    own_repository(opened)
    if not names:
        raise UsageError("which shared knowledge?", where="unshare", hint="memdeck share lists it")
    pins = shared_entries(modules_file(opened) or b"")
    for name in names:
        if name not in pins:
            raise UsageError(
                "nothing of this name is shared here", where=visible_line(name[:100]), hint="memdeck share"
            )
    return tuple(SharedRepository(name=name, address="", pin=pins[name].pin, tip="") for name in names)
