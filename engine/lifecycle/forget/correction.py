"""Plans to correct: what holds takes the place of what a line says, wherever that is said now (decision D62).

What is past stays as it was said: raw logs, transcripts, days, weeks, months and the archive. A line of those gets its
successor in the log of today, from which nodes are made.
"""

from collections.abc import Iterable

from engine.extraction.entry import entry_id
from engine.extraction.promotion import kind_of_row
from engine.extraction.rows import SupersededBy, entry_row, marked_row, row_parts
from engine.lifecycle.forget.places import PlaceKind, kind_of
from engine.lifecycle.forget.redaction import without_statements
from engine.lifecycle.forget.sought_words import SoughtWords
from engine.plans.draft import Draft
from engine.plans.plan import Append, Create, Replace, RiskTier
from engine.plans.planning import Planning
from engine.plans.status import PlanOutcome
from engine.plans.system import System
from engine.text.document import split_lines
from engine.workspace.layout import is_archived

_PAST = ("memory/daily/", "memory/weekly/", "memory/monthly/")


def plan_correction(
    planning: Planning, place: tuple[str, int, str], value: str, why: str, files: Iterable[tuple[str, bytes]]
) -> PlanOutcome:
    """Makes the plan for a line by path, number and statement. The old line stays below, with the reason."""
    draft, (path, number, line) = Draft(planning), place
    old = SoughtWords((line,))
    for note, data in files:
        kind = kind_of(note)
        if note not in planning.snapshot.files or _is_past(note, kind) or not old.may_hold(data):
            continue
        text = data.decode("utf-8")
        done = without_statements(text, old.spans, mark=value)
        if done.lines:
            new = _below(text, done.text, number, planning, (value, why)) if note == path else done.text
            draft.write(Replace, note, new, f"{kind.name}: what holds now ({why or 'corrected'})", RiskTier.C)
    if _is_past(path, kind_of(path)):
        log = f"memory/{planning.today}.md"
        said = f"- decisions: {value} (instead of: {line}{'; ' if why else ''}{why})\n"
        kind_, head = (Append, "") if log in planning.snapshot.files else (Create, f"# {planning.today}\n\n")
        draft.write(kind_, log, head + said, f"the successor of {path}:{number}", RiskTier.C)
    report = "".join(f"{change.path}: {change.reason}\n" for change in draft.changes)
    facts = {"corrected": [change.path for change in draft.changes]}
    return draft.outcome(System.CORRECT, "the line says that already", report=report, facts=facts)


def _is_past(path: str, kind: PlaceKind) -> bool:
    return kind.source or is_archived(path) or path.startswith(_PAST) or kind.how == "words"


def _below(text: str, done: str, number: int, planning: Planning, said: tuple[str, str]) -> str:
    """The note with the old line below the new one, where it is an item of a list."""
    before, lines = split_lines(text)[number - 1], done.split("\n")
    parts, today = row_parts(before), planning.today.isoformat()
    if parts is not None:  # a row of an entry: its successor is an entry as well
        ident = entry_id(kind_of_row("", before[-15:-5], parts.quote), said[0])
        lines[number - 1] = entry_row(today, said[0], ident)
        lines.insert(number, marked_row(before, SupersededBy(ident, today)))
    elif before.lstrip().startswith(("- ", "* ", "+ ")):
        lines.insert(number, f"{before.rstrip()} (superseded: {' '.join((today, said[1])).strip()})")
    return "\n".join(lines)
