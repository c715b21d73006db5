"""Prepares the demonstration's folder: a new or empty one, or an earlier demonstration's."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, Refused
from engine.state.folder import StateFolder, state_home
from engine.state.private_files import write_private
from engine.text.canonical_json import canonical_json
from engine.workspace.paths import WorkspaceRoot

MARK = "demo.json"  # in the state folder, which no agent writes: names the very folder that was made
ELSEWHERE = "choose another --dir"


class DemoMark(msgspec.Struct, frozen=True):
    """The folder and time of a demonstration. `whole`: making it was not interrupted."""

    device: int
    inode: int
    made_at: datetime
    whole: bool = True


def made_before(folder: Path, env: Mapping[str, str]) -> DemoMark | None:
    """Returns the mark of the demonstration in `folder`; None if it is not ours."""
    if not folder.is_dir():
        return None
    with WorkspaceRoot.open(folder) as root:
        identity = root.identity
        try:
            data = (StateFolder.locate(identity, state_home(env)).path / MARK).read_bytes()
            mark = msgspec.json.decode(data, type=DemoMark)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
    return mark if (mark.device, mark.inode) == (identity.device, identity.inode) else None


def prepare(folder: Path, env: Mapping[str, str]) -> None:
    """Makes `folder`; raises `Refused` if it is not empty or if memdeck has records of an earlier one there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise MemdeckError(f"cannot be made: {error.strerror}", where=str(folder), hint=ELSEWHERE) from error
    if taken:
        raise Refused("the folder is not empty", where=str(folder), hint=ELSEWHERE)
    with WorkspaceRoot.open(folder) as root:
        state = StateFolder.locate(root.identity, state_home(env))
    if any(state.operations.iterdir()) or state.audit.exists():
        if not (state.path / MARK).is_file():
            raise Refused("memdeck has records of another folder in this place", where=str(folder), hint=ELSEWHERE)
        last = state.audit if state.audit.exists() else state.operations
        _set_aside(state.path, datetime.fromtimestamp(last.stat().st_mtime).astimezone())


def leave(folder: Path, env: Mapping[str, str], now: datetime) -> Path:
    """Renames a demonstration and its records to make room for a new one; returns the folder's new path."""
    with WorkspaceRoot.open(folder) as root:
        state = StateFolder.locate(root.identity, state_home(env))
    # The folder first: records that bear a mark make room by themselves, a folder without them does not.
    aside = _set_aside(folder, now)
    _set_aside(state.path, now)
    return aside


def mark(folder: Path, env: Mapping[str, str], now: datetime, *, whole: bool = True) -> None:
    """Records that memdeck makes the contents of `folder`; `whole`: that they are complete."""
    with WorkspaceRoot.open(folder) as root:
        state = StateFolder.locate(root.identity, state_home(env))
        made = DemoMark(root.identity.device, root.identity.inode, now, whole)
    write_private(state.path / MARK, canonical_json(made))


def _set_aside(path: Path, at: datetime) -> Path:
    stem = f"{path.name}-until-{at:%Y%m%d-%H%M%S}"
    number = 1
    while (target := path.with_name(stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return path.rename(target)
