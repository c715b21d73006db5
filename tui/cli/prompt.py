"""Asks for approvals on the terminal, the only place of the commands that grants one. Answers come from `/dev/tty`,
opened here, so that no pipe, file or flag can give them (decision G11)."""

import os
import secrets
import termios
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from select import select
from types import TracebackType
from typing import NamedTuple, Self

from engine.errors import Refused
from engine.plans.grant import grant, witness
from engine.plans.operation import APPROVAL_WORD, Approval, ConfirmationAnswer, Witness
from engine.plans.plan import Confirmation, RiskTier
from engine.text.safe_text import visible_line
from tui.cli.output import Printer, may_color

TERMINAL = "/dev/tty"
PASTE_ON, PASTE_OFF = b"\x1b[?2004h", b"\x1b[?2004l"
# A paste could be text of the workspace, put into the clipboard by whoever wrote it (decision G11).
PASTE_MARKS = (b"\x1b[200~", b"\x1b[201~")  # marks that a terminal puts around pasted text while bracketed paste is on

PASTE_PAUSE = 0.5  # seconds without a byte after which a paste without its end mark counts as over

CHUNK = 4096  # bytes of the terminal that are read at once: a whole line of its own editor
NOTHING_WRITTEN = "nothing was written, and the plan stays as it was"


class Terminal:
    """The operator's terminal: prints text, reads typed lines, and drops pastes. Input typed early counts only if the
    terminal marks pastes, since otherwise it may be one."""

    def __init__(self, descriptor: int, *, no_color: bool) -> None:
        self.descriptor = descriptor
        self.marks_pastes = os.environ.get("TERM", "dumb") != "dumb"
        """True if the terminal can mark pasted text; a dumb one would print the request."""
        self._typed = b""
        self._stream = os.fdopen(os.dup(descriptor), "w", encoding="utf-8", errors="backslashreplace")
        self.printer = Printer(self._stream, color=may_color(self._stream, no_color))

    @classmethod
    def open(cls, what: str, *, no_color: bool) -> Self:
        """Opens the controlling terminal. Raises `Refused` without one; `what` names the command that asks."""
        try:
            # Not the standard input, which a pipe may be; and never as our controlling terminal.
            return cls(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC), no_color=no_color)
        except OSError as error:
            raise Refused(
                f"{what} asks on a terminal, and there is none", hint="run it in a terminal, or approve in the console"
            ) from error

    def __enter__(self) -> Self:
        if self.marks_pastes:
            os.write(self.descriptor, PASTE_ON)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # the terminal may be gone, and that must not hide the error that says so
            if self.marks_pastes:
                os.write(self.descriptor, PASTE_OFF)
            self._stream.close()
        os.close(self.descriptor)

    def ask(self, question: str) -> str:
        """Prints `question` and returns a typed line. Raises `Refused` for a paste or at the end of input."""
        if not self.marks_pastes:
            self._typed = b""
            with suppress(termios.error):  # no terminal, as in a test: then nothing waits in its driver
                # What is typed ahead cannot be told from a paste here.
                termios.tcflush(self.descriptor, termios.TCIFLUSH)
        self._stream.write(question)
        self._stream.flush()
        answer = self._line()
        if any(mark in answer for mark in PASTE_MARKS):
            self._drop_paste(answer)
            raise Refused("a pasted answer is no approval: type it", hint=NOTHING_WRITTEN)
        return answer.decode("utf-8", "replace")

    def _drop_paste(self, answer: bytes) -> None:
        """Drops the rest of a refused paste up to its end mark; the shell would run its lines as commands."""
        with suppress(OSError, termios.error), self._unbuffered():
            seen = answer + b"\n" + self._typed
            self._typed = b""
            while PASTE_MARKS[1] not in seen and select([self.descriptor], [], [], PASTE_PAUSE)[0]:
                if not (more := os.read(self.descriptor, CHUNK)):
                    return
                # The end mark may lie across two reads.
                seen = seen[-len(PASTE_MARKS[1]) :] + more

    @contextmanager
    def _unbuffered(self) -> Iterator[None]:
        """Reads characters without waiting for a line or echoing; at the end drops unread input."""
        before = termios.tcgetattr(self.descriptor)
        changed = [*before[:3], before[3] & ~(termios.ICANON | termios.ECHO), *before[4:]]
        termios.tcsetattr(self.descriptor, termios.TCSANOW, changed)
        try:
            yield
        finally:
            termios.tcsetattr(self.descriptor, termios.TCSAFLUSH, before)

    def _line(self) -> bytes:
        while (end := _line_end(self._typed)) < 0:
            try:
                more = os.read(self.descriptor, CHUNK)
            except OSError as error:
                raise Refused("the terminal is gone", hint=NOTHING_WRITTEN) from error
            if not more:
                raise Refused("no answer", hint=NOTHING_WRITTEN)
            self._typed += more
        line, self._typed = self._typed[:end], self._typed[end + 1 :]
        return line


class ApprovalTarget(NamedTuple):
    """A plan, a reversal or a push to approve, with the confirmations asked before."""

    digest: str
    numbers: tuple[int, ...]
    risk_tier: RiskTier
    confirmations: Sequence[Confirmation] = ()


def ask_approval(terminal: Terminal, target: ApprovalTarget, clock: Callable[[], datetime]) -> Approval:
    """Asks what CLI.md says, in its order, after the diff. Raises `Refused` for any other answer."""
    # Confirmations first: they add to a tier and never replace its yes (decisions §Risk tiers).
    answers = tuple(_confirm(terminal, confirmation) for confirmation in target.confirmations)
    typed = _approve(terminal, len(target.numbers), target.risk_tier)
    return _granted(target, typed, answers, witness("terminal", terminal.descriptor), clock())


def ask_batch(
    terminal: Terminal, targets: Sequence[ApprovalTarget], clock: Callable[[], datetime]
) -> tuple[Approval, ...]:
    """Asks each confirmation once, then for the number of plans; approves each. Raises `Refused` for tier C."""
    if any(target.risk_tier is RiskTier.C for target in targets):
        raise Refused("a plan of risk tier C is approved alone", hint=NOTHING_WRITTEN)
    asked = {(each.id, each.question): each for target in targets for each in target.confirmations}
    answers = {key: _confirm(terminal, each) for key, each in asked.items()}
    typed = terminal.ask(f"Type {len(targets)} to apply {len(targets)} plans: ")
    # A number, not `y`: it says that the operator knows how many there are.
    if typed != str(len(targets)):
        raise Refused(f"not approved: {len(targets)} was not typed", hint=NOTHING_WRITTEN)
    seen = witness("terminal", terminal.descriptor)
    return tuple(
        # How many there are, typed by hand, is the yes to each of them.
        _granted(target, "yes", tuple(answers[each.id, each.question] for each in target.confirmations), seen, clock())
        for target in targets
    )


def _granted(
    target: ApprovalTarget, typed: str, answers: tuple[ConfirmationAnswer, ...], seen: Witness, now: datetime
) -> Approval:
    return grant(
        target=target.digest,
        numbers=target.numbers,
        risk_tier=target.risk_tier,
        typed=typed,
        answers=answers,
        witness=seen,
        now=now,
        nonce=secrets.token_hex(16),
        shown="each",
    )


def _confirm(terminal: Terminal, confirmation: Confirmation) -> ConfirmationAnswer:
    question = visible_line(confirmation.question)
    if not _is_yes(terminal.ask(f"{question} [y/N] ")):
        raise Refused(f"not confirmed: {confirmation.id}", hint=NOTHING_WRITTEN)
    if not (reason := terminal.ask("Reason: ").strip()):
        raise Refused(f"a confirmation needs a reason: {confirmation.id}", hint=NOTHING_WRITTEN)
    return ConfirmationAnswer(id=confirmation.id, reason=reason)


def _approve(terminal: Terminal, count: int, risk_tier: RiskTier) -> str:
    if risk_tier is RiskTier.C:
        if not terminal.marks_pastes:
            what = f"TERM=dumb tells no paste from typing, and risk tier C wants {APPROVAL_WORD} typed"
            raise Refused(what, hint=f"set TERM to your terminal's name, or approve in the console; {NOTHING_WRITTEN}")
        typed = terminal.ask(f"Type {APPROVAL_WORD} to apply: ")
        if typed != APPROVAL_WORD:
            raise Refused(f"not approved: {APPROVAL_WORD} was not typed", hint=NOTHING_WRITTEN)
        return typed
    typed = terminal.ask(f"Apply {count} changes? [y/N] ")
    if not _is_yes(typed):
        raise Refused("not approved", hint=NOTHING_WRITTEN)
    return typed


def _is_yes(answer: str) -> bool:
    return answer.strip().lower() in ("y", "yes")


def _line_end(typed: bytes) -> int:
    return min([at for at in (typed.find(b"\n"), typed.find(b"\r")) if at >= 0], default=-1)
