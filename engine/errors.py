"""The one error family: each says what went wrong, where, and what to do about it."""

import errno
from collections.abc import Mapping
from typing import ClassVar, Final

_MAY_NOT = "make it writable for you, and try again"
_NO_ROOM = "free some space, and try again"
_REMEDIES: Final[Mapping[int | None, str]] = {
    errno.EACCES: _MAY_NOT,
    errno.EPERM: _MAY_NOT,
    errno.EROFS: _MAY_NOT,
    errno.ENOSPC: _NO_ROOM,
    errno.EDQUOT: _NO_ROOM,
    errno.EMFILE: "close other programs, and try again",
    errno.EIO: "look after the disk, then run memdeck check",
}


class MemdeckError(Exception):
    """An error the operator can act on. `message` says what happened, `where` names the file, plan or key, `hint` says
    what to do. `exit_code` is the one that `CLI.md` promises for this kind of failure."""

    title: ClassVar[str] = "Error"
    exit_code: ClassVar[int] = 1

    def __init_subclass__(cls, *, title: str = "", exit_code: int = 0) -> None:
        cls.title, cls.exit_code = title or cls.title, exit_code or cls.exit_code

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(self.line())

    def line(self) -> str:
        """The whole error as one line: where, what, what to do."""
        parts = [f"{self.where}: {self.message}" if self.where else self.message]
        if self.hint:
            parts.append(self.hint)
        return " · ".join(" ".join(part.split()) for part in parts)


class UsageError(MemdeckError, title="Wrong usage", exit_code=2):
    """The command or its arguments are wrong."""


class PolicyError(UsageError, title="Policy"):
    """The operator's policy does not parse or does not fit its schema."""


class Refused(MemdeckError, title="Refused", exit_code=3):
    """No approval, no terminal, or the policy says no."""


class Stale(MemdeckError, title="Stale", exit_code=4):
    """An input of a plan changed after the plan was made; nothing was written."""


class Conflict(MemdeckError, title="Conflict", exit_code=4):
    """A foreign write was seen while applying."""


class Damaged(MemdeckError, title="Damaged", exit_code=5):
    """The workspace, or memdeck's own records of it, are damaged, or there is no workspace here."""


class Unreachable(Damaged, title="No workspace"):
    """There is no workspace where one is looked for, or not any more, or it is another one."""


class Blocked(MemdeckError, title="Blocked", exit_code=6):
    """A quality gate or a limit forbids it."""


class Cancelled(MemdeckError, title="Cancelled", exit_code=3):
    """The operator cancelled long work before it wrote anything."""


def remedy(error: BaseException | None, otherwise: str) -> str:
    """Says what the operator can do about an error of the system; `otherwise` where nothing better is known."""
    return _REMEDIES.get(error.errno, otherwise) if isinstance(error, OSError) else otherwise
