"""The operator's own records of one workspace: a private folder outside the workspace (decision G19)."""

import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.errors import Damaged, Refused, UsageError
from engine.state.private_files import inode_at, make_private, private_chain, private_content, private_place
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import WorkspaceIdentity

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}")
IMPORTING = ".importing"  # ends the name of a whole and checked state that is about to take the place of another


class _Place:
    """A file or folder of the state folder, by its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, state: "StateFolder", kind: type) -> Path:
        return state.path / self._name


class StateFolder(msgspec.Struct, frozen=True):
    """Queue, operations, audit log and displaced files of one workspace, readable by the operator alone."""

    path: Path
    closed: tuple[str, ...] = ()  # paths that other users could read until it was opened this time, with its mode then

    @classmethod
    def locate(cls, identity: WorkspaceIdentity, state_home: Path) -> "StateFolder":
        """Gives the workspace's folder below `state_home`, and makes it with mode 0700. `Refused` where it and the
        workspace lie inside one another, also through links, and where another user owns it or may write it, or it
        has a link (decision G23)."""
        root = Path(identity.path)
        # The name is for people; the hash of the whole path tells workspaces of the same name apart.
        name = "".join(c if c.isascii() and c.isalnum() else "-" for c in root.name)[:40] or "root"
        top = Path(os.path.realpath(state_home))
        folder = top / "workspaces" / f"{name}-{sha256_hex(os.fsencode(root))[:16]}"
        # Before anything is made: a folder inside the workspace would be a change of it.
        refuse_inside(folder.parent, identity, "memdeck's state")
        state = cls(folder)
        try:
            _finish_import(folder)
            closed = list(private_chain(top, folder))
            for private in (state.queue, state.operations, state.displaced, state.held, state.held_log):
                closed += private_place(private)
            for checked in (folder, state.queue):
                closed += private_content(checked)
        except OSError as error:
            raise Damaged(f"no state folder: {error.strerror}", where=str(folder), hint="set XDG_STATE_HOME") from error
        return cls(folder, tuple(closed))

    queue = _Place("queue")
    operations = _Place("operations")
    audit = _Place("audit.jsonl")
    journal = _Place("journal.json")
    displaced = _Place("displaced")
    held = _Place("held")  # displaced files as the very inodes that were displaced
    held_log = _Place("held-log")  # per operation, what is held and until when
    stage = _Place("stage")  # new contents, whole and fsynced, before they take their place
    ledger = _Place("ledger.jsonl")  # a line for each call of a model
    answers = _Place("answers")  # answers of models by the digests of their questions
    batches = _Place("batches")  # the batches of questions that were sent, a file each
    imports = _Place("imports")  # the files that imports read, as they were
    consolidations = _Place("consolidations")  # the consolidations by other tools, with the notes before and after
    cache = _Place("cache")
    topics = _Place("topics.cache")  # the topics as they were read last, for the next process
    use_counts = _Place("use-counts")  # the lengths of the four lists of `memdeck uses`
    lock = _Place("lock")

    def replay(self, name: str) -> Path:
        """Gives the file of a replay's readings and makes its folder; `UsageError` for an invalid name."""
        if not _PLAIN.fullmatch(name):
            raise UsageError("the name of a replay has letters, digits, dots and dashes", where=name[:60])
        folder = self.path / "replays"
        make_private(folder)
        return folder / f"{name}.jsonl"

    def pulse(self) -> tuple[tuple[int, int], ...]:
        """Gives a sign that changes with the queue and the operations, whichever process wrote; costs a few `stat`s."""
        return tuple(_signature(path) for path in (self.queue / "index", self.operations, self.audit))


def _finish_import(folder: Path) -> None:
    """Finishes an import that was killed between the two renames of `state import`."""
    if not folder.exists() and (ready := folder.with_name(folder.name + IMPORTING)).is_dir():
        with suppress(FileNotFoundError):  # the import itself, or another process, was quicker
            ready.rename(folder)


def _signature(path: Path) -> tuple[int, int]:
    """Gives the time of the last change in nanoseconds and the size; zeros where there is no file."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def state_home(env: Mapping[str, str]) -> Path:
    """Gives the folder of all state, below `XDG_STATE_HOME` or at the platform's place."""
    return _home(env, "XDG_STATE_HOME", ".local/state", "user_state_path")


def config_home(env: Mapping[str, str]) -> Path:
    """Gives the folder of the operator's policy, below `XDG_CONFIG_HOME` or at the platform's place."""
    return _home(env, "XDG_CONFIG_HOME", ".config", "user_config_path")


def _home(env: Mapping[str, str], variable: str, below_home: str, elsewhere: str) -> Path:
    chosen = env.get(variable, "")
    # The XDG specification has relative paths ignored.
    if chosen and Path(chosen).is_absolute():
        return Path(chosen) / "memdeck"
    if sys.platform == "linux" and env.get("HOME"):
        return Path(env["HOME"]) / below_home / "memdeck"
    import platformdirs

    place: Path = getattr(platformdirs, elsewhere)("memdeck", appauthor=False)
    return place


def refuse_inside(folder: Path, identity: WorkspaceIdentity, what: str) -> None:
    """Raises `Refused` where `folder` lies in the workspace or around it, by inode, so that links do not matter."""
    here = (identity.device, identity.inode)
    real, workspace = Path(os.path.realpath(folder)), Path(identity.path)
    if any(inode_at(place) == here for place in (real, *real.parents)):
        hint = "name the agent's folder: memdeck DIR (memdeck demo makes one); or set XDG_STATE_HOME elsewhere"
        raise Refused(f"{what} may not lie inside the workspace", where=str(folder), hint=hint)
    around = inode_at(folder)
    if around is not None and any(inode_at(place) == around for place in (workspace, *workspace.parents)):
        raise Refused(f"the workspace may not lie inside {what}", where=identity.path, hint="move the workspace")
