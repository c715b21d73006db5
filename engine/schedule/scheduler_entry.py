"""An entry in the operator's scheduler: the dry runs of one job of one workspace, in words that are safe there."""

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.schedule.due_times import Job
from engine.text.canonical_json import sha256_hex
from engine.workspace.system_calls import find_program

if TYPE_CHECKING:
    Done = subprocess.CompletedProcess[str]

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class SchedulerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """`program` is the command memdeck as words, `environment` what it must find again (XDG folders)."""

    job: Job
    workspace: str
    program: tuple[str, ...]
    policy: str | None = None
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """A name of letters, digits and dashes, unlike that of any other workspace."""
        stem = "".join(c if c.isascii() and c.isalnum() else "-" for c in PurePosixPath(self.workspace).name)[:24]
        key = sha256_hex(self.workspace.encode("utf-8", "surrogateescape"))[:8]
        return f"memdeck-{self.job.id}-{stem or 'root'}-{key}"

    @property
    def words(self) -> tuple[str, ...]:
        """The dry runs that are started. They make plans and never apply one."""
        policy = ("--policy", self.policy) if self.policy is not None else ()
        return (*self.program, "-w", self.workspace, *policy, "schedule", "--run", self.job.id, "--json")


def run_scheduler(
    program: str, arguments: Sequence[str], workspace: Path, hint: str, text: str | None = None
) -> "Done":
    """Runs the operator's scheduler outside of the workspace, with a text on its standard input."""
    words = [find_program(program, workspace, os.environ) or f"/usr/bin/{program}", *arguments]
    try:
        return subprocess.run(
            words, input=text, capture_output=True, cwd="/", encoding="utf-8", errors="surrogateescape"
        )
    except OSError as error:
        raise MemdeckError(f"cannot run it: {error.strerror}", where=program, hint=hint) from error


def printable(word: str) -> str:
    """`word`, or `UsageError` where it holds a newline, another control character, or bytes that are not UTF-8."""
    if _UNPRINTABLE.search(word):
        raise UsageError("a control character cannot be scheduled", where=ascii(word), hint="rename the folder")
    return word


def for_crontab(word: str) -> str:
    """One word of a crontab command: quoted for the shell, with `%` kept from becoming a newline."""
    return shlex.quote(printable(word)).replace("%", r"\%")


def for_systemd(word: str) -> str:
    """One word of `ExecStart=` or `Environment=`: in double quotes, with specifiers kept literal."""
    escaped = printable(word).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def for_systemd_command(word: str) -> str:
    """`for_systemd`, with `$` kept from naming a variable: a command line expands those, a setting does not."""
    return for_systemd(word).replace("$", "$$")
