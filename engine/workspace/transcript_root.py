"""Opens a transcript folder outside the workspace, which only capture writes (decision D32). It replaces
`raw/conversations`; paths of transcripts stay the same. The agent's settings name it, and the operator's policy must
name the same folder, since the agent can write its settings."""

import os
import stat
from collections.abc import Collection
from pathlib import Path

from engine.errors import Refused
from engine.workspace.layout import CONVERSATIONS

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TranscriptRoot:
    """The folder, opened once; with a `problem` it is neither read nor written."""

    def __init__(self, path: str, fd: int = -1, problem: str = "") -> None:
        self.path, self._fd, self.problem = path, fd, problem

    @classmethod
    def open(cls, path: str, workspace: str, guarded: Collection[str] = ()) -> "TranscriptRoot":
        """Opens the folder that the settings name. It must not be or be in a `guarded` folder or the workspace, its
        path must have no links, and only the operator may write it."""
        if problem := _problem(path, workspace, guarded):
            return cls(path, problem=problem)
        try:
            fd = os.open(path, _FOLDER)
        except OSError as error:
            return cls(path, problem=(error.strerror or str(error)).lower())
        return cls(path, fd)

    def start(self) -> int:
        """Returns a descriptor of the folder, which the caller closes; raises `Refused` if it is unusable."""
        if self.problem:
            raise Refused(f"the transcripts are in {self.path}: {self.problem}", where=CONVERSATIONS)
        try:
            return os.open(".", _FOLDER, dir_fd=self._fd)
        except OSError as error:
            what = f"the transcripts are in {self.path}: {(error.strerror or str(error)).lower()}"
            raise Refused(what, where=CONVERSATIONS, hint="put the folder back where it was") from error

    def facts(self) -> os.stat_result | None:
        """Returns the stat of the folder; None if it is unusable."""
        return os.fstat(self._fd) if self._fd >= 0 else None

    def close(self) -> None:
        """Closes the descriptor."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            self.problem = self.problem or "it is closed"


def is_transcript_path(path: str) -> bool:
    """Tells whether a path is the transcripts' folder or in it."""
    return path == CONVERSATIONS or path.startswith(f"{CONVERSATIONS}/")


def _problem(path: str, workspace: str, guarded: Collection[str]) -> str:
    if not Path(path).is_absolute() or os.path.normpath(path) != path:
        return "it is no absolute path in its plain form"
    try:
        if os.path.realpath(path, strict=True) != path:
            return "a part of it is a link; links are not followed"
        facts = Path(path).lstat()
    except (OSError, ValueError) as error:
        return "there is no such folder" if isinstance(error, FileNotFoundError) else "it cannot be reached"
    if not stat.S_ISDIR(facts.st_mode):
        return "it is no folder"
    for other, what in ((workspace, "the workspace"), *((place, "memdeck's own folder") for place in guarded)):
        if os.path.commonpath((path, other)) in (path, other):
            return f"it overlaps with {what}"
    own = facts.st_uid in (os.geteuid(), 0) and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return "" if own else "others than you may write it"
