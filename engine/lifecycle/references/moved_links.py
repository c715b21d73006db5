"""Changes links in a plan that moves notes, so that each means the same note as before, or is reported. Transcripts,
the archive, raw logs, tree nodes and semantic memory never change."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from engine.history.gitmodules import shared_name
from engine.lifecycle.account import first_rows
from engine.lifecycle.references.file_links import LinkWay, NoteNames, is_silent, links_of_file, written_target
from engine.plans.plan import Change, Create, Input, Move, Plan, Replace, RiskTier
from engine.plans.planning import PlanOutcome
from engine.text.note_links import TextLink
from engine.text.safe_text import visible_line
from engine.workspace.layout import TIER_FOLDERS, is_guarded, is_raw_log
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier, Tick, steps


class LinkEdit(NamedTuple):
    """One link, the note that it should mean, and its new target; empty where there is none."""

    link: TextLink
    path: str
    target: str


def with_targets(text: str, edits: Sequence[LinkEdit]) -> str:
    """Gives the text with new targets; the old name becomes the label of a wikilink without one."""
    pieces, at = list[str](), 0
    for link, _, target in edits:
        pieces += [text[at : link.start], target]
        at = link.end
        # In a row of a table a label would end its cell.
        in_table = text[text.rfind("\n", 0, link.start) + 1 : link.start].lstrip().startswith("|")
        if link.wiki and link.label is None and not link.heading and not in_table:
            pieces += [text[at : link.label_at], f"|{link.target}"]
            at = link.label_at
    return "".join((*pieces, text[at:]))


FACT = "links"  # the fact of a plan that counts the links it changes
_FIXED = ("memory/daily/", "memory/weekly/", "memory/monthly/", TIER_FOLDERS[MemoryTier.SEMANTIC] + "/")
_SHOWN = 20  # links that stay as they are, of which the report names so many


def may_change_links(path: str) -> bool:
    """Tells whether a note's links may be changed: not in generated notes and not in notes of the past."""
    return not (
        is_silent(path) or is_raw_log(path) or shared_name(path) or path.startswith(_FIXED) or path == "memory/ROOT.md"
    )


def with_moved_links(outcome: PlanOutcome, snapshot: Snapshot, tick: Tick | None = None) -> PlanOutcome:
    """Adds changes of the links to moved notes to the outcome's plan."""
    plan = outcome.plan
    changes = plan.changes if plan is not None else ()
    moves = {change.path: change for change in changes if isinstance(change, Move) and change.path in snapshot.files}
    if plan is None or not moves:
        return outcome
    carried = _Carrying(plan, snapshot, moves)
    for path in steps(list(snapshot.files), "links", tick, every=200):
        carried.take(path)
    made = carried.plan()
    if made is plan:
        return outcome
    report = outcome.report + made.report[len(plan.report) :]
    return replace(outcome, plan=made, report=report, facts=outcome.facts | {FACT: made.facts[FACT]})


class _Carrying:
    """The plan while its links are changed, note by note."""

    def __init__(self, plan: Plan, snapshot: Snapshot, moves: Mapping[str, Move]) -> None:
        self._plan, self._snapshot, self._moves = plan, snapshot, moves
        self._before = NoteNames(snapshot.files)
        created = (change.path for change in plan.changes if isinstance(change, Create) and change.path.endswith(".md"))
        stay = snapshot.files.keys() - moves.keys()
        self._after = NoteNames(frozenset((*stay, *(move.to for move in moves.values()), *created)))
        self._changes: dict[str, Change] = {one.path: one for one in reversed(plan.changes)}  # the first of a path
        self._made: list[Replace] = []
        self._edited: dict[int, Replace] = {}
        self._left: list[str] = []
        self._count = 0

    def take(self, path: str) -> None:
        """Changes the links of one note."""
        there = self._changes.get(path)
        # A note that moves keeps its bytes: a move names the hash of what it moves.
        if is_silent(path) or isinstance(there, Move):
            return
        data = there.content.encode() if isinstance(there, Replace) else self._snapshot.content(path)
        found = list(self._edits(path, data))
        if not found:
            return
        why = self._objection(path, there, data)
        edits = [edit for edit in found if edit.target] if not why else []
        for edit in found:
            if edit not in edits:
                said = why or "nothing that a link can say means it"
                where = f"{visible_line(path)}:{edit.link.line}"
                self._left.append(f"  {where} keeps its link to {visible_line(edit.path)}: {said}")
        if edits:
            self._change(path, there, with_targets(data.decode(), edits), edits)

    def _edits(self, path: str, data: bytes) -> Iterator[LinkEdit]:
        for link, before in links_of_file(path, data, self._before):
            if not before.path or not link.target:
                continue
            expected = self._moves[before.path].to if before.path in self._moves else before.path
            after = self._after.meant(path, link)
            # A path in round brackets that led to the note before must not become its name alone.
            kept = link.wiki or before.way is LinkWay.NAME or after.way is not LinkWay.NAME
            if after.path == expected and kept:
                continue
            yield LinkEdit(link, expected, written_target(self._after, path, link, before.way, expected))

    def _objection(self, path: str, there: Change | None, data: bytes) -> str:
        if not may_change_links(path):
            return "its bytes are never changed"
        if there is not None and not isinstance(there, Replace):
            return "the plan adds to it"
        try:
            data.decode()
        except UnicodeDecodeError:
            return "it is not UTF-8"
        return ""

    def _change(self, path: str, there: Change | None, text: str, edits: list[LinkEdit]) -> None:
        """Adds a note's change, or edits the plan's own change of it; the change requires the moves."""
        self._count += len(edits)
        places = {move.to: move.n for move in self._moves.values()}
        needed = tuple(sorted({places[edit.path] for edit in edits if edit.path in places}))
        said = f"{len(edits):,} {'links follow' if len(edits) > 1 else 'link follows'} what moves"
        if isinstance(there, Replace):
            requires = tuple(dict.fromkeys((*there.requires, *needed)))
            reason = f"{there.reason}; {said}"
            self._edited[there.n] = replace(there, content=text, reason=reason, requires=requires)
            return
        self._made.append(
            Replace(
                n=len(self._plan.changes) + len(self._made) + 1,
                path=path,
                risk_tier=RiskTier.C if is_guarded(path) else RiskTier.B,
                reason=said,
                content=text,
                requires=needed,
            )
        )

    def plan(self) -> Plan:
        """Gives the plan with the changed links, or unchanged where there are none."""
        plan = self._plan
        if not self._count and not self._left:
            return plan
        known = {item.path for item in plan.inputs}
        files = self._snapshot.files
        read = (Input(one.path, files[one.path].sha256) for one in self._made if one.path not in known)
        rows = [f"links: {self._count:,} follow what moves, {len(self._left):,} stay", *first_rows(self._left, _SHOWN)]
        return replace(
            plan,
            changes=(*(self._edited.get(change.n, change) for change in plan.changes), *self._made),
            inputs=tuple(sorted((*plan.inputs, *read), key=lambda one: one.path)),
            report=plan.report + "\n".join((*rows, "")),
            facts=plan.facts | {FACT: {"changed": self._count, "kept": len(self._left)}},
        )
