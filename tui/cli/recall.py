"""Runs `recall` and `facts`: when something was learnt, who wrote a line, what changed, and what was there."""

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from copy import copy
from itertools import islice
from typing import Any

import msgspec

from engine.errors import UsageError
from engine.extraction.what_holds import FactsAnswer
from engine.monitoring.recall.blame import BlamedLine
from engine.monitoring.recall.occurrences import Occurrence
from engine.monitoring.recall.timeline import Reach
from engine.plans.diff import unified
from engine.services.recall import PastDiff, RecallService
from engine.text.document import shown_text
from engine.text.secrets.detector import redact
from engine.workspace.dates import zone_of
from tui.cli.outcomes import queued_answer
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, fields
from tui.cli.settings import Settings, command, group, opened
from tui.present.history.held_facts import by_hand_words, card_words, due_words, fact_words, held_reach_words
from tui.present.history.recall_words import occurrence_words, origin_words, reach_words, tree_words, version_words
from tui.present.words import moment, noun

_LINES = re.compile(r"(?P<path>.+):(?P<first>\d+)(?:-(?P<last>\d+))?\Z")


@command("when")
def when_command(settings: Settings, words: tuple[str, ...], limit: int | None) -> Answer:
    recall, text = opened(settings).recall, " ".join(words)

    def facts() -> dict[str, Any]:
        return {"text": redact(text), "answers": list(_occurrences(recall, text, limit)), "reaches": recall.reaches()}

    return Answer(facts, _when_rows(recall, text, limit), live=True)


def _occurrences(recall: RecallService, text: str, limit: int | None) -> Iterator[Occurrence]:
    with closing(recall.when(text)) as occurrences:
        yield from islice(occurrences, limit)


def _when_rows(recall: RecallService, text: str, limit: int | None) -> Text:
    is_known = False
    for occurrence in _occurrences(recall, text, limit):
        is_known = True
        yield from _occurrence_rows(occurrence)
    if not is_known:
        yield "never, as far as anybody knows"
    yield from _reaches_rows(recall.reaches())


@command("blame")
def blame_command(settings: Settings, path: str) -> Answer:
    name, first, last = _lines_of(path)
    known = opened(settings).recall.blame(name)
    lines = [line for line in known.lines if first <= line.number <= last]
    rows = [TextTable([_blamed(line) for line in lines], frozenset({0})), *_reaches_rows(known.reaches)]
    return Answer({"path": known.path, "lines": lines, "reaches": known.reaches}, rows)


@command("diff")
def diff_command(settings: Settings, since: str, until: str | None, below: str) -> Answer:
    recall = opened(settings).recall
    end = recall.instant(until) if until else None
    return _diff_answer(recall.diff(recall.instant(since), end, below), recall.reaches())


@command("today")
def today_command(settings: Settings, below: str) -> Answer:
    recall = opened(settings).recall
    return _diff_answer(recall.diff(recall.today(), None, below), recall.reaches())


@command("show")
def show_command(settings: Settings, path: str | None, at: str) -> Answer:
    recall = opened(settings).recall
    return _tree_answer(recall, at) if path is None else _file_answer(recall, path, at)


@command("facts")
def facts_command(
    settings: Settings, words: tuple[str, ...], on: str, kept: str, both: str, own: tuple[str, str] | None, still: str
) -> Answer:
    if sum(map(bool, (kept, both, own, still))) > 1:
        raise UsageError("one of them", where="--keep, --both, --own and --still", hint="--keep ID, or --both ID")
    console = opened(settings)
    if still:
        console.facts.still(still)
        return Answer({"still": still}, [f"{still} holds still: it is asked about no more"])
    if kept or both or own:
        outcome = console.facts.decide(kept or (own[0] if own else ""), both, own[1] if own else "")
        noted = Answer({"plan": None}, ["remembered: both stay as they are, and are not asked about again"])
        return queued_answer(console, "extract", outcome) if outcome.plan is not None else noted
    at = console.recall.instant(on) if on.strip() else console.now()
    answer = console.facts.read(at.astimezone(zone_of(console.zone)).date(), " ".join(words))
    return Answer(answer, _fact_rows(answer))


held_command = copy(facts_command)
held_command.name = "held"  # its name among the questions to the past


def _fact_rows(answer: FactsAnswer) -> Text:
    for line in (*card_words(answer), *due_words(answer)):
        yield Styled(line, fg="yellow")
    for fact in answer.entries:
        yield Styled(f"{fact.day or 'by hand':<10}  {fact.kind.value:<10} ", bold=True), fact.text
        for line in fact_words(fact):
            yield Styled(f"    {line}", dim=True)
    if not answer.entries:
        yield f"nothing is known that held on {answer.on}"
    for line in filter(None, (by_hand_words(answer), *held_reach_words(answer.reach))):
        yield Styled(line, dim=True)


recall_command = group(
    "recall", __name__, when_command, blame_command, diff_command, today_command, show_command, held_command
)


def _file_answer(recall: RecallService, path: str, at: str) -> Answer:
    past = recall.show(path, recall.instant(at))
    rows: list[Piece] = [Styled(line, dim=True) for line in version_words(past)]
    text = None
    if past.version is not None and past.version.data is not None:
        text = redact(shown_text(past.version.data), keep_lines=True)
        rows += ["", *text.removesuffix("\n").split("\n")]
    versions = {"version": _without_data(past.version), "following": _without_data(past.following)}
    facts = {"path": path, "at": past.at, "text": text, **versions, "reaches": past.timeline.reaches}
    return Answer(facts, rows, 0 if text is not None else 1)


def _without_data(version: object) -> dict[str, object] | None:
    made = msgspec.structs.asdict(version) if isinstance(version, msgspec.Struct) else None
    return {name: value for name, value in made.items() if name != "data"} if made is not None else None


def _tree_answer(recall: RecallService, at: str) -> Answer:
    tree = recall.tree(recall.instant(at))
    rows: list[list[Piece]] = []
    for file in tree.files.values():
        sure = "" if file.sure else "not sure"
        size = f"{file.size:,} B" if file.size is not None else ""
        rows.append([file.path, size, file.teller.value, file.ref[:12], Styled(sure, fg="yellow")])
    return Answer(tree, [TextTable(rows, frozenset({1})), *(Styled(line, dim=True) for line in tree_words(tree))])


def _lines_of(path: str) -> tuple[str, int, int]:
    if (match := _LINES.fullmatch(path)) is None:
        return path, 1, 1 << 60
    first = int(match["first"][:9])
    last = int((match["last"] or match["first"])[:9])
    if first < 1 or last < first:
        raise UsageError("lines count from 1, the first before the last", where=path, hint="like PATH:8-10")
    return match["path"], first, last


def _blamed(line: BlamedLine) -> list[Piece]:
    who, when_said = origin_words(line.origin)
    return [str(line.number), Styled(who, dim=True), Styled(when_said, dim=True), line.text]


def _occurrence_rows(occurrence: Occurrence) -> Text:
    head, told = occurrence_words(occurrence)
    yield Styled(head, bold=True), f"  {occurrence.path}  ", Styled(told, dim=True)
    for number, text in occurrence.lines:
        yield Styled(f"  {number:>5}  ", dim=True), text[:200]


def _diff_answer(past: PastDiff, reaches: Iterable[Reach]) -> Answer:
    files = [{**fields(diff, "path added removed"), "diff": unified(diff)} for diff in past.diffs]
    facts = {"since": past.before.at, "until": past.after.at, "unknown": past.before.unknown}
    return Answer({**facts, "files": files, "reaches": reaches}, _diff_rows(past, reaches))


def _diff_rows(past: PastDiff, reaches: Iterable[Reach]) -> Text:
    for diff in past.diffs:
        yield from unified(diff).removesuffix("\n").split("\n")
    added, removed = sum(d.added for d in past.diffs), sum(d.removed for d in past.diffs)
    span = f"{moment(past.before.at)} to {moment(past.after.at)}"
    yield f"{noun(len(past.diffs), 'file')}, +{added:,} -{removed:,}, {span}"
    if past.before.unknown:
        names = ", ".join(past.before.unknown[:3])
        yield f"! not known how they were then: {noun(len(past.before.unknown), 'file')}: {names}"
    yield from _reaches_rows(reaches)


def _reaches_rows(reaches: Iterable[Reach]) -> Text:
    for line in reach_words(reaches):
        yield Styled(line, dim=True)
