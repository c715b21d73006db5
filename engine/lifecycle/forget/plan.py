"""Plans to forget words in every place (D62), or to correct a line."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import msgspec

from engine.extraction.entry import entry_id
from engine.extraction.rows import IN_DOUBT, SupersededBy, entry_row, marked_row, row_parts
from engine.extraction.superseded import kind_of_row
from engine.lifecycle.forget.purge import WordPlace, kind_of
from engine.lifecycle.forget.sought_words import SoughtWords, Span, whole_sentences, without_statements
from engine.lifecycle.forget.tombstones import FACT, WordsToForget
from engine.plans.plan import Append, Confirmation, Create, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.plans.system_request import System
from engine.text.canonical_json import sha256_hex
from engine.text.document import split_lines
from engine.workspace.layout import is_archived

_NOTE = "memory/forgotten.md"
_NO_UNDO = "it cannot be undone: what goes is kept nowhere"


class HistoryFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The refs that a rewrite of history changes, and what others would lose."""

    refs: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def warnings(self) -> Iterator[str]:
        """Yields warnings about the refs; none where history stays."""
        if self.refs:
            yield f"git's history is rewritten, {len(self.refs)} refs and tags: {', '.join(self.refs[:12])}"
            yield "ids of commits change, and signatures of commits and tags are lost"

    def questions(self) -> Iterator[Confirmation]:
        """Asks for a confirmation where others would lose something."""
        if self.others:
            told = "; ".join(self.others)
            yield Confirmation("history", f"Rewrite git's history, though it is not yours alone ({told})?")


def plan_forgetting(
    planning: Planning, words: WordsToForget, places: Sequence[WordPlace], history: HistoryFacts
) -> PlanOutcome:
    """Makes the plan of all places; those outside the notes are cleared after it is applied."""
    draft, files = Draft(planning), planning.snapshot.files
    for place in places:
        if place.text is not None:
            known = files[place.path].sha256 if place.path in files else ""
            # Files that no scan lists are bound too, by their bytes of now.
            draft.bind(place.path, known or sha256_hex(planning.snapshot.reader(place.path)))
            draft.write(Replace, place.path, place.text, _line(place), RiskTier.C, sources=())
    if not draft.changes and any(place.count for place in places):
        _note(draft, planning)
    left = [place for place in places if place.left]
    told = "".join(f"  {place.path}: {_line(place)}\n" for place in places)
    return draft.outcome(
        System.FORGET,
        "nothing says it",
        report=f"{len(places) - len(left)} places lose it, {len(left)} keep it\n{told}",
        facts={FACT: msgspec.to_builtins(words), "places": [_json(place) for place in places]},
        gates=(QualityGate("no_words_left", passed=True, detail="no changed file says it any more"),),
        confirmations=history.questions(),
        warnings=(_NO_UNDO, *(f"stays in {place.path}: {place.left}" for place in left), *history.warnings()),
    )


def _note(draft: Draft, planning: Planning) -> None:
    """Plans a line in `memory/forgotten.md`, so that a plan that changes no note can be applied."""
    line = f"- {planning.today}: something was forgotten in what is kept beside the notes\n"
    kind, head = (Append, "") if _NOTE in planning.snapshot.files else (Create, "# Forgotten\n\n")
    draft.write(kind, _NOTE, head + line, "no note says it; what is kept beside them is cleared", RiskTier.C)


def _line(place: WordPlace) -> str:
    where = f"line {_numbers(place.lines)}" if place.lines else f"{place.count:,} times"
    shared = f"; the rest of line {_numbers(place.shared)} stays, as others named there need it" if place.shared else ""
    return f"{place.kind}, {where}: {place.left or place.what}{shared}"


def _numbers(lines: Sequence[int]) -> str:
    more = f" and {len(lines) - 6} more" if len(lines) > 6 else ""
    return f"{', '.join(map(str, lines[:6]))}{more}"


def _json(place: WordPlace) -> dict[str, object]:
    what = "stays" if place.left else "goes"
    made: dict[str, object] = {
        "path": place.path,
        "kind": place.kind,
        "lines": list(place.lines),
        what: place.left or place.what,
    }
    return made | ({"shared": list(place.shared)} if place.shared else {})


_NODES, _ITEMS = ("memory/daily/", "memory/weekly/", "memory/monthly/"), ("- ", "* ", "+ ")


class LineCorrection(msgspec.Struct, frozen=True, kw_only=True):
    """A line by path, number and statement, the right value, and the reason. `made` are statements made of it, `alike`
    the same fact in other words; `retold` nodes in which a model may reword it."""

    path: str
    number: int
    line: str
    value: str
    why: str = ""
    made: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    retold: tuple[str, ...] = ()

    def mark(self, today: date, why: str) -> str:
        """Gives the mark of the old line: `(superseded: 2026-03-20 it moved)`."""
        return f"(superseded: {' '.join((today.isoformat(), why)).strip()})"


def plan_correction(planning: Planning, asked: LineCorrection, files: Iterable[tuple[str, bytes]]) -> PlanOutcome:
    """Plans the correction of a line. The old line stays below it and in nodes, with a mark."""
    old, alike = SoughtWords((asked.line, *asked.made)), SoughtWords(asked.alike)
    draft, said_then = Draft(planning), is_past(asked.path)

    def standing(text: str) -> Iterator[Span]:
        lines = split_lines(text)
        spans = (*old.spans(text), *whole_sentences(text, alike))
        return (one for one in spans if not IN_DOUBT.search(lines[text.count("\n", 0, one[0])]))

    for note, data in files:
        kind = kind_of(note)
        if note not in planning.snapshot.files or not (
            old.may_hold(data) or alike.may_hold(data) or note in asked.retold
        ):
            continue
        text = data.decode("utf-8", "replace")
        done = without_statements(text, standing, mark=asked.value)
        said_then |= bool(done.lines) and kind.source
        if note.startswith(_NODES):
            new = _marked_node(text, done.lines, asked.mark(planning.today, asked.value))
            if note in asked.retold:
                new = new.replace("\nstatus: fixed\n", "\nstatus: tentative\n", 1)
            if new != text:
                again = "the next cycle makes it again, as it says it in other words"
                why = "marked as superseded" if done.lines else again
                draft.write(Replace, note, new, f"{kind.name}: {why}", RiskTier.C)
        elif done.lines and not is_past(note):
            new = _below(text, done.text, planning.today, asked) if note == asked.path else done.text
            other = ", where it is said in other words" if any(whole_sentences(text, alike)) else ""
            why = f"{kind.name}: what holds now ({asked.why or 'corrected'}){other}"
            draft.write(Replace, note, new, why, RiskTier.C)
    if said_then:
        log, why = f"memory/{planning.today}.md", asked.why and f"; {asked.why}"
        said = f"- decisions: {asked.value} (instead of: {asked.line}{why})\n"
        kind_, head = (Append, "") if log in planning.snapshot.files else (Create, f"# {planning.today}\n\n")
        draft.write(kind_, log, head + said, f"the successor of {asked.path}:{asked.number}", RiskTier.C)
    report = "".join(f"{change.path}: {change.reason}\n" for change in draft.changes)
    facts = {"corrected": [change.path for change in draft.changes]}
    return draft.outcome(System.CORRECT, "the line says that already", report=report, facts=facts)


def _marked_node(text: str, numbers: Iterable[int], mark: str) -> str:
    """Adds a mark to those of a node's lines that are list items."""
    lines = text.split("\n")
    for number in numbers:
        if lines[number - 1].lstrip().startswith(_ITEMS):
            lines[number - 1] += f" {mark}"
    return "\n".join(lines)


def is_past(path: str) -> bool:
    """Tells whether a correction leaves a file unchanged: one that tells the past, or has no lines of text."""
    kind = kind_of(path)
    return kind.source or is_archived(path) or path.startswith(_NODES) or kind.how == "words"


def _below(text: str, done: str, today: date, asked: LineCorrection) -> str:
    """Gives the note with the old line below the new one, where it is a list item."""
    before, lines, number = split_lines(text)[asked.number - 1], done.split("\n"), asked.number
    if (parts := row_parts(before)) is not None:
        ident = entry_id(kind_of_row("", before[-15:-5], parts.quote), asked.value)
        lines[number - 1] = entry_row(today.isoformat(), asked.value, ident)
        lines.insert(number, marked_row(before, SupersededBy(ident, today.isoformat())))
    elif before.lstrip().startswith(_ITEMS):
        lines.insert(number, f"{before.rstrip()} {asked.mark(today, asked.why)}")
    return "\n".join(lines)
