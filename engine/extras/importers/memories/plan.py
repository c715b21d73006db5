"""Plans an import of memories: each entry once, at the place of its type, and a report of all entries read (G16)."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from engine.extras.importers.files import SourceBytes, source_files
from engine.extras.importers.memories import placement
from engine.extras.importers.memories.kinds import MemoryKind
from engine.extras.importers.memories.memory import ImportedMemory, memory_id
from engine.extras.importers.originals import OriginalKeeper
from engine.lifecycle.account import IMPORT_ROWS, Account, by_ending, first_rows
from engine.lifecycle.extract.destinations import with_entries
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.lifecycle.requests import ImportRequest
from engine.plans.flags import foreign
from engine.plans.plan import Create, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import find_secrets, redact
from engine.workspace.layout import is_guarded
from engine.workspace.paths import MAX_FILE

MOST_NOTES, MOST_ROWS = 500, 5_000  # of one plan; the next run goes on with the others
CHANGED, REMOVED, WAITING, LARGE = "changed since their import", "removed by you", "for the next run", "too large"


def plan_memories(
    planning: Planning,
    asked: ImportRequest,
    kind: MemoryKind,
    imported: Collection[str] = (),
    keeper: OriginalKeeper | None = None,
) -> PlanOutcome:
    """Plans the import of new memories. `imported`: the ids from applied imports; those deleted since stay deleted.
    `keeper` keeps the files read, outside the workspace. Raises `UsageError` if nothing is at the path."""
    found = _Found(planning, kind, imported, keeper)
    found.looked = asked.looked
    found.read(source_files(Path(asked.path).expanduser(), kind.endings, asked.only, found.unread))
    return found.outcome()


class _Found:
    """Everything found below the place, counted."""

    def __init__(
        self, planning: Planning, kind: MemoryKind, imported: Collection[str], keeper: OriginalKeeper | None
    ) -> None:
        self._planning, self._kind, self._draft, self._keeper = planning, kind, Draft(planning), keeper
        self._known = placement.KnownMemories(planning.snapshot, imported)
        self._placement = placement.Placement(planning.snapshot, kind.tool)
        self._files = self._entries = self._redacted = 0
        self._memories: list[ImportedMemory] = []
        self._left_out: Counter[str] = Counter()
        self.looked: tuple[str, ...] = ()
        self.unread: Counter[str] = Counter()
        self._problems: list[str] = []
        self._seen: set[str] = set()
        self._taken: list[ImportedMemory] = []
        self._duplicates = 0
        self._rows: list[str] = []
        self._ids: dict[str, list[str]] = {}
        self._before: set[str] = set()
        self._after: set[str] = set()

    def read(self, files: Iterable[SourceBytes]) -> None:
        """Reads every file. A file of another kind is reported, and reading continues."""
        for file in files:
            self._files += 1
            self._planning.report("files", self._files)
            if file.problem:
                self._refuse(file.source, file.problem)
                continue
            try:
                found = self._kind.read(file.data, file.source)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                self._refuse(file.source, f"not of this kind: {error}")
                continue
            self._entries += found.entries
            self._left_out += found.left_out
            self._memories += found.memories
            if self._keeper is not None:
                keys = (key for memory in found.memories for key in placement.keys_of(_clean(memory), self._kind.tool))
                self._keeper.take(file.source, file.data, keys)
        if self._keeper is not None:
            self._keeper.finish(self._known.keys)

    def _refuse(self, path: str, problem: str) -> None:
        self._problems.append(f"{path}: {problem}")
        if self._keeper is not None:
            self._keeper.refuse(path, problem)

    def outcome(self) -> PlanOutcome:
        """The plan, or the reason why there is nothing to do; either way with the report."""
        for memory in self._memories:
            self._take(memory)
        self._add_rows([memory for memory in self._taken if not memory.whole])
        for memory in self._taken:
            if memory.whole:
                path, text = self._placement.note_path(memory), placement.note_text(memory, self._kind.tool)
                self._add(path, text, [memory], there=False)
        report, facts = "\n".join(self._lines()) + "\n", self._facts()
        there = ", ".join(by_ending(self.unread)) or "nothing else is there"
        none = "nothing new: the workspace has every memory" if self._memories else f"no memory was found: {there}"
        kept = Account(entries=frozenset(self._before), kept=frozenset(self._before & self._after))
        exact = self._entries == len(self._taken) + self._duplicates + self._left_out.total()
        gates = (
            QualityGate("account", exact, self._account()),
            QualityGate("kept", kept.exact, kept.line("entries of changed files")),
        )
        redacted = [f"{self._redacted} secrets were taken out"] if self._redacted else []
        warnings = (*redacted, *self._problems[:IMPORT_ROWS])
        return self._draft.outcome(
            "import", none, trigger=self._kind.name, gates=gates, report=report, facts=facts, warnings=warnings
        )

    def _take(self, memory: ImportedMemory) -> None:
        clean = _clean(memory)
        notes = sum(taken.whole for taken in self._taken)
        if clean.id in self._seen or clean.id in self._known.there:
            self._duplicates += 1
        elif clean.id in self._known.imported:  # somebody took it out since
            self._left_out[REMOVED] += 1
        elif path := self._known.earlier(clean, self._kind.tool):
            self._left_out[CHANGED] += 1
            self._problems.append(f"{memory.where}: {path} has it as it was when it was imported")
        elif len(clean.text.encode()) > MAX_FILE // 4:
            self._left_out[LARGE] += 1
            self._problems.append(f"{memory.where}: it is larger than a note should be")
        elif (clean.whole and notes >= MOST_NOTES) or len(self._taken) - notes >= MOST_ROWS:
            self._left_out[WAITING] += 1
        else:
            self._redacted += len(find_secrets(memory.text))
            self._taken.append(clean)
        self._seen.add(clean.id)

    def _add_rows(self, memories: Iterable[ImportedMemory]) -> None:
        places: dict[str, list[tuple[placement.Place, ImportedMemory]]] = {}
        for memory in memories:
            place = self._placement.row_place(memory)
            places.setdefault(place.path, []).append((place, memory))
        for path, rows in places.items():
            there = path in self._planning.snapshot.files
            first = rows[0][0]
            new = f"---\n{first.head}{placement.LABEL}---\n\n# {first.title}\n"
            old = self._planning.snapshot.content(path).decode("utf-8", "replace") if there else new
            text = old if old.endswith("\n") or not old else f"{old}\n"
            for section in dict.fromkeys(place.section for place, _ in rows):
                group = [memory for place, memory in rows if place.section == section]
                entries = [placement.row_text(memory, self._kind.tool) for memory in group]
                text, _ = with_entries(text, section, entries)
            if there:
                self._before |= _entries(path, old)
                self._after |= _entries(path, text)
            self._add(path, text, [memory for _, memory in rows], there=there)

    def _add(self, path: str, text: str, memories: list[ImportedMemory], *, there: bool) -> None:
        number = self._draft.next_number
        names = list(dict.fromkeys(visible_line(memory.source) for memory in memories))
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        self._ids[str(number)] = [memory.id for memory in memories]
        change = (Replace if there else Create)(
            n=number,
            path=path,
            risk_tier=RiskTier.C if is_guarded(path) else RiskTier.B,
            reason=f"{self._kind.tool}: {names[0]}{more}",
            content=text,
        )
        words = "\n".join(memory.text for memory in memories)
        self._draft.add(foreign(change, words, f"a memory of {self._kind.tool}"))
        for memory in memories:
            words = " ".join(memory.text.split())[:70]
            self._rows.append(f"  {memory.type.value:<9} {visible_line(words)}  → {path}")

    def _account(self) -> str:
        return (
            f"{self._entries:,} entries = {len(self._taken):,} imported + {self._duplicates:,} duplicates"
            f" + {self._left_out.total():,} omitted"
        )

    def _facts(self) -> dict[str, Any]:
        days = self._days()
        return {
            "kind": self._kind.name,
            "looked": list(self.looked),
            "files": self._files,
            "unread": [{"ending": name, "files": count} for name, count in sorted(self.unread.items())],
            "entries": self._entries,
            "imported": len(self._taken),
            "duplicates": self._duplicates,
            "left_out": dict(sorted(self._left_out.items())),
            "secrets": self._redacted,
            "first": days[0] if days else None,
            "last": days[-1] if days else None,
            "ids": self._ids,
            "problems": self._problems[:IMPORT_ROWS],
        }

    def _days(self) -> list[str]:
        return sorted(memory.day.isoformat() for memory in self._memories if memory.day is not None)

    def _lines(self) -> Iterator[str]:
        if self.looked:
            yield f"looked in {', '.join(map(visible_line, self.looked))}"
        yield f"{self._kind.title}: {self._files:,} files"
        if days := self._days():
            yield f"from {days[0]} to {days[-1]}"
        yield self._account()
        yield from (f"{name}: not read" for name in by_ending(self.unread))
        if self._keeper is not None and self._keeper.count:
            yield self._keeper.told
        for reason, count in sorted(self._left_out.items()):
            yield f"omitted, {reason}: {count:,}"
        if self._redacted:
            yield f"secrets taken out: {self._redacted:,}"
        yield from first_rows(self._rows, IMPORT_ROWS)
        yield from (f"skipped: {visible_line(problem)}" for problem in self._problems[:IMPORT_ROWS])


def _clean(memory: ImportedMemory) -> ImportedMemory:
    return msgspec.structs.replace(memory, text=redact(memory.text), section=redact(memory.section))


def _entries(path: str, text: str) -> set[str]:
    return {memory_id(entry.text) for entry in memory_entries(path, text)}
