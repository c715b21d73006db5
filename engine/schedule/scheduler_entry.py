"""The entries of jobs in the operator's cron or systemd, quoted so that every word is safe there."""

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError, Refused, UsageError
from engine.schedule.due_times import Job
from engine.state.private_files import write_private
from engine.text.canonical_json import sha256_hex
from engine.workspace.system_calls import find_program

if TYPE_CHECKING:
    Done = subprocess.CompletedProcess[str]

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class SchedulerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A job's entry. `program` is memdeck's command as words, `environment` the variables it needs (XDG folders)."""

    job: Job
    workspace: str
    program: tuple[str, ...]
    policy: str | None = None
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """A name of letters, digits and dashes that no other workspace has."""
        stem = "".join(c if c.isascii() and c.isalnum() else "-" for c in PurePosixPath(self.workspace).name)[:24]
        key = sha256_hex(self.workspace.encode("utf-8", "surrogateescape"))[:8]
        return f"memdeck-{self.job.id}-{stem or 'root'}-{key}"

    @property
    def words(self) -> tuple[str, ...]:
        """The command that makes the job's dry runs, which never apply a plan."""
        policy = ("--policy", self.policy) if self.policy is not None else ()
        return (*self.program, "-w", self.workspace, *policy, "schedule", "--run", self.job.id, "--json")


def run_scheduler(
    program: str, arguments: Sequence[str], workspace: Path, hint: str, text: str | None = None
) -> "Done":
    """Runs cron's or systemd's own program outside the workspace, with `text` as its input."""
    words = [find_program(program, workspace, os.environ) or f"/usr/bin/{program}", *arguments]
    try:
        return subprocess.run(
            words, input=text, capture_output=True, cwd="/", encoding="utf-8", errors="surrogateescape"
        )
    except OSError as error:
        raise MemdeckError(f"cannot run it: {error.strerror}", where=program, hint=hint) from error


def printable(word: str) -> str:
    """Gives `word`; `UsageError` where it has a control character or bytes that are not UTF-8."""
    if _UNPRINTABLE.search(word):
        raise UsageError("a control character cannot be scheduled", where=ascii(word), hint="rename the folder")
    return word


def for_crontab(word: str) -> str:
    """Quotes a word of a crontab command for the shell, and `%`, which cron would turn into a newline."""
    return shlex.quote(printable(word)).replace("%", r"\%")


def for_systemd(word: str) -> str:
    """Quotes a word of `ExecStart=` or `Environment=`, so that `%` is no specifier."""
    escaped = printable(word).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def for_systemd_command(word: str) -> str:
    """Quotes a word as `for_systemd` does, and `$`, which a command line would expand."""
    return for_systemd(word).replace("$", "$$")


QUARTERS = "0,15,30,45 * * * *"
"""The minutes at which a job in another zone is tried: every UTC offset in use is a multiple of 15 minutes."""
_HINT = "install cron, or use --systemd"


def block(entry: SchedulerEntry, *, cron_is_utc: bool) -> str:
    """Gives the marked lines of a crontab. Where cron's zone is not the job's, the line itself asks `date`, because
    not every cron knows `CRON_TZ`, which would also change all following lines."""
    environment = ["env", *(f"{name}={value}" for name, value in entry.environment)] if entry.environment else []
    command = " ".join(map(for_crontab, (*environment, *entry.words)))
    plain = (cron_is_utc and _is_utc(entry)) or entry.job.cron.split()[1] == "*"  # every hour is one of any clock
    line = f"{entry.job.cron} {command}" if plain else f"{QUARTERS} {_guard(entry)} && {command}"
    title = f"# {entry.job.title}, {entry.job.cron} {entry.job.zone}"
    return f"{_begin(entry)}\n{title}\n{line} >/dev/null\n{_end(entry)}\n"


def with_block(crontab: str, entry: SchedulerEntry, *, cron_is_utc: bool) -> str:
    """Gives `crontab` with this entry's block at its end, in place of an earlier one."""
    kept = without_block(crontab, entry)
    return kept + ("\n" if kept and not kept.endswith("\n") else "") + block(entry, cron_is_utc=cron_is_utc)


def without_block(crontab: str, entry: SchedulerEntry) -> str:
    """Gives `crontab` without this entry's block; `Refused` where its marks do not match, since lines could be lost."""
    lines = crontab.splitlines(keepends=True)
    marks = [line.rstrip("\r\n") for line in lines]
    begins, ends = marks.count(_begin(entry)), marks.count(_end(entry))
    if (begins, ends) == (0, 0):
        return crontab
    if (begins, ends) != (1, 1) or marks.index(_begin(entry)) > marks.index(_end(entry)):
        raise Refused("the marks of its block do not match", where="crontab", hint="fix them with `crontab -e`")
    return "".join(lines[: marks.index(_begin(entry))] + lines[marks.index(_end(entry)) + 1 :])


def read_crontab(workspace: Path) -> str:
    """Reads the operator's crontab, empty if there is none; `Refused` where it cannot be read, so that none is lost."""
    done = run_scheduler("crontab", ["-l"], workspace, _HINT, "")
    if done.returncode == 0:
        return done.stdout
    if "no crontab" in done.stderr.lower():
        return ""
    raise Refused(done.stderr.strip() or "cannot be read", where="crontab -l", hint="try `memdeck schedule --systemd`")


def write_crontab(workspace: Path, text: str) -> None:
    done = run_scheduler("crontab", ["-"], workspace, _HINT, text)
    if done.returncode != 0:
        raise Refused(done.stderr.strip() or "was not taken", where="crontab -", hint="nothing was installed")


def _guard(entry: SchedulerEntry) -> str:
    """Gives a shell test that is true only at the job's time in the job's own zone."""
    minute, hour, monthday, _, weekday = entry.job.cron.split()
    date = "date -u" if _is_utc(entry) else f"TZ={for_crontab(entry.job.zone)} date"
    shown, day = r"\%H:\%M", ""
    if weekday != "*":
        shown, day = rf"\%w-{shown}", f"{weekday}-"
    if monthday != "*":
        shown, day = rf"\%d-{shown}", f"{int(monthday):02}-{day}"
    return f'[ "$({date} +{shown})" = "{day}{int(hour):02}:{int(minute):02}" ]'


def _is_utc(entry: SchedulerEntry) -> bool:
    return entry.job.zone in ("UTC", "Etc/UTC")


def _begin(entry: SchedulerEntry) -> str:
    return f"# >>> {entry.name}: written by memdeck, remove with `memdeck schedule --remove`"


def _end(entry: SchedulerEntry) -> str:
    return f"# <<< {entry.name}"


WEEKDAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")  # by cron's number

MARK = "# Written by memdeck; remove with `memdeck schedule --remove`."


def units(entry: SchedulerEntry) -> dict[str, str]:
    """Gives the text of the timer and its service, by file name."""
    what = printable(entry.workspace).replace("%", "%%")
    program, *arguments = entry.words
    command = " ".join([for_systemd(program), *(for_systemd_command(word) for word in arguments)])
    environment = "".join(f"Environment={for_systemd(f'{name}={value}')}\n" for name, value in entry.environment)
    head = f"{MARK}\n[Unit]\nDescription=memdeck: {entry.job.title} of {what}\n\n"
    service = f"[Service]\nType=oneshot\n{environment}ExecStart={command}\nStandardOutput=null\n"
    timer = f"[Timer]\nOnCalendar={on_calendar(entry)}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    return {f"{entry.name}.service": head + service, f"{entry.name}.timer": head + timer}


def on_calendar(entry: SchedulerEntry) -> str:
    """Gives the cron line as a calendar event: `Sun *-*-* 03:00:00 UTC`, each month `*-*-01 04:45:00 Europe/Berlin`."""
    minute, hour, monthday, _, weekday = entry.job.cron.split()
    day = "" if weekday == "*" else f"{WEEKDAYS[int(weekday)]} "
    if hour == "*":
        return f"*-*-* *:{minute.replace('*', '0')}:00 {printable(entry.job.zone)}"
    month = "*-*-*" if monthday == "*" else f"*-*-{int(monthday):02}"
    return f"{day}{month} {int(hour):02}:{int(minute):02}:00 {printable(entry.job.zone)}"


def install(entry: SchedulerEntry, folder: Path) -> None:
    """Writes the units to `folder` (`~/.config/systemd/user`), each file as a whole, and starts the timer."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in units(entry).items():
        write_private(folder / name, text.encode())
    _systemctl(entry, "daemon-reload")
    _systemctl(entry, "enable", "--now", f"{entry.name}.timer")


def remove(entry: SchedulerEntry, folder: Path) -> bool:
    """Stops the timer and removes its units; False where there were none."""
    present = [folder / name for name in units(entry) if (folder / name).is_file()]
    if not present:
        return False
    _systemctl(entry, "disable", "--now", f"{entry.name}.timer")
    for unit in present:
        unit.unlink()
    _systemctl(entry, "daemon-reload")
    return True


def _systemctl(entry: SchedulerEntry, *arguments: str) -> None:
    done = run_scheduler("systemctl", ["--user", *arguments], Path(entry.workspace), "use a crontab")
    if done.returncode != 0:
        what = f"systemctl --user {' '.join(arguments)}"
        raise Refused(done.stderr.strip() or "failed", where=what, hint="try `memdeck schedule --install` (crontab)")
