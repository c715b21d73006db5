"""Describes the entry in the operator's scheduler: the dry runs of one job of one workspace."""

from pathlib import PurePosixPath

import msgspec

from engine.schedule.due_times import Job
from engine.text.canonical_json import sha256_hex


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
