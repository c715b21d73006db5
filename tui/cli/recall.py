"""`recall`: when something was learnt, who wrote a line, what changed, and what there was at an instant."""

import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import click
import msgspec

from engine.errors import UsageError
from engine.plans.diff import unified
from engine.text.document import shown_text
from engine.text.secrets.detector import redact
from engine.workspace.dates import zone_of
from tui.cli.extraction import print_queued
from tui.cli.output import Piece, Printer, Styled, print_json, stdout
from tui.cli.settings import Settings, command, global_options, open_console
from tui.present.history.held import held_reach_words, held_words, undecided_words
from tui.present.history.recall import occurrence_words, origin_words, reach_words, tree_words, version_words
from tui.present.words import moment, noun

if TYPE_CHECKING:
    from engine.monitoring.recall.blame import BlamedLine
    from engine.monitoring.recall.occurrences import Occurrence
    from engine.monitoring.recall.timeline import Reach
    from engine.services.recall import PastDiff

_LINES = re.compile(r"(?P<path>.+):(?P<first>\d+)(?:-(?P<last>\d+))?\Z")


@click.group("recall", params=global_options(), short_help="When was it learnt, who wrote it, what was known then.")
def recall_command() -> None:
    """Asks the past: git, the operations, and what was seen. Each answer says from which.

    A DATE is a day or month (its end), a time, a distance back (3w, yesterday 9:00), an operation, a tag or a commit.
    """


@command("when", short_help="When a text came and when it went.")
@click.argument("words", nargs=-1, required=True, metavar="TEXT…")
@click.option("-n", "limit", type=click.IntRange(min=1), default=None, help="Only the first N answers.")
def when_command(settings: Settings, words: tuple[str, ...], limit: int | None) -> None:
    """Lists when a text came into a file and when it left, each answer as soon as it is found."""
    text, printer = " ".join(words), stdout(settings.no_color)
    shown: list[Occurrence] = []
    with open_console(settings) as console, closing(console.recall.when(text)) as found:
        for one in found:
            shown.append(one)
            if not settings.json:
                _print_occurrence(printer, one)
            if len(shown) == limit:
                break
        reaches = console.recall.reaches()
    if settings.json:
        print_json(
            {"text": redact(text), "answers": msgspec.to_builtins(shown), "reaches": msgspec.to_builtins(reaches)}
        )
        return
    if not shown:
        printer.line("never, as far as anybody knows")
    _print_reaches(printer, reaches)


@command("blame", short_help="Who wrote each line.")
@click.argument("path", metavar="PATH[:LINES]")
def blame_command(settings: Settings, path: str) -> None:
    """Says of each line who wrote it: an operation, a session and turn, a commit, or between when and when."""
    name, first, last = _lines_of(path)
    with open_console(settings) as console:
        known = console.recall.blame(name)
    lines = [line for line in known.lines if first <= line.number <= last]
    if settings.json:
        made = {"path": known.path, "lines": lines, "reaches": known.reaches}
        print_json(msgspec.to_builtins(made))
        return
    printer = stdout(settings.no_color)
    printer.table([_blamed(line) for line in lines], right=frozenset({0}))
    _print_reaches(printer, known.reaches)


@command("diff", short_help="What changed between two dates.")
@click.argument("since", metavar="DATE")
@click.argument("until", required=False, metavar="[DATE]")
@click.option("--path", "below", default="", metavar="PATH", help="Only this file or folder.")
def diff_command(settings: Settings, since: str, until: str | None, below: str) -> None:
    """Shows what changed from one date to another, or to now."""
    with open_console(settings) as console:
        end = console.recall.instant(until) if until else None
        found = console.recall.diff(console.recall.instant(since), end, below)
        reaches = console.recall.reaches()
    _print_diff(settings, found, reaches)


@command("today", short_help="What was learnt since midnight.")
@click.option("--path", "below", default="", metavar="PATH", help="Only this file or folder.")
def today_command(settings: Settings, below: str) -> None:
    """Shows what was learnt since midnight, in the workspace's time zone."""
    with open_console(settings) as console:
        found = console.recall.diff(console.recall.today(), None, below)
        reaches = console.recall.reaches()
    _print_diff(settings, found, reaches)


@command("show", short_help="A file, or all notes, as they were.")
@click.argument("path", required=False, metavar="[PATH]")
@click.option("--at", "at", required=True, metavar="DATE", help="The instant to look at.")
def show_command(settings: Settings, path: str | None, at: str) -> int:
    """Prints a file as it was; without PATH lists all notes that there were."""
    return _show_tree(settings, at) if path is None else _show_file(settings, path, at)


@command("held", short_help="What held on a day: decisions, preferences, facts.")
@click.argument("words", nargs=-1, metavar="[SUBJECT…]")
@click.option("--on", "on", default="", metavar="DATE", help="The day to ask about, as its end; else today.")
@click.option("--keep", "kept", default="", metavar="ID", help="Of an undecided pair this entry holds: a plan says so.")
@click.option("--both", "both", default="", metavar="ID", help="Of an undecided pair both hold: a plan says so.")
def held_command(settings: Settings, words: tuple[str, ...], on: str, kept: str, both: str) -> None:
    """Lists the entries of knowledge that held at the end of a day, each with the turn that says it.

    What a later entry had superseded by then is omitted. SUBJECT are words that an entry must have. Behind them stand
    pairs of which the later entry may be the earlier one again, or its change: you decide by --keep or --both.
    """
    if kept and both:
        raise UsageError("one of them", where="--keep and --both", hint="--keep ID, or --both ID")
    with open_console(settings) as console:
        if kept or both:
            print_queued(settings, console, "extract", console.extractions.decide(kept, both))
            return
        at = console.recall.instant(on) if on.strip() else console.now()
        found = console.recall.held(at.astimezone(zone_of(console.zone)).date(), " ".join(words))
    if settings.json:
        print_json(msgspec.to_builtins(found))
        return
    printer = stdout(settings.no_color)
    for one in found.entries:
        printer.line(Styled(f"{one.day}  {one.kind.value:<10} ", bold=True), one.text)
        printer.line(Styled(f"    {held_words(one)}", dim=True))
    if not found.entries:
        printer.line(f"nothing is known that held on {found.on}")
    for line in undecided_words(found):
        printer.line(line)
    for line in held_reach_words(found.reach):
        printer.line(Styled(line, dim=True))


for _each in (when_command, blame_command, diff_command, today_command, show_command, held_command):
    recall_command.add_command(_each)


def _show_file(settings: Settings, path: str, at: str) -> int:
    with open_console(settings) as console:
        past = console.recall.show(path, console.recall.instant(at))
    data = past.version.data if past.version is not None else None
    if settings.json:
        text = redact(shown_text(data), keep_lines=True) if data is not None else None
        facts = _without_data(past.version), _without_data(past.following)
        made = {"path": path, "at": past.at, "text": text, "version": facts[0], "following": facts[1]}
        print_json(msgspec.to_builtins({**made, "reaches": past.timeline.reaches}))
        return 0 if data is not None else 1
    printer = stdout(settings.no_color)
    for line in version_words(past):
        printer.line(Styled(line, dim=True))
    if data is not None:
        printer.line("")
        printer.block(redact(shown_text(data), keep_lines=True).removesuffix("\n"))
    return 0 if data is not None else 1


def _without_data(version: object) -> dict[str, object] | None:
    made = msgspec.structs.asdict(version) if isinstance(version, msgspec.Struct) else None
    return {name: value for name, value in made.items() if name != "data"} if made is not None else None


def _show_tree(settings: Settings, at: str) -> int:
    with open_console(settings) as console:
        tree = console.recall.tree(console.recall.instant(at))
    if settings.json:
        print_json(msgspec.to_builtins(tree))
        return 0
    printer = stdout(settings.no_color)
    rows: list[list[Piece]] = []
    for one in tree.files.values():
        sure = "" if one.sure else "not sure"
        size = f"{one.size:,} B" if one.size is not None else ""
        rows.append([one.path, size, one.teller.value, one.ref[:12], Styled(sure, fg="yellow")])
    printer.table(rows, right=frozenset({1}))
    for line in tree_words(tree):
        printer.line(Styled(line, dim=True))
    return 0


def _lines_of(path: str) -> tuple[str, int, int]:
    found = _LINES.fullmatch(path)
    if found is None:
        return path, 1, 1 << 60
    first = int(found["first"][:9])
    last = int((found["last"] or found["first"])[:9])
    if first < 1 or last < first:
        raise UsageError("lines count from 1, the first before the last", where=path, hint="like PATH:8-10")
    return found["path"], first, last


def _blamed(line: "BlamedLine") -> list[Piece]:
    who, when_said = origin_words(line.origin)
    return [str(line.number), Styled(who, dim=True), Styled(when_said, dim=True), line.text]


def _print_occurrence(printer: Printer, one: "Occurrence") -> None:
    head, told = occurrence_words(one)
    printer.line(Styled(head, bold=True), f"  {one.path}  ", Styled(told, dim=True))
    for number, text in one.lines:
        printer.line(Styled(f"  {number:>5}  ", dim=True), text[:200])
    printer.stream.flush()


def _print_diff(settings: Settings, found: "PastDiff", reaches: "Sequence[Reach]") -> None:
    if settings.json:
        facts = {"since": found.before.at, "until": found.after.at, "unknown": found.before.unknown}
        files = [{"path": d.path, "added": d.added, "removed": d.removed, "diff": unified(d)} for d in found.diffs]
        print_json(msgspec.to_builtins({**facts, "files": files, "reaches": reaches}))
        return
    printer = stdout(settings.no_color)
    for one in found.diffs:
        printer.block(unified(one).removesuffix("\n"))
    added, removed = sum(d.added for d in found.diffs), sum(d.removed for d in found.diffs)
    span = f"{moment(found.before.at)} to {moment(found.after.at)}"
    printer.line(f"{noun(len(found.diffs), 'file')}, +{added:,} -{removed:,}, {span}")
    if found.before.unknown:
        names = ", ".join(found.before.unknown[:3])
        printer.line(Styled(f"! not known how they were then: {noun(len(found.before.unknown), 'file')}: {names}"))
    _print_reaches(printer, reaches)


def _print_reaches(printer: Printer, reaches: "Iterable[Reach]") -> None:
    for line in reach_words(reaches):
        printer.line(Styled(line, dim=True))
