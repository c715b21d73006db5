"""The schedule as a timer of the operator's own systemd: a missed run is made up for when the machine is back."""

from pathlib import Path

from engine.errors import Refused
from engine.schedule.scheduler_entry import SchedulerEntry, for_systemd, for_systemd_command, printable, run_scheduler
from engine.state.private_files import write_private

WEEKDAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")  # by cron's number

MARK = "# Written by memdeck; remove with `memdeck schedule --remove`."


def units(entry: SchedulerEntry) -> dict[str, str]:
    """The text of the timer and of the service it starts, by file name."""
    what = printable(entry.workspace).replace("%", "%%")
    program, *arguments = entry.words
    command = " ".join([for_systemd(program), *(for_systemd_command(word) for word in arguments)])
    environment = "".join(f"Environment={for_systemd(f'{name}={value}')}\n" for name, value in entry.environment)
    service = (
        f"{MARK}\n[Unit]\nDescription=memdeck: {entry.job.title} of {what}\n\n"
        f"[Service]\nType=oneshot\n{environment}ExecStart={command}\nStandardOutput=null\n"
    )
    timer = (
        f"{MARK}\n[Unit]\nDescription=memdeck: {entry.job.title} of {what}\n\n"
        f"[Timer]\nOnCalendar={on_calendar(entry)}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )
    return {f"{entry.name}.service": service, f"{entry.name}.timer": timer}


def on_calendar(entry: SchedulerEntry) -> str:
    """The job's cron line as a calendar event: `Sun *-*-* 03:00:00 UTC`, each month `*-*-01 04:45:00 Europe/Berlin`."""
    minute, hour, monthday, _, weekday = entry.job.cron.split()
    day = "" if weekday == "*" else f"{WEEKDAYS[int(weekday)]} "
    if hour == "*":
        return f"*-*-* *:{minute.replace('*', '0')}:00 {printable(entry.job.zone)}"
    month = "*-*-*" if monthday == "*" else f"*-*-{int(monthday):02}"
    return f"{day}{month} {int(hour):02}:{int(minute):02}:00 {printable(entry.job.zone)}"


def install(entry: SchedulerEntry, folder: Path) -> None:
    """Writes the units into `folder` (`~/.config/systemd/user`), each old or new whatever happens; starts the timer."""
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
