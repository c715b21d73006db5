"""Runs `forget`, `correct` and `receipt`: plans for what memory should not say, and a scan for what is left."""

from engine.errors import UsageError
from engine.lifecycle.requests import CorrectRequest, ForgetRequest
from tui.cli.apply import receipt_rows
from tui.cli.outcomes import dry_run, outcome_answer
from tui.cli.output import Answer
from tui.cli.settings import Settings, command, opened


@command("forget")
def forget_command(
    settings: Settings,
    words: tuple[str, ...],
    take: tuple[str, ...],
    about: tuple[str, ...],
    address: tuple[str, ...],
    raw: bool,
    history: bool,
) -> Answer:
    said = (" ".join(words),) if words else ()
    if not (said or take or about or address):
        raise UsageError("what is to be forgotten?", hint="memdeck forget WORDS, --line PATH:LINE or --about NAME")
    console = opened(settings)
    asked = ForgetRequest(words=said, take=take, about=about, address=address, raw=raw, history=history)
    return outcome_answer(console, "forget", dry_run(settings, console, "forget", asked))


@command("correct")
def correct_command(settings: Settings, line: str, value: str, why: str) -> Answer:
    console = opened(settings)
    asked = CorrectRequest(take=(line,), value=value, why=why)
    return outcome_answer(console, "correct", dry_run(settings, console, "correct", asked))


@command("receipt")
def receipt_command(settings: Settings, name: str) -> Answer:
    receipts = opened(settings).receipts
    before = receipts.read(name)
    now, known = receipts.check(before), {trace.place for trace in before.left}
    return Answer(now, receipt_rows(now), int(any(trace.count and trace.place not in known for trace in now.left)))
