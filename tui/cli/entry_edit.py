"""Runs `edit`: rewords a semantic entry of a queued plan, or moves it to another shard."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from engine.compactor.semantic.entry import SchemaError
from engine.compactor.semantic.entry_edit import PlannedEntry
from engine.errors import UsageError
from engine.services.engine import Engine
from tui.cli.outcomes import queued_line
from tui.cli.output import Answer, Styled, Text
from tui.cli.plan_json import outcome_json
from tui.cli.settings import Settings, command, opened
from tui.cli.system_command import parse_routes

LARGEST = 64 * 1024  # bytes of an entry's file that are read; an entry has four short lines


@command("edit")
def edit_command(
    settings: Settings, plan_id: str, number: int | None, file: str | None, take: bool, given: Sequence[str]
) -> Answer:
    console = opened(settings)
    plan = console.plans.load(plan_id)
    if file is None and not given and not take:
        shown = [entry for entry in console.entries.of_plan(plan) if number in (None, entry.number)]
        if not shown and number is not None:
            raise UsageError(f"there is no entry {number}", hint="without a number, all are listed")
        return Answer(shown, _entry_rows(shown))
    if number is None and (file is not None or take):
        raise UsageError("which entry?", where=plan.id, hint=f"memdeck edit {plan.id} lists them")
    routes = _routes(number, given)
    try:
        edits = {number: _text(console, file)} if file is not None and number is not None else {}
        if take and file is None and number is not None:
            edits = {number: _offered_text(console.entries.of_plan(plan), number)}
        outcome = console.entries.reword(plan.id, edits, routes)
    except SchemaError as error:
        return Answer({"plan": None, "reason_no_action": error.message, "problems": error.problems}, (), error=error)
    none = f"no plan: {outcome.reason_no_action or 'nothing to do'}"
    made = queued_line(outcome.plan, f" · instead of {plan.id}") if outcome.plan is not None else none
    return Answer(partial(outcome_json, console, plan.system, outcome), [made])


def _routes(number: int | None, given: Sequence[str]) -> dict[int | str, str]:
    """Returns the routes of one entry, or of those named by numbers and patterns."""
    if number is None:
        return parse_routes(given)
    if len(given) > 1:
        raise UsageError("an entry goes to one shard", where="--route", hint="leave out N to route many at once")
    return {number: given[0]} if given else {}


def _text(console: Engine, file: str) -> str:
    """Reads the new text. Raises `Blocked` with every line that violates the schema."""
    try:
        if file == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(file).open("rb") as opened:
                data = opened.read(LARGEST + 1)
        text = data.decode("utf-8")
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"cannot be read: {what}", where=file, hint="a text file with one entry") from error
    if len(data) > LARGEST:
        raise UsageError(f"larger than {LARGEST:,} bytes", where=file, hint="an entry has four short lines")
    if problems := console.entries.problems(text):
        raise SchemaError(problems, where=file)
    return text


def _entry_rows(entries: Sequence[PlannedEntry]) -> Text:
    if not entries:
        yield "this plan has no semantic entries"
    for entry in entries:
        change = f"waits: {entry.waits}" if entry.offered is None else f"offered, not taken: {entry.offered}"
        change = change if entry.change is None else f"change {entry.change}"
        why = f" ({entry.why})" if entry.why else ""
        yield Styled(f"entry {entry.number}", bold=True), f"  {change} · {entry.shard}{why} · from {entry.source}"
        yield from (entry.text or entry.title).rstrip("\n").split("\n")


def _offered_text(entries: Sequence[PlannedEntry], number: int) -> str:
    text = next((entry.text for entry in entries if entry.number == number and entry.offered is not None), None)
    if text is None:
        raise UsageError(f"entry {number} is not offered", hint="`memdeck edit PLAN` lists what is")
    return text
