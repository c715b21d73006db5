"""`load` and `compile`: what platforms load of the workspace today, and the prompt that is compiled for a message."""

from typing import TYPE_CHECKING, Any

import click

from engine.context.platforms.catalog import NAMES
from engine.context.platforms.platform import SessionKind
from engine.errors import UsageError
from tui.cli.output import Piece, Printer, Styled, pieces_of, print_json, sign_piece, stderr, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present.context import load as words
from tui.present.context import prompt as prompt_words
from tui.present.flags import file_flags, flags_json
from tui.present.glyphs import FLAGGED
from tui.present.words import noun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from engine.context.compile.comparison import PromptComparison
    from engine.context.compile.prompt import CompiledPrompt
    from engine.context.load.observation import ObservedFile
    from engine.context.load.simulation import CapReading, LoadedFile, PlatformLoad
    from engine.plans.plan import Flag

_SESSION = click.option(
    "--session",
    type=click.Choice([kind.value for kind in SessionKind]),
    default=SessionKind.MAIN.value,
    help="The kind of the session (default main).",
)


@command("load", short_help="What platforms load of these files today, and what falls off.")
@click.option("--platform", type=click.Choice(NAMES), help="This platform alone.")
@_SESSION
def load_command(settings: Settings, platform: str | None, session: str) -> None:
    """Prints each file beside the caps of the platform, and every line that falls off with the entry it belongs to.

    It is simulated from data of the version and date that are named; `context.platforms` in the policy changes them.
    """
    with open_console(settings) as console:
        loads = console.context.loads(SessionKind(session), platform, flags=True)
        seen = console.context.observed(loads)
        if settings.json:
            clean = console.context.loads(SessionKind(session), platform, clean=True)
            print_json([load_json(one, seen[one.platform.name], told) for one, told in zip(loads, clean, strict=True)])
            return
        printer = stdout(settings.no_color)
        for load in loads:
            if load.used or platform is not None:
                print_load(printer, load, seen[load.platform.name], console.now())
        for load in loads:
            if not load.used and platform is None:
                printer.line(Styled(f"{words.load_title(load)}  {words.unused_words(load)}", dim=True))


def print_load(printer: Printer, load: "PlatformLoad", seen: "Sequence[ObservedFile]", now: "datetime") -> None:
    printer.line(Styled(words.load_title(load), bold=True), "  ", Styled(words.load_origin(load), dim=True))
    if not load.files:
        printer.line("  nothing of this workspace is loaded")
    if bar := words.load_bar(load):
        printer.line("  ", *pieces_of(bar))
    rows: list[list[Piece]] = [
        [
            sign_piece(words.state_sign(file)),
            file.name,
            words.file_words(file),
            words.verdict_words(file),
            Styled(words.mark_words(mark, now), fg="yellow" if mark.difference else None, dim=not mark.difference),
        ]
        for file, mark in zip(load.files, seen, strict=False)
    ]
    rows += [["", one.name, "", "", Styled(words.mark_words(one, now), fg="yellow")] for one in seen[len(load.files) :]]
    printer.table(rows, indent="  ")
    for file in load.files:
        if file.fallen:
            printer.line(f"  what falls off of {file.path}, {noun(len(file.fallen), 'line')}:")
            lines: list[list[Piece]] = [
                [f"{line.line}", line.text, Styled(words.fallen_words(line), dim=True)] for line in file.fallen
            ]
            printer.table(lines, right=frozenset({0}), indent="    ")
    for file in load.files:
        print_flagged(printer, file.path, file.flags)
    if load.platform.note:
        printer.line("  ", Styled(load.platform.note, dim=True))


def print_flagged(printer: Printer, path: str, flags: "Sequence[Flag]") -> None:
    for line, why in file_flags(flags).items():
        printer.line("  ", sign_piece(FLAGGED), f" {path}:{line}  ", Styled(why, fg="red"))


def load_json(load: "PlatformLoad", seen: "Sequence[ObservedFile]", clean: "PlatformLoad") -> dict[str, Any]:
    """A load; its texts are those of `clean`, where no secret stands."""
    platform = load.platform
    return {
        "platform": platform.name,
        "title": platform.title,
        "version": platform.version,
        "source": platform.source,
        "date": platform.date,
        "note": platform.note,
        "session": load.session.value,
        "used": load.used,
        "fallen": load.fallen,
        "total": _reading_json(load.total) if load.total is not None else None,
        "files": [
            _file_json(file) | {"text": told.text, "observed": _seen_json(one)}
            for file, told, one in zip(load.files, clean.files, seen, strict=False)
        ],
        "besides": [_seen_json(one) for one in seen[len(load.files) :]],
    }


def _file_json(file: "LoadedFile") -> dict[str, Any]:
    return {
        "name": file.name,
        "path": file.path,
        "state": file.state.value,
        "reason": file.reason,
        "flags": flags_json(file.flags),
        "caps": [_reading_json(reading) for reading in file.caps],
        "fallen": [
            {"line": line.line, "entry": line.entry, "partly": line.partly, "text": line.text} for line in file.fallen
        ],
    }


def _seen_json(file: "ObservedFile") -> dict[str, Any]:
    return {"name": file.name, "mark": file.mark.value, "at": file.at, "difference": file.difference}


def _reading_json(reading: "CapReading") -> dict[str, Any]:
    return {"unit": reading.unit.value, "value": reading.value, "cap": reading.cap, "headroom": reading.headroom}


@command("compile", short_help="The prompt compiled for a message, and how it was made.")
@click.argument("text", required=False, metavar="[MESSAGE]")
@click.option("--message", metavar="TEXT", help="The message, as an option.")
@click.option("--budget", type=click.IntRange(1, 10_000_000), help="Tokens of the whole prompt (default 8,192).")
@_SESSION
@click.option("--history", metavar="SOURCE", help="The session that the turns are of, or `none` (default: the newest).")
@click.option(
    "--compare",
    metavar="WITH",
    help="Side by side with the prompt after a plan, of a date, of another budget, or A..B of two.",
)
@click.option("--prompt", "only_prompt", is_flag=True, help="The prompt alone.")
def compile_command(
    settings: Settings,
    text: str | None,
    message: str | None,
    budget: int | None,
    session: str,
    history: str | None,
    compare: str | None,
    only_prompt: bool,
) -> None:
    """Compiles the prompt for MESSAGE: every item with its state and reason, then the prompt.

    A message that has no room in the budget, and a budget that cannot hold its floors, end with exit code 6.
    """
    if (text is None) == (message is None):
        raise UsageError("one message", where="compile", hint="memdeck compile --message TEXT")
    if compare is not None and (history is not None or only_prompt):
        raise UsageError("--compare goes without --history and --prompt", where="compile")
    with open_console(settings) as console:
        if compare is not None:
            found = console.comparisons.compare(message or text or "", SessionKind(session), compare, budget=budget)
            print_comparison(settings, found)
            return
        made = console.context.compile(message or text or "", SessionKind(session), budget=budget, history=history)
        console.references.compiled(made)
        for warning in made.warnings:
            stderr(settings.no_color).line("memdeck: ", warning)
        if settings.json:
            print_json(compile_json(made))
            return
        printer = stdout(settings.no_color)
        if not only_prompt:
            print_compiled(printer, made)
        printer.block(made.prompt.rstrip("\n"))


def print_compiled(printer: Printer, made: "CompiledPrompt") -> None:
    printer.line(Styled(prompt_words.total_words(made), bold=True), "  ", prompt_words.counted(made))
    printer.line(Styled(prompt_words.prefix_words(made), dim=True))
    rows: list[list[Piece]] = [
        [
            sign_piece(prompt_words.item_sign(item)),
            item.slot.value,
            prompt_words.item_figure(item),
            prompt_words.item_name(item),
            Styled(prompt_words.item_why(item), dim=True),
        ]
        for item in made.items
    ]
    printer.table(rows, right=frozenset({2}), indent="  ")
    for item in made.items:
        print_flagged(printer, item.path, item.flags)
    printer.line()


def print_comparison(settings: Settings, found: "PromptComparison") -> None:
    from tui.present.context import comparison as words

    if settings.json:
        print_json(words.comparison_json(found))
        return
    printer = stdout(settings.no_color)
    printer.line(Styled(words.sides_words(found), bold=True))
    printer.line(words.counts_words(found))
    rows: list[list[Piece]] = [
        [
            sign_piece(words.fate_sign(change)),
            change.item.slot.value,
            prompt_words.item_name(change.item),
            words.side_words(change.before),
            words.side_words(change.after),
            Styled(change.reason, dim=True),
        ]
        for change in words.differing(found)
    ]
    printer.table(rows, right=frozenset({3, 4}), indent="  ")
    for change in words.differing(found):
        lines = words.shown_lines(change)
        if lines:
            printer.line(Styled(f"── {prompt_words.item_name(change.item)}", bold=True))
        for mark, line in lines:
            printer.line(Styled(f"{mark} {line}", fg="green" if mark == "+" else "red"))


def compile_json(made: "CompiledPrompt") -> dict[str, Any]:
    """The keys that CLI.md promises, with the slots, the prefix and the warnings."""
    return {
        "budget": made.budget,
        "tokens": made.tokens,
        "tokenizer": made.tokenizer,
        "session": made.session.value,
        "prefix": {"sha256": made.prefix.sha256, "tokens": made.prefix.tokens},
        "slots": [{"slot": use.slot.value, "share": use.share, "tokens": use.tokens} for use in made.slots],
        "items": [
            {
                "label": item.label,
                "slot": item.slot.value,
                "priority": item.priority,
                "path": item.path or None,
                "line": item.line or None,
                "tokens": item.tokens,
                "whole": item.whole,
                "score": item.score,
                "state": item.state.value,
                "reason": item.reason,
                "trust": item.trust,
                "flags": flags_json(item.flags),
            }
            for item in made.items
        ],
        "warnings": list(made.warnings),
        "prompt": made.prompt,
    }
