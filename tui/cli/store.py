"""`store`: a memory store of Anthropic's service, pulled into a review, and sent what was approved on the terminal."""

from typing import TYPE_CHECKING

import click
import msgspec

from engine.errors import Conflict, Refused, UsageError
from tui.cli.apply import terminal_for
from tui.cli.output import Piece, Styled, print_json, stderr, stdout
from tui.cli.plan_json import outcome_json, print_outcome
from tui.cli.plan_text import print_diff
from tui.cli.progress import progress
from tui.cli.prompt import Terminal, ask_approval
from tui.cli.settings import Settings, command, open_console
from tui.present.words import noun, safe

if TYPE_CHECKING:
    from engine.services.engine import Engine
    from engine.services.stores import SentText, StorePush


@command("store", short_help="A memory store of Anthropic's service: pull into a review, push what you approve.")
@click.argument("what", required=False, metavar="[pull|push]")
@click.argument("ident", required=False, metavar="[STORE]")
@click.argument("paths", nargs=-1, metavar="[PATH]…")
@click.option("--show", is_flag=True, help="Push: only show what would be sent.")
def store_command(
    settings: Settings, what: str | None, ident: str | None, paths: tuple[str, ...], *, show: bool
) -> int:
    """Lists the stores that were pulled; `pull` queues a review of what changed there, `push` sends notes.

    A push sends the notes of the last pull that you changed since, or the PATHs, once you typed APPROVED below their
    diffs. A text that changed at the store since is told and never written over. The key and the address are those
    of the policy's `llm`.
    """
    if what not in (None, "pull", "push") or (what and not ident) or (paths and what != "push"):
        raise UsageError("store, store pull STORE, or store push STORE [PATH]…", where=f"store {what or ''}".strip())
    with open_console(settings) as console:
        if what is None or ident is None:
            _print_all(settings, console)
            return 0
        if settings.read_only:
            raise Refused("read-only: nothing is asked of a store", where=safe(ident)[:80])
        return _pull(settings, console, ident) if what == "pull" else _push(settings, console, ident, paths, show)


def _print_all(settings: Settings, console: "Engine") -> None:
    records = console.stores.all()
    if settings.json:
        print_json([{"id": one.id, "agreed": len(one.base), "seen": len(one.seen)} for one in records])
        return
    printer = stdout(settings.no_color)
    rows: list[list[Piece]] = [
        [Styled(one.id, bold=True), noun(len(one.seen), "note"), f"{len(one.base):,} as here"] for one in records
    ]
    printer.table(rows)
    if not rows:
        printer.line("no store was pulled yet · memdeck store pull STORE")


def _pull(settings: Settings, console: "Engine", ident: str) -> int:
    with progress(settings) as tick:
        pulled = console.stores.pull(ident, tick)
    if settings.json:
        print_json(
            outcome_json(console, "review", pulled.outcome) | {"texts": pulled.texts, "not_pulled": pulled.problems}
        )
        return 0
    stdout(settings.no_color).line(f"{noun(pulled.texts, 'text')} at {ident}")
    for problem in pulled.problems:
        stderr(settings.no_color).line("memdeck: ", problem)
    print_outcome(settings, console, "review", pulled.outcome)
    return 0


def _push(settings: Settings, console: "Engine", ident: str, paths: tuple[str, ...], show: bool) -> int:
    prepared = console.stores.outgoing(ident, paths)
    errors = stderr(settings.no_color)
    for problem in prepared.problems:
        errors.line("memdeck: ", problem)
    if show or not prepared.texts:
        _print_prepared(settings, prepared)
        return 0
    with terminal_for(settings, "store push") as terminal:
        terminal.printer.line(
            Styled(f"push {noun(len(prepared.texts), 'note')} to {ident}", bold=True),
            f"  {prepared.url or 'https://api.anthropic.com'} · it leaves this machine, and no undo reverses it",
        )
        _print_diffs(terminal, prepared)
        approval = ask_approval(
            terminal,
            target=prepared.digest,
            numbers=prepared.numbers,
            risk_tier=prepared.risk_tier,
            confirmations=(),
            clock=console.real_now,
        )
    return _print_sent(settings, console.stores.push(prepared, approval))


def _print_diffs(terminal: Terminal, prepared: "StorePush") -> None:
    for number, diff in enumerate(prepared.diffs, 1):
        print_diff(terminal.printer, number, len(prepared.diffs), diff.path, diff)


def _print_prepared(settings: Settings, prepared: "StorePush") -> None:
    if settings.json:
        texts = [{"path": one.path, "expected": one.expected} for one in prepared.texts]
        print_json({"store": prepared.store, "texts": texts, "not_sent": prepared.problems})
        return
    printer = stdout(settings.no_color)
    for number, diff in enumerate(prepared.diffs, 1):
        print_diff(printer, number, len(prepared.diffs), diff.path, diff)
    if not prepared.texts:
        printer.line("nothing to send: the notes of the last pull are as the store has them")


def _print_sent(settings: Settings, sent: "tuple[SentText, ...]") -> int:
    from engine.extras.stores.memory_store import Sending

    if settings.json:
        print_json(msgspec.to_builtins(sent))
    else:
        printer = stdout(settings.no_color)
        for one in sent:
            printer.line(f"{safe(one.path)}: {one.state.value}")
        if any(one.state is not Sending.SENT for one in sent):
            printer.line("what was not sent stays as it is at the store · memdeck store pull shows what it has now")
    return 0 if all(one.state is Sending.SENT for one in sent) else Conflict.exit_code
