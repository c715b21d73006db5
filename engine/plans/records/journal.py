"""The journal of the operation under way, and the commits that are owed until git can be written (D22)."""

from datetime import datetime
from enum import StrEnum

import msgspec

from engine.plans.operation import ChainHead, Operation
from engine.state.folder import StateFolder
from engine.state.private_files import make_private, read_record, remove_private, write_private
from engine.text.canonical_json import canonical_json

Inode = tuple[int, int]  # device and inode number


class Phase(StrEnum):
    """The step that the operation reached. `staging`: no effect took place. `effects`: all is staged, and any effect
    may have taken place. `rolling-back`: effects are being undone. `finishing`: only records are missing."""

    STAGING = "staging"
    EFFECTS = "effects"
    ROLLING_BACK = "rolling-back"
    FINISHING = "finishing"


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """The names of an effect in the yards, and the inode before it. `stage_yard` has its new content, `keep_yard`
    what it displaces: `state` for the state folder, or the workspace folder whose `.memdeck` is on the file's mount."""

    name: str
    stage_yard: str | None
    keep_yard: str
    inode: Inode | None = None  # the inode at the effect's path before
    staged: Inode | None = None  # the staged file, once it is
    crossing: bool = False  # a move between two mounts: a copy takes the new place and the old file is held

    @property
    def back(self) -> str:
        """The held name of the operation's own file after a rollback."""
        return self.name + "-back"


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """The operation under way. `remove` are folders that an undo removes if empty."""

    phase: Phase
    operation: Operation
    slots: tuple[Slot, ...]
    remove: tuple[str, ...] = ()
    whole: bool = True  # false where only some of the plan's changes were chosen
    cause: str = ""  # the reason why it is being rolled back
    foreign: bool = False  # true if that was another program's write

    def at(self, phase: Phase, operation: Operation | None = None) -> "Journal":
        return msgspec.structs.replace(self, phase=phase, operation=operation or self.operation)

    def save(self, state: StateFolder) -> None:
        write_private(state.journal, canonical_json(self))


def load_journal(state: StateFolder) -> Journal | None:
    """Reads the journal of the unfinished operation; None if there is none."""
    return read_record(state.journal, Journal, "the journal cannot be read")


def clear_journal(state: StateFolder) -> None:
    """Removes the journal of an operation that is recorded."""
    remove_private(state.journal)


class OwedFile(msgspec.Struct, frozen=True):
    """A path as the operation left it: its sha256, None for no file; and its sha256 before."""

    path: str
    sha256: str | None
    before: str | None = None
    executable: bool = False


class OwedCommit(msgspec.Struct, frozen=True, kw_only=True):
    """An operation not yet in git. `at`: its end; `since`: the commit's first failure; `why`: the last reason."""

    operation: str
    plan: str
    subject: str
    audit: ChainHead
    at: datetime
    files: tuple[OwedFile, ...]
    since: datetime
    why: str
    base: str | None = None
    """HEAD's commit at that time; empty on a branch without commits, None if unknown."""
    commit: str | None = None  # the commit, where only the index is behind it


class OwedCommits:
    """The owed commits, each in a file of its own. Only the holder of the lock writes."""

    def __init__(self, state: StateFolder) -> None:
        self.folder = state.path / "owed"

    def save(self, owed: OwedCommit) -> None:
        make_private(self.folder)
        write_private(self.folder / f"{owed.operation}.json", canonical_json(owed))

    def forget(self, operation: str) -> None:
        """Removes the record of a commit that is made or no longer needed."""
        file = self.folder / f"{operation}.json"
        if file.exists():
            remove_private(file)

    def entries(self) -> tuple[OwedCommit, ...]:
        """Gives the owed commits in the order of operations; `Damaged` where a record cannot be read."""
        what = "the record of an owed commit cannot be read"
        hint = "move it away; git status shows what is not committed"
        files = sorted(self.folder.glob("[!.]*.json"))
        owed = filter(None, (read_record(file, OwedCommit, what, hint) for file in files))
        return tuple(sorted(owed, key=lambda owed_commit: (owed_commit.at, owed_commit.operation)))
