"""Plans the operator's decision on an undecided pair: one fact holds, both do, or other words (D61, A34)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from engine.extraction.entry import EntryGrade, EntryKind, entry_id
from engine.extraction.held import HeldEntry
from engine.extraction.judge import VERSION
from engine.extraction.rows import SupersededBy, beside_row, entry_row, entry_rows, marked_row, present_rows, row_parts
from engine.extraction.superseded import kind_of_row
from engine.lifecycle.account import Account
from engine.lifecycle.extract.destinations import tier_of_file
from engine.plans.plan import QualityGate, Replace
from engine.plans.planning import Draft, Planning, PlanOutcome

BOTH = "both"


class DecidedPair(msgspec.Struct, frozen=True):
    """Two facts and the operator's decision: the id of the kept one, or `both`."""

    earlier: HeldEntry
    later: HeldEntry
    word: str

    @property
    def out(self) -> HeldEntry:
        """The fact that is not kept."""
        return self.earlier if self.word == self.later.id else self.later

    @property
    def kept(self) -> HeldEntry:
        return self.later if self.word == self.later.id else self.earlier


def plan_decided_pairs(planning: Planning, pairs: Sequence[DecidedPair], own: str = "") -> PlanOutcome:
    """Plans marks on the facts that are not kept, and `own` words in place of the kept one."""
    work = _Words(planning)
    for pair in pairs:
        work.take(pair, own)
    return work.outcome()


class _Words:
    """The changed lines of one plan, by file."""

    def __init__(self, planning: Planning) -> None:
        self._planning = planning
        self._rows = entry_rows(planning.snapshot.files, planning.snapshot.text)
        self._lines: dict[str, list[str]] = {}
        self._said: dict[str, dict[str, str]] = defaultdict(dict)
        self._new: dict[str, list[str]] = defaultdict(list)
        self._known: dict[str, dict[str, str]] = {}
        self._own: dict[str, str] = {}

    def take(self, pair: DecidedPair, own: str) -> None:
        if pair.word == BOTH:
            if {pair.earlier.id, pair.later.id} <= self._rows.keys():
                self._put(pair.later, beside_row(self._line(pair.later), pair.earlier.id), "it holds beside another")
            return
        since = pair.later.day or self._planning.today.isoformat()
        if own and pair.kept.id not in self._own:
            self._own[pair.kept.id] = self._succeeded(pair.kept, own)
        by = self._own.get(pair.kept.id, pair.kept.id)
        why = f"{'now' if own else 'said again in'} {pair.kept.path}:{pair.kept.line}"
        self._put(pair.out, self._marked(pair.out, by, since, why), "another one holds")

    def _succeeded(self, kept: HeldEntry, own: str) -> str:
        """Replaces a line's statement by `own` words, with the old line marked below; gives the new entry's id."""
        today, line = self._planning.today.isoformat(), self._line(kept)
        ident = entry_id(kind_of_row(kept.path, kept.id, kept.text), own)
        parts, at = row_parts(line), line.find(kept.text)
        new = f"{line[:at]}{own}{line[at + len(kept.text) :]}" if at >= 0 else f"- {own}"
        if parts is not None:
            new = entry_row(today, own, ident)
            self._new[kept.path].append(ident)
            self._known[ident] = {"kind": EntryKind.FACT.value, "grade": EntryGrade.STATED.value}
        self._put(kept, f"{new}\n{self._marked(kept, ident, today, 'in your words')}", "in your words")
        return ident

    def _marked(self, entry: HeldEntry, by: str, since: str, why: str) -> str:
        line = self._line(entry)
        if row_parts(line) is not None:
            return marked_row(line, SupersededBy(by, since))
        return f"{line.rstrip()} (superseded: {self._planning.today} {why})"

    def _line(self, entry: HeldEntry) -> str:
        if entry.path not in self._lines:
            self._lines[entry.path] = self._planning.snapshot.text(entry.path).split("\n")
        return self._lines[entry.path][entry.line - 1].removesuffix("\r")

    def _put(self, entry: HeldEntry, line: str, why: str) -> None:
        old = self._lines[entry.path][entry.line - 1]
        self._lines[entry.path][entry.line - 1] = line.replace("\n", "\r\n") + "\r" if old.endswith("\r") else line
        self._said[entry.path][entry.id] = f"by your word: {why}"

    def outcome(self) -> PlanOutcome:
        draft, after, marks, ids = Draft(self._planning), set(self._rows), dict[str, Mapping[str, str]](), {}
        for path, said in self._said.items():
            content = "\n".join(self._lines[path])
            there = {ident for ident, row in self._rows.items() if row.path == path}
            after -= there - present_rows(path, content).keys()
            number = str(draft.next_number)
            marks[number], ids[number] = said, self._new.get(path, [])
            reason = f"{len(said)} decided by you: {', '.join(sorted({why[14:] for why in said.values()}))}"
            draft.write(Replace, path, content, reason, tier_of_file(path))
        account = Account(entries=frozenset(self._rows), kept=frozenset(after))
        gates = (QualityGate("account", account.exact, account.line("entries before")),)
        facts = {"extractor": VERSION, "ids": ids, "entries": self._known, "superseded": marks}
        report = "".join(f"{path}: {', '.join(said)}\n" for path, said in self._said.items())
        return draft.outcome(
            "extract", "both stay as they are", trigger="your word", gates=gates, report=report, facts=facts
        )
