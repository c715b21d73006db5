"""Runs `reject` and `comment`: refuses a plan or its hunks, and comments on lines of its diff."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from engine.errors import Refused, UsageError
from engine.monitoring.comments import DiffComment, place_words
from engine.plans.plan_hunks import ChangeHunk, ChangeHunks
from tui.cli.outcomes import queued_line
from tui.cli.output import Answer, Styled, Text, fields, stdout
from tui.cli.plan_json import comment_json, entry_json, outcome_json
from tui.cli.settings import Settings, command, opened


@command("comment")
def comment_command(
    settings: Settings,
    plan_id: str,
    place: str | None,
    text: str | None,
    old: bool,
    drop: int | None,
    prompt: bool,
    file: str | None,
) -> Answer | int:
    if (place is None) != (text is None) or (file is not None and not prompt):
        raise UsageError("a comment needs its lines and a text", hint="memdeck comment PLAN 2:12-14 'why?'")
    console = opened(settings)
    comments, plan_id = console.comments, console.plans.load(plan_id).id
    if prompt:
        return _prompt(settings, plan_id, comments.prompt(plan_id), file)
    if drop is not None:
        return _answer((comments.drop(plan_id, drop),), "dropped ")
    if place is not None and text is not None:
        return _answer((comments.add(plan_id, place, text, old=old),))
    return _answer(comments.of_plan(plan_id))


def _prompt(settings: Settings, plan: str, text: str, file: str | None) -> Answer | int:
    if not text:
        raise UsageError("the plan has no comments", where=plan, hint=f"memdeck comment {plan} 1:1 'why?'")
    if file is None:
        return Answer({"plan": plan, "prompt": text}, text.split("\n"))
    try:
        with Path(file).open("x", encoding="utf-8") as new:
            new.write(f"{text}\n")
    except OSError as error:
        raise Refused(error.strerror or "cannot be written", where=file, hint="name a new file") from error
    stdout(settings.no_color).line(f"written to {file}")
    return 0


def _answer(comments: Sequence[DiffComment], done: str = "") -> Answer:
    return Answer([comment_json(comment) for comment in comments], _comment_rows(comments, done))


def _comment_rows(comments: Sequence[DiffComment], done: str) -> Text:
    for comment in comments:
        yield Styled(f"{done}{comment.number}  ", bold=True), f"{comment.lines.path} · {place_words(comment.lines)}"
        for line in comment.lines.quoted:
            yield "   > ", Styled(line, dim=True)
        yield "   ", comment.text
    if not comments:
        yield "no comments"


@command("reject")
def reject_command(settings: Settings, plan_id: str, hunks: Sequence[str], reason: str, keep: bool) -> Answer:
    if not reason.strip():
        raise UsageError("an empty reason", where="--reason", hint="say why the plan is rejected")
    if keep and not hunks:
        raise UsageError("which hunks stay?", where="--keep", hint=f"memdeck show {plan_id} --hunks")
    console = opened(settings)
    plan = console.plans.load(plan_id)
    if not hunks:
        entry = console.plans.reject(plan.id, reason.strip())
        return Answer(entry_json(entry), [f"rejected {entry.id}: {entry.state_reason or reason.strip()}"])
    outcome = console.hunks.refuse(plan.id, hunks, reason.strip(), keep=keep)
    line = f"no plan: {outcome.reason_no_action}"
    if outcome.plan is not None:
        line = f"rejected {plan.id} in part · {queued_line(outcome.plan, '')}"
    return Answer(partial(outcome_json, console, plan.system, outcome), [line])


def hunks_answer(plan: str, changes: Sequence[ChangeHunks]) -> Answer:
    """Lists the hunks of a plan by name, or says why those of a change can only be refused together."""
    return Answer([_change_json(change) for change in changes], _hunks_rows(plan, changes))


def _hunks_rows(plan: str, changes: Sequence[ChangeHunks]) -> Text:
    for change in changes:
        yield Styled(f"{change.change}  {change.path}", bold=True)
        if change.whole:
            yield Styled(f"   its hunks go together: {change.whole}", fg="yellow")
        for hunk in change.hunks:
            yield from _hunk_rows(hunk)
    yield Styled(f"memdeck reject {plan} CHANGE[#HUNK] --reason TEXT", dim=True)


def _hunk_rows(hunk: ChangeHunk) -> Text:
    left, right = f"-{hunk.left},{len(hunk.removed)}", f"+{hunk.right},{len(hunk.added)}"
    yield Styled(hunk.name, bold=True), Styled(f"  @@ {left} {right} @@", fg="cyan")
    for line in hunk.removed:
        yield "   ", Styled(f"-{line.removesuffix(chr(10))}", fg="red")
    for line in hunk.added:
        yield "   ", Styled(f"+{line.removesuffix(chr(10))}", fg="green")


def _change_json(change: ChangeHunks) -> dict[str, object]:
    return {
        **fields(change, "change path"),
        "whole": change.whole or None,
        "hunks": [fields(hunk, "name left right removed added") for hunk in change.hunks],
    }
