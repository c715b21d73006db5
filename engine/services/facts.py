"""The facts that hold, for the front ends: what they replaced, undecided pairs, and ended ones (D61)."""

from collections.abc import Sequence
from datetime import date
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

import msgspec

from engine.errors import UsageError
from engine.extraction.endings import Ending
from engine.extraction.rows import holds_entries, is_lasting
from engine.plans.memory_status import EndedFact
from engine.plans.plan import OPEN_STATES, PlanState
from engine.plans.planning import PlanOutcome
from engine.services.file_answers import FileAnswers
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.state.table import StateTable, Table
from engine.text.canonical_json import sha256_hex
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts

if TYPE_CHECKING:
    from engine.extraction.what_holds import DatedStatements, FactsAnswer

_FORMAT = "1"  # raised whenever the same bytes would give other ends
STILL = "still"
_UNDONE = frozenset({PlanState.REJECTED, PlanState.STALE, PlanState.SUPERSEDED})
"""States of a plan that will never be applied: its decisions are asked again."""


class FactWord(msgspec.Struct, frozen=True):
    """The operator's decision on facts, and its plan. `word`: `both`, `still`, or the id of the fact to keep."""

    word: str
    day: str
    plan: str = ""


class _NoteEnds(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The end dates of a note's statements by id, and the releases that it tells; hashed, so that no text is stored."""

    ends: tuple[tuple[str, Ending], ...]
    shipped: tuple[tuple[str, date], ...]


def facts_of(opened: OpenWorkspace, on: date, subject: str, still: Sequence[str] = ()) -> "FactsAnswer":
    """Gives the facts that held at the end of a day; `still` are the ids that the operator said still hold."""
    from engine.extraction.what_holds import facts_on, written_lines
    from engine.services.recall import entry_records

    records, text = entry_records(opened)
    paths = filter(is_lasting, sorted(opened.fresh(look=False).files))
    written = [entry for path in paths for entry in written_lines(path, text(path))]
    return facts_on(on, subject, records, written, lambda path: text(path).split("\n"), still)


class FactService:
    """Reads the facts that hold. It writes no note: the operator's decision is a plan, recorded in the state."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        self._opened, self._queue = opened, queue
        self._words = Table(opened.database, StateTable.FACT_WORDS)
        self._dated: dict[str, tuple[str, DatedStatements]] = {}

    def read(self, on: date | None = None, subject: str = "") -> "FactsAnswer":
        """Gives the facts that held at the end of a day, by default today; undecided pairs and ended facts first."""
        return self._read(on or self._today(), subject, _UNDONE)

    def ended(self, snapshot: Snapshot) -> tuple[EndedFact, ...]:
        """Gives the facts of notes that ended by themselves; reads only changed notes and those with such facts."""
        files = [facts for path, facts in snapshot.files.items() if is_lasting(path) or holds_entries(path)]
        notes = {facts.path: self._ends_in(facts) for facts in files}
        self._note_ends.write(notes)
        today, shipped = self._today(), dict(pair for note in notes.values() for pair in note.shipped)
        still = {key for key, one in self._decided(_UNDONE).items() if one.word == STILL}
        found = list[EndedFact]()
        for facts in files:
            over = [ident not in still and end.is_over(today, shipped) for ident, end in notes[facts.path].ends]
            for one, end in compress(self._dated_in(facts).ends, over) if any(over) else ():
                found.append(EndedFact(id=one.id, text=one.text, path=one.path, line=one.line, words=end.words))
        return tuple(found)

    @cached_property
    def _note_ends(self) -> FileAnswers[_NoteEnds]:
        return FileAnswers(self._opened, "note-ends", _FORMAT, _NoteEnds)

    def _ends_in(self, facts: FileFacts) -> _NoteEnds:
        return self._note_ends.found(facts.path, facts.sha256) or _without_text(self._dated_in(facts))

    def _dated_in(self, facts: FileFacts) -> "DatedStatements":
        from engine.extraction.what_holds import dated_statements

        sha256, dated = self._dated.get(facts.path, ("", None))
        if dated is None or sha256 != facts.sha256:
            data = self._opened.root.read_or_none(facts.path) or b""
            dated = dated_statements(facts.path, data.decode("utf-8", "replace"))
            if sha256_hex(data) == facts.sha256:  # it may have changed since it was looked at
                self._dated[facts.path] = facts.sha256, dated
                self._note_ends.keep(facts.path, facts.sha256, _without_text(dated))
        return dated

    def _read(self, on: date, subject: str, undone: frozenset[PlanState]) -> "FactsAnswer":
        words = self._decided(undone)
        found = facts_of(self._opened, on, subject, [key for key, one in words.items() if one.word == STILL])
        return msgspec.structs.replace(found, cards=tuple(card for card in found.cards if card.key not in words))

    def decide(self, kept: str = "", both: str = "", own: str = "") -> PlanOutcome:
        """Queues a plan that keeps or replaces facts of an undecided pair; `UsageError` for a fact without one."""
        from engine.lifecycle.extract.decided_pairs import BOTH, DecidedPair, plan_decided_pairs

        ident, word = kept or both, BOTH if both else kept
        with self._opened.lock:
            answer = self._read(self._today(), "", _UNDONE | OPEN_STATES)
            cards = [one for one in answer.cards if ident in (one.earlier, one.later)]
            if not cards:
                raise UsageError("no other fact is perhaps the same", where=ident[:40], hint="memdeck facts")
            by_id = {fact.id: fact for fact in answer.entries}
            pairs = [DecidedPair(by_id[one.earlier], by_id[one.later], word) for one in cards]
            planning = self._opened.planning(self._opened.fresh(look=True))
            outcome = self._queue.submit(plan_decided_pairs(planning, pairs, " ".join(own.split())))
            plan = outcome.plan.id if outcome.plan is not None else ""
            for card in cards:
                self._put(card.key, FactWord(word, self._today().isoformat(), plan))
            return outcome

    def still(self, ident: str) -> None:
        """Records that an ended fact still holds, so that it is not asked again."""
        if ident not in self.read().due:
            raise UsageError("no such fact has ended", where=ident[:40], hint="memdeck facts")
        self._put(ident, FactWord(STILL, self._today().isoformat()))

    def _today(self) -> date:
        return self._opened.now().astimezone(self._opened.policy.time_zone).date()

    def _decided(self, states: frozenset[PlanState]) -> dict[str, FactWord]:
        """Gives the decisions so far, without those whose plan is in one of these states."""
        undone = {entry.id for entry in self._opened.queue.entries() if entry.state in states}
        return {key: one for key, one in self._words.values(FactWord).items() if one.plan not in undone}

    def _put(self, key: str, word: FactWord) -> None:
        with self._words.change() as rows:
            rows.put(key, msgspec.json.encode(word))


def _without_text(dated: "DatedStatements") -> _NoteEnds:
    def hashed(name: str) -> str:
        return sha256_hex(name.encode("utf-8", "replace"))[:16] if name else ""

    ends = ((one.id, msgspec.structs.replace(end, words="", release=hashed(end.release))) for one, end in dated.ends)
    return _NoteEnds(tuple(ends), tuple((hashed(name), day) for name, day in dated.shipped))
