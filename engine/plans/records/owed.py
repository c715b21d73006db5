"""Commits that are owed: git could not be written when an operation ended, and the commit is made later (D22)."""

from datetime import datetime

import msgspec

from engine.plans.operation import ChainHead
from engine.state.folder import StateFolder
from engine.state.private_files import make_private, read_record, remove_private, write_private
from engine.text.canonical_json import canonical_json


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
        what, hint = (
            "the record of an owed commit cannot be read",
            "move it away; git status shows what is not committed",
        )
        files = sorted(self.folder.glob("[!.]*.json"))
        owed = filter(None, (read_record(file, OwedCommit, what, hint) for file in files))
        return tuple(sorted(owed, key=lambda one: (one.at, one.operation)))
