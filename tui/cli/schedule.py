"""Runs `schedule`: installs or removes dry runs for crontab and systemd, or runs one."""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import Damaged, UsageError
from engine.plans.memory_status import DueJob
from engine.schedule import scheduler_entry
from engine.schedule.due_times import COMMITS, INSTALLED, Job, due_job, jobs
from tui.cli.output import Answer, Piece, Styled, Text, fields
from tui.cli.plan_json import outcome_json
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, opened, simulated_now, workspace_path
from tui.present.words import moment_of_week, safe
from tui.system.own_program import carried_environment, memdeck_program

if TYPE_CHECKING:
    from engine.schedule.job_runs import JobOutcome
    from engine.schedule.scheduler_entry import SchedulerEntry
    from engine.services.engine import Engine


@command("schedule")
def schedule_command(settings: Settings, install: bool, remove: bool, systemd: bool, job_id: str | None) -> Answer:
    if install + remove + (job_id is not None) > 1:
        raise UsageError("--install, --remove and --run exclude each other", where="schedule")
    if job_id is not None:
        return _run(settings, job_id)
    entries = _entries(settings)
    kinds = ("systemd",) if systemd else ("crontab",) if install or remove else ("crontab", "systemd")
    shown = {name: text for kind in kinds for name, text in _texts(entries, kind).items()}
    done = _act(entries, install=install, systemd=systemd) if install or remove else None
    if done is not None:
        expected = opened(settings).heartbeat
        (expected.beat if install else expected.ended)(INSTALLED)
    return _jobs_answer(settings, [entry.job for entry in entries], shown, done)


def _jobs_answer(settings: Settings, jobs: Sequence[Job], files: Mapping[str, str], done: str | None) -> Answer:
    now = simulated_now(settings) or datetime.now(UTC)
    due = [due_job(job, None, now) for job in jobs]
    facts = [
        {**fields(job, "id title cron zone"), "runs": at.runs, "next_at": at.next_at.isoformat()}
        for job, at in zip(jobs, due, strict=True)
    ]
    return Answer({"jobs": facts, "files": files, "done": done}, _job_rows(due, files, done))


def _job_rows(due: Sequence[DueJob], files: Mapping[str, str], done: str | None) -> Text:
    for name, text in files.items():
        yield Styled(f"── {name}", bold=True)
        yield from text.rstrip("\n").split("\n")
    for at in due:
        yield Styled(at.title, bold=True), f"  {', then '.join(at.runs)}"
        yield f"  next: {moment_of_week(at.next_at)}"
    yield "dry runs: they queue plans and never apply one"
    yield done or "nothing installed · --install puts them into the crontab, --install --systemd starts timers"


def _run(settings: Settings, job_id: str) -> Answer:
    """Makes a job's dry runs; the exit code is that of the first that failed."""
    console = opened(settings)
    with progress(settings) as tick:
        run = console.schedule.run(job_id, tick=tick)
    rows: list[Piece] = [Styled(run.job.title, bold=True), *(f"  {safe(step.told)}" for step in run.steps)]
    code = run.error.exit_code if run.error is not None else 0
    return Answer(lambda: {"job": run.job.id, "steps": [_step_json(console, step) for step in run.steps]}, rows, code)


def _step_json(console: "Engine", step: "JobOutcome") -> dict[str, Any]:
    return {
        "system": step.system,
        "outcome": outcome_json(console, step.system, step.outcome) if step.outcome is not None else None,
        "done": step.done or None,
        "skipped": step.skipped or None,
        "error": step.error.line() if step.error is not None else None,
    }


def clock_is_utc() -> bool:
    """Tells whether the machine's clock, which cron uses, is UTC all year."""
    return time.timezone == 0 and not time.daylight


def _entries(settings: Settings) -> list["SchedulerEntry"]:
    from engine.plans.policy.file import load_policy
    from engine.schedule.scheduler_entry import SchedulerEntry
    from engine.services.open_workspace import POLICY_NAME
    from engine.state.folder import config_home

    folder = workspace_path(settings)
    if not folder.is_dir():
        raise Damaged("no such folder", where=str(folder), hint="give -w DIR")
    given = Path(settings.policy).expanduser().absolute() if settings.policy is not None else None
    policy, _ = load_policy(given, default_path=config_home(os.environ) / POLICY_NAME, workspace=folder.resolve())
    return [
        SchedulerEntry(
            job=job,
            workspace=str(folder.resolve()),
            program=memdeck_program(sys.argv[0], folder),
            policy=str(given) if given is not None else None,
            environment=carried_environment(os.environ),
        )
        for job in (*jobs(policy.zone), *((COMMITS,) if policy.git.commit_others or policy.git.push else ()))
    ]


def _texts(entries: Sequence["SchedulerEntry"], kind: str) -> dict[str, str]:
    if kind == "systemd":
        from engine.schedule.scheduler_entry import units

        return {str(_unit_folder() / name): text for entry in entries for name, text in units(entry).items()}
    from engine.schedule.scheduler_entry import block

    return {"crontab": "".join(block(entry, cron_is_utc=clock_is_utc()) for entry in entries)}


def _act(entries: Sequence["SchedulerEntry"], *, install: bool, systemd: bool) -> str:
    if systemd:
        return _act_on_systemd(entries, install=install)
    from engine.schedule.scheduler_entry import read_crontab, with_block, without_block, write_crontab

    workspace = Path(entries[0].workspace)
    before = after = read_crontab(workspace)
    for entry in entries:
        after = with_block(after, entry, cron_is_utc=clock_is_utc()) if install else without_block(after, entry)
    if after == before:
        return "already installed" if install else "was not installed"
    write_crontab(workspace, after)
    return "installed in the crontab" if install else "removed from the crontab"


def _act_on_systemd(entries: Sequence["SchedulerEntry"], *, install: bool) -> str:
    if install:
        for entry in entries:
            scheduler_entry.install(entry, _unit_folder())
        return "timers installed and started"
    removed = [scheduler_entry.remove(entry, _unit_folder()) for entry in entries]
    return "timers removed" if any(removed) else "was not installed"


def _unit_folder() -> Path:
    config = os.environ.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "systemd" / "user"
