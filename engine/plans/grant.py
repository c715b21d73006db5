"""Makes approvals; a test checks that only the console's dialog and the terminal's prompt import it (G11)."""

import getpass
import os
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Literal

from engine.errors import Refused
from engine.plans.operation import APPROVAL_WORD, LIFETIME, Approval, ConfirmationAnswer, Witness
from engine.plans.plan import RiskTier
from engine.text.safe_text import visible_line

_MAX_PROCESSES = 16  # processes above ours that the audit record names (decision G11)
_YES = frozenset({"y", "yes"})


def grant(
    *,
    target: str,
    numbers: Iterable[int],
    risk_tier: RiskTier,
    typed: str,
    answers: tuple[ConfirmationAnswer, ...],
    witness: Witness,
    now: datetime,
    nonce: str,
    shown: Literal["each", "groups"],
) -> Approval:
    """Gives an approval of the changes `numbers` of the plan or undo with digest `target`, for ten minutes of real
    time. `typed` must be `APPROVED` for tier C, a yes for A and B; `shown` tells how the diffs were shown (G22).
    `Refused` for another word, an answer without a reason, no change, or no terminal."""
    # Sorted: the approval names the same changes whichever way they were marked.
    chosen = tuple(sorted(set(numbers)))
    # The word comes first, so that a mistyped one says nothing of the rest.
    if not _is_yes(risk_tier, typed):
        raise Refused("not approved", where=target, hint="nothing was written")
    if not chosen or chosen[0] < 1:
        raise Refused("no change was chosen", where=target)
    for answer in answers:
        if not answer.reason.strip():
            raise Refused(f"the confirmation {answer.id} needs a reason", where=target)
    # Pipes, hooks and cron jobs have no terminal: none of them may approve (decision G11).
    if not witness.tty:
        raise Refused("only a person at a terminal can approve", where=target)
    if not target.startswith("sha256:") or not nonce or now.tzinfo is None:
        raise ValueError("an approval needs a digest, a nonce and a time with an offset")
    return Approval(
        target=target,
        numbers=chosen,
        risk_tier=risk_tier,
        answers=answers,
        witness=witness,
        granted_at=now,
        expires_at=now + LIFETIME,
        nonce=nonce,
        shown=shown,
    )


def _is_yes(risk_tier: RiskTier, typed: str) -> bool:
    # Exactly: no blank, no other case (decisions §Risk tiers).
    return typed == APPROVAL_WORD if risk_tier is RiskTier.C else typed.strip().casefold() in _YES


def witness(channel: Literal["console", "terminal"], tty: int | None = None) -> Witness:
    """Records the user, the terminal, by default that of standard input, and the parent processes (decision G11)."""
    return Witness(tty=_terminal(tty), processes=_ancestors(os.getppid()), user=_user(), channel=channel)


def _terminal(fd: int | None) -> str:
    try:
        return visible_line(os.ttyname(sys.stdin.fileno() if fd is None else fd))
    except (OSError, ValueError, AttributeError):
        return _controlling_terminal() if fd is None else ""


def _controlling_terminal() -> str:
    try:
        fd = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return ""
    os.close(fd)
    return "/dev/tty"


def _ancestors(pid: int) -> tuple[str, ...]:
    """Gives `name(pid)` of the parent processes, nearest first, at most 16; none without `/proc`."""
    ancestors: list[str] = []
    while pid > 0 and len(ancestors) < _MAX_PROCESSES:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            break
        # The name stands in parentheses and may itself hold some: the last one closes it.
        name, _, rest = stat.partition("(")[2].rpartition(")")
        ancestors.append(f"{visible_line(name)}({pid})")
        pid = int(rest.split()[1])
    return tuple(ancestors)


def _user() -> str:
    try:
        return visible_line(getpass.getuser())
    except (KeyError, OSError, ImportError):
        return str(os.getuid())
