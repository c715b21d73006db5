"""Runs `demo`: makes a workspace with due work and a waiting plan, and opens the console on it."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.plans.plan import Plan
from tui.cli.output import Answer, Styled, Text, fields
from tui.cli.plan_text import tier_piece
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console, shown, simulated_now
from tui.present.words import noun

if TYPE_CHECKING:
    from engine.demo.workspace import DemoWorkspace


@command("demo")
def demo_command(settings: Settings, folder: str | None, no_open: bool, fresh: bool) -> Answer | int:
    if folder is not None and settings.workspace is not None:
        raise UsageError("give the folder once, with --dir", where="demo")
    place = Path(folder if folder is not None else settings.workspace or default_folder()).expanduser().absolute()
    made = make(place, simulated_now(settings) or datetime.now(UTC), fresh=fresh)
    settings.workspace = str(place)
    plan = first_dry_run(settings) if made is not None else None
    facts: dict[str, Any] = {"workspace": str(place), "made": made is not None, "plan": plan.id if plan else None}
    answer = Answer(
        facts | (fields(made, "files operations git") if made is not None else {}), _rows(place, made, plan)
    )
    if no_open or settings.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return answer
    from tui.cli.open import run_console_on

    shown(settings, answer)
    return run_console_on(settings, str(place))


def default_folder() -> Path:
    """Returns a folder below the operator's data folder, where nobody keeps notes or repositories."""
    from platformdirs import user_data_path

    return user_data_path("memdeck", appauthor=False) / "demo" / "silas"


def make(place: Path, now: datetime, *, fresh: bool) -> "DemoWorkspace | None":
    """Makes the demonstration, None if one exists and stays; an unfinished one is renamed like an old one."""
    from engine.demo.folder import leave, made_before, mark, prepare
    from engine.demo.workspace import make_demo

    if (before := made_before(place, os.environ)) is not None:
        if before.whole and not fresh:
            return None
        leave(place, os.environ, datetime.now(UTC))
    prepare(place, os.environ)
    mark(place, os.environ, now, whole=False)
    made = make_demo(place, now=now, env=os.environ)
    mark(place, os.environ, now)
    return made


def first_dry_run(settings: Settings) -> Plan | None:
    """Makes the plan that waits for the newcomer."""
    from engine.plans.planning import PlanRequest

    with open_console(settings) as console, progress(settings) as tick:
        return console.plans.make("compact", PlanRequest(tick=tick)).plan


def _rows(place: Path, made: "DemoWorkspace | None", plan: Plan | None) -> Text:
    if made is None:
        yield Styled(str(place), bold=True), " is here already · --fresh makes it again"
    else:
        yield "made ", Styled(made.folder, bold=True)
        records = f"{noun(made.operations, 'operation')} behind it, {'in git' if made.git else 'without git'}"
        yield f"  five months of an agent called Silas: {noun(made.files, 'file')}, {records}"
    if plan is not None:
        changes = noun(len(plan.changes), "change")
        yield "  waiting ", Styled(plan.id, bold=True), f" · {changes} · ", tier_piece(plan.risk_tier)
    yield "next"
    name = plan.id if plan is not None else "PLAN"
    yield f"  memdeck {place}"
    for what in ("status", "queue", f"show {name} --diff", f"apply {name}", "undo"):
        yield f"  memdeck -w {place} {what}"
