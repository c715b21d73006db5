"""The schedule as a block of the operator's crontab, between two marks; every other line stays as it is."""

from pathlib import Path

from engine.errors import Refused
from engine.schedule.scheduler_entry import SchedulerEntry, for_crontab, run_scheduler

QUARTERS = "0,15,30,45 * * * *"
"""Every offset from UTC in use is a multiple of 15 minutes, so one of these is the job's minute."""
_HINT = "install cron, or use --systemd"


def block(entry: SchedulerEntry, *, cron_is_utc: bool) -> str:
    """The marked lines. Where cron's clock is not the job's, the line asks the date itself: no time change fools it.
    `CRON_TZ` would be shorter, but only some crons know it, and it would bend every line that follows."""
    environment = ["env", *(f"{name}={value}" for name, value in entry.environment)] if entry.environment else []
    command = " ".join(map(for_crontab, (*environment, *entry.words)))
    plain = (cron_is_utc and _is_utc(entry)) or entry.job.cron.split()[1] == "*"  # every hour is one of any clock
    line = f"{entry.job.cron} {command}" if plain else f"{QUARTERS} {_guard(entry)} && {command}"
    title = f"# {entry.job.title}, {entry.job.cron} {entry.job.zone}"
    return f"{_begin(entry)}\n{title}\n{line} >/dev/null\n{_end(entry)}\n"


def with_block(crontab: str, entry: SchedulerEntry, *, cron_is_utc: bool) -> str:
    """`crontab` with this entry's block at its end, replacing an earlier one."""
    kept = without_block(crontab, entry)
    return kept + ("\n" if kept and not kept.endswith("\n") else "") + block(entry, cron_is_utc=cron_is_utc)


def without_block(crontab: str, entry: SchedulerEntry) -> str:
    """`crontab` without this entry's block; `Refused` where its marks do not match, since lines could be lost."""
    lines = crontab.splitlines(keepends=True)
    marks = [line.rstrip("\r\n") for line in lines]
    begins, ends = marks.count(_begin(entry)), marks.count(_end(entry))
    if (begins, ends) == (0, 0):
        return crontab
    if (begins, ends) != (1, 1) or marks.index(_begin(entry)) > marks.index(_end(entry)):
        raise Refused("the marks of its block do not match", where="crontab", hint="fix them with `crontab -e`")
    return "".join(lines[: marks.index(_begin(entry))] + lines[marks.index(_end(entry)) + 1 :])


def read_crontab(workspace: Path) -> str:
    """The operator's crontab, empty where there is none; `Refused` where it cannot be read, so that none is lost."""
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
    """A test that is true at the job's minute of the day, week or month alone, by the clock of the job's own zone."""
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
