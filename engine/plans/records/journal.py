"""The journal of the one operation that may be under way: written before it starts, removed when all is recorded. And
the commits that are owed: git could not be written when an operation ended, and the commit is made later (D22)."""

from datetime import datetime
from enum import StrEnum

import msgspec

from engine.plans.operation import ChainHead, Operation
from engine.state.folder import StateFolder
from engine.state.private_files import make_private, read_record, remove_private, write_private
from engine.text.canonical_json import canonical_json

Inode = tuple[int, int]  # device and inode number


class Phase(StrEnum):
    """The step that the operation reached. `staging`: no effect took place. `effects`: all is staged, any effect may
    have. `rolling-back`: effects are being taken back, none may start. `finishing`: only records are missing."""

    STAGING = "staging"
    EFFECTS = "effects"
    ROLLING_BACK = "rolling-back"
    FINISHING = "finishing"


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """The names an effect uses aside, and what it met before it started. `stage_yard` is where its new content waits,
    `keep_yard` where what it displaces is held: `state` for the state folder, else the folder of the workspace whose
    `.memdeck` serves, since both must be on the file's own mount."""

    name: str
    stage_yard: str | None
    keep_yard: str
    inode: Inode | None = None  # the inode at the effect's path before
    staged: Inode | None = None  # the staged file, once it is
    crossing: bool = False  # a move between two mounts: a copy takes the new place and the old file is held

    @property
    def back(self) -> str:
        """The held name of what the operation itself had put in place before it was rolled back."""
        return self.name + "-back"


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """The operation under way. `remove` are the folders an undo takes away where they are empty."""

    phase: Phase
    operation: Operation
    slots: tuple[Slot, ...]
    remove: tuple[str, ...] = ()
    whole: bool = True  # false where only some of the plan's changes were chosen
    cause: str = ""  # the reason why it is being rolled back
    foreign: bool = False  # true if that was another program's write

    def at(self, phase: Phase, operation: Operation | None = None) -> "Journal":
        """Gives the same journal one phase later."""
        return msgspec.structs.replace(self, phase=phase, operation=operation or self.operation)

    def save(self, state: StateFolder) -> None:
        """On disk when this returns."""
        write_private(state.journal, canonical_json(self))


def load_journal(state: StateFolder) -> Journal | None:
    """Reads the unfinished operation, if there is one."""
    return read_record(state.journal, Journal, "the journal cannot be read")


def clear_journal(state: StateFolder) -> None:
    """Removes the journal of an operation that is recorded: nothing is left to recover."""
    remove_private(state.journal)


class OwedFile(msgspec.Struct, frozen=True):
    """A path as the operation left it: its sha256, None for no file; and what the operation met there."""

    path: str
    sha256: str | None
    before: str | None = None
    executable: bool = False


class OwedCommit(msgspec.Struct, frozen=True, kw_only=True):
    """One operation that is not in git yet. `at` is when it ended, `since` when its commit failed first, `why` last."""

    operation: str
    plan: str
    subject: str
    audit: ChainHead
    at: datetime
    files: tuple[OwedFile, ...]
    since: datetime
    why: str
    base: str | None = None
    """The commit that HEAD named then; empty on a branch without any, None where git could not tell."""
    commit: str | None = None  # the commit, where only the index is behind it


class OwedCommits:
    """The commits that are owed, each in a file of its own. Only the holder of the lock writes."""

    def __init__(self, state: StateFolder) -> None:
        self.folder = state.path / "owed"

    def save(self, owed: OwedCommit) -> None:
        """Remembers it; on disk when this returns."""
        make_private(self.folder)
        write_private(self.folder / f"{owed.operation}.json", canonical_json(owed))

    def forget(self, operation: str) -> None:
        """Forgets a commit that is made, or of which nothing is left to make."""
        file = self.folder / f"{operation}.json"
        if file.exists():
            remove_private(file)

    def entries(self) -> tuple[OwedCommit, ...]:
        """Lists what is owed, in the order of the operations; `Damaged` where a record cannot be read."""
        what = "the record of an owed commit cannot be read"
        hint = "move it away; git status shows what is not committed"
        files = sorted(self.folder.glob("[!.]*.json"))
        owed = filter(None, (read_record(file, OwedCommit, what, hint) for file in files))
        return tuple(sorted(owed, key=lambda one: (one.at, one.operation)))
