"""Runs `store`: pulls a memory store of Anthropic's service as a review, and pushes what was approved."""

from itertools import chain
from typing import TYPE_CHECKING

from engine.errors import Conflict, Refused, UsageError
from engine.services.engine import Engine
from tui.cli.apply import terminal_for
from tui.cli.outcomes import outcome_answer
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, fields, stderr
from tui.cli.plan_text import diff_rows
from tui.cli.progress import progress
from tui.cli.prompt import ApprovalTarget, ask_approval
from tui.cli.settings import Settings, command, opened
from tui.present.words import noun, safe

if TYPE_CHECKING:
    from engine.extras.stores.store_service import SentText, StorePush


@command("store")
def store_command(
    settings: Settings, what: str | None, ident: str | None, paths: tuple[str, ...], *, show: bool
) -> Answer:
    if what not in (None, "pull", "push") or (what and not ident) or (paths and what != "push"):
        raise UsageError("store, store pull STORE, or store push STORE [PATH]…", where=f"store {what or ''}".strip())
    console = opened(settings)
    if what is None or ident is None:
        records = console.stores.all()
        facts = [{"id": record.id, "agreed": len(record.base), "seen": len(record.seen)} for record in records]
        rows: list[list[Piece]] = [
            [Styled(each.id, bold=True), noun(len(each.seen), "note"), f"{len(each.base):,} as here"]
            for each in records
        ]
        return Answer(facts, [TextTable(rows)] if rows else ["no store was pulled yet · memdeck store pull STORE"])
    if settings.read_only:
        raise Refused("read-only: nothing is asked of a store", where=safe(ident)[:80])
    return _pull(settings, console, ident) if what == "pull" else _push(settings, console, ident, paths, show)


def _pull(settings: Settings, console: Engine, ident: str) -> Answer:
    with progress(settings) as tick:
        pulled = console.stores.pull(ident, tick)
    more = {"texts": pulled.texts, "not_pulled": pulled.problems}
    answer = outcome_answer(console, "review", pulled.outcome, more=more)
    text = chain([f"{noun(pulled.texts, 'text')} at {ident}"], answer.text)
    return Answer(answer.json, text, text_remarks=pulled.problems)


def _push(settings: Settings, console: Engine, ident: str, paths: tuple[str, ...], show: bool) -> Answer:
    prepared = console.stores.outgoing(ident, paths)
    errors = stderr(settings.no_color)
    for problem in prepared.problems:
        errors.line("memdeck: ", problem)
    if show or not prepared.texts:
        texts = [fields(text, "path expected") for text in prepared.texts]
        facts = {"store": prepared.store, "texts": texts, "not_sent": prepared.problems}
        none = ["nothing to send: the notes of the last pull are as the store has them"]
        return Answer(facts, chain(_diffs_rows(prepared), [] if prepared.texts else none))
    with terminal_for(settings, "store push") as terminal:
        terminal.printer.line(
            Styled(f"push {noun(len(prepared.texts), 'note')} to {ident}", bold=True),
            f"  {prepared.url or 'https://api.anthropic.com'} · it leaves this machine, and no undo reverses it",
        )
        terminal.printer.show(_diffs_rows(prepared))
        target = ApprovalTarget(prepared.digest, prepared.numbers, prepared.risk_tier)
        approval = ask_approval(terminal, target, console.real_now)
    return _sent_answer(console.stores.push(prepared, approval))


def _diffs_rows(prepared: "StorePush") -> Text:
    for number, diff in enumerate(prepared.diffs, 1):
        yield from diff_rows(number, len(prepared.diffs), diff.path, diff)


def _sent_answer(sent: "tuple[SentText, ...]") -> Answer:
    lines = [f"{safe(note.path)}: {note.state.value}" for note in sent]
    if all(note.is_sent for note in sent):
        return Answer(sent, lines)
    stays = "what was not sent stays as it is at the store · memdeck store pull shows what it has now"
    return Answer(sent, [*lines, stays], Conflict.exit_code)
