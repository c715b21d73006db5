"""`schedule`: prints the weekly dry run for crontab and systemd, and installs or removes it when asked."""

import os
import shutil
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.errors import Damaged, UsageError
from tui.cli.output import Styled, print_json, stdout
from tui.cli.plan_text import moment
from tui.cli.settings import Settings, command, simulated_now, workspace_path

if TYPE_CHECKING:
    from engine.schedule.entry import Entry
    from engine.schedule.jobs import Job

CARRIED = ("XDG_STATE_HOME", "XDG_CONFIG_HOME")
"""A scheduler starts with an empty environment: where these are set, the dry run must find the same folders."""


@command("schedule", short_help="The weekly dry run, for crontab or systemd.")
@click.option("--install", is_flag=True, help="Add it to the crontab, or start the timer with --systemd.")
@click.option("--remove", is_flag=True, help="Take it out again.")
@click.option("--systemd", is_flag=True, help="A systemd user timer instead of a crontab line.")
def schedule_command(settings: Settings, install: bool, remove: bool, systemd: bool) -> None:
    """Prints the weekly dry run, Sunday 03:00 UTC. It puts plans into the queue and never applies one."""
    if install and remove:
        raise UsageError("--install and --remove exclude each other", where="schedule")
    from engine.schedule.jobs import JOBS, next_at

    entry = _entry(settings, JOBS[0])
    kinds = ("systemd",) if systemd else ("crontab",) if install or remove else ("crontab", "systemd")
    shown = {name: text for kind in kinds for name, text in _texts(entry, kind).items()}
    done = _act(entry, install=install, systemd=systemd) if install or remove else None
    due = next_at(entry.job, simulated_now(settings) or _real_now())
    if settings.json:
        job = {"id": entry.job.id, "title": entry.job.title, "cron": entry.job.cron, "zone": entry.job.zone}
        print_json({"jobs": [job | {"next_at": due.isoformat()}], "files": shown, "done": done})
        return
    printer = stdout(settings.no_color)
    for name, text in shown.items():
        printer.line(Styled(f"── {name}", bold=True))
        printer.block(text.rstrip("\n"))
    printer.line(f"next: {due:%a} {moment(due)} · a dry run: it queues plans and never applies one")
    printer.line(done or "nothing installed · --install puts it into the crontab, --install --systemd starts a timer")


def memdeck_program(argv0: str) -> tuple[str, ...]:
    """How a scheduler starts this very memdeck: the console script's path, or this Python with its module."""
    script = shutil.which(argv0) if os.sep not in argv0 else argv0
    if script is not None and Path(script).name == "memdeck" and os.access(script, os.X_OK):
        return (str(Path(script).absolute()),)
    return (sys.executable, "-m", "tui.cli")


def carried_environment(env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, env[name]) for name in CARRIED if env.get(name))


def clock_is_utc() -> bool:
    """Whether the machine's own clock, which cron goes by, is UTC the whole year."""
    return time.timezone == 0 and not time.daylight


def _entry(settings: Settings, job: "Job") -> "Entry":
    from engine.schedule.entry import Entry

    folder = workspace_path(settings)
    if not folder.is_dir():
        raise Damaged("no such folder", where=str(folder), hint="give -w DIR")
    return Entry(
        job=job,
        workspace=str(folder.resolve()),
        program=memdeck_program(sys.argv[0]),
        policy=str(Path(settings.policy).expanduser().absolute()) if settings.policy is not None else None,
        environment=carried_environment(os.environ),
    )


def _texts(entry: "Entry", kind: str) -> dict[str, str]:
    if kind == "systemd":
        from engine.schedule.systemd import units

        return {str(_unit_folder() / name): text for name, text in units(entry).items()}
    from engine.schedule.crontab import block

    return {"crontab": block(entry, cron_is_utc=clock_is_utc())}


def _act(entry: "Entry", *, install: bool, systemd: bool) -> str:
    if systemd:
        return _act_on_systemd(entry, install=install)
    from engine.schedule.crontab import read_crontab, with_block, without_block, write_crontab

    before = read_crontab()
    after = with_block(before, entry, cron_is_utc=clock_is_utc()) if install else without_block(before, entry)
    if after == before:
        return "already installed" if install else "was not installed"
    write_crontab(after)
    return "installed in the crontab" if install else "removed from the crontab"


def _act_on_systemd(entry: "Entry", *, install: bool) -> str:
    from engine.schedule import systemd

    if install:
        systemd.install(entry, _unit_folder())
        return "timer installed and started"
    return "timer removed" if systemd.remove(entry, _unit_folder()) else "was not installed"


def _unit_folder() -> Path:
    config = os.environ.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "systemd" / "user"


def _real_now() -> datetime:
    return datetime.now(UTC)
