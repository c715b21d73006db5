"""Plans a prune: entries of MEMORY.md above its cap, journals and knowledge files to the archive (autopoiesis §8.5)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from engine.lifecycle.account import REPORT_ROWS, Account, first_rows
from engine.lifecycle.archive.places import archive_place
from engine.lifecycle.prune.memory_entries import MemoryEntry, memory_entries
from engine.lifecycle.prune.memory_file import archived_entries, line_total, lost_lines, without_entries
from engine.lifecycle.prune.memory_reasons import PrunedEntry, PruneReason, pruned_entries
from engine.lifecycle.prune.old_files import PruneOptions, RetiredFile, evicted_files, old_journals
from engine.lifecycle.references.reference_days import ENTRY, text_key
from engine.lifecycle.requests import PrunePart
from engine.plans.plan import Create, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.plans.policy.workspace_keys import CONFIG_FILE
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.layout import MEMORY_MD_PATHS
from engine.workspace.snapshot import FreeNames
from engine.workspace.values import LineSpan

SYSTEM = "prune"
_WHERE = ": each change of the plan has its reason"
_SPECIFIC = ("knowledge/projects/", "knowledge/people/", "knowledge/procedures/", "knowledge/reference/")


class PrunePlanner:
    """Plans what is archived, with reasons: files whole, entries of MEMORY.md word for word (D25, G4)."""

    def __init__(self, planning: Planning, options: PruneOptions) -> None:
        self._planning, self._options, self._draft = planning, options, Draft(planning)
        self._places = FreeNames(planning.snapshot)
        self._rows: list[str] = []
        self._memory_rows: list[str] = []
        self._facts: dict[str, Any] = {}
        self._gates: list[QualityGate] = []
        self._warnings: list[str] = []

    def outcome(self) -> PlanOutcome:
        parts = self._options.parts
        if self._options.config is not None:
            self._draft.bind(CONFIG_FILE, self._options.config)
        snapshot, today = self._planning.snapshot, self._planning.today
        if PrunePart.JOURNALS in parts:
            self._move("journals", list(old_journals(snapshot, today, self._options.retention)))
        if PrunePart.FILES in parts:
            self._move("files", list(evicted_files(snapshot, today, self._options)))
        if PrunePart.MEMORY in parts or self._options.unused:
            self._prune_memory()
        rows = [row for part in (self._memory_rows, self._rows) for row in first_rows(part, REPORT_ROWS, _WHERE)]
        return self._draft.outcome(
            SYSTEM,
            "nothing is over its limit",
            report="\n".join(rows) + "\n",
            gates=self._gates,
            facts=self._facts,
            warnings=self._warnings,
        )

    # ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _move(self, name: str, files: Sequence[RetiredFile]) -> None:
        """Moves whole files, and reports those that stay with the reason."""
        gone = [retired for retired in files if not retired.stays]
        self._facts[name] = {"archived": len(gone), "kept": len(files) - len(gone)}
        if files:
            self._rows.append(f"{name}: {len(gone):,} to the archive, {len(files) - len(gone):,} kept")
        for file in files:
            self._rows.append(f"  {'keep' if file.stays else 'archive'}  {visible_line(file.path)}: {file.why}")
        for file in gone:
            self._draft.move(
                file.path, self._places.free_path(archive_place(file.path, self._planning.today)), file.why
            )

    # ── MEMORY.md ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _prune_memory(self) -> None:
        path = next((path for path in MEMORY_MD_PATHS if path in self._planning.snapshot.files), None)
        if path is None:
            self._memory_rows.append("there is no MEMORY.md")
            return
        text = self._planning.snapshot.content(path).decode("utf-8")
        lines, entries = line_total(text), memory_entries(path, text)
        unused = list(self._unused(entries))
        # Below the cap nothing goes, whatever could (decision D23), but what is asked for.
        if lines < self._options.line_cap and not unused:
            self._memory_rows.append(f"{path}: {lines:,} lines, below {self._options.line_cap:,}")
            return
        gone = unused or self._chosen(text, entries)
        after = without_entries(text, gone)
        self._tell(path, entries, gone, lines, line_total(after))
        if gone:
            self._change(path, text, after, gone)
            self._account(entries, gone, text, after)

    def _account(self, entries: Sequence[MemoryEntry], gone: Sequence[PrunedEntry], text: str, after: str) -> None:
        """Accounts for the entries; a lost line blocks the plan (decision D25)."""
        merged = frozenset(_name(pruned.entry) for pruned in gone if pruned.reason is PruneReason.REDUNDANT)
        whole, left = frozenset(map(_name, entries)), frozenset(_name(pruned.entry) for pruned in gone)
        account = Account(entries=whole, kept=whole - left, merged=merged, archived=left - merged)
        lost = lost_lines(text, after, gone)
        said = f"{account.line('entries')}; lines that stand nowhere any more: {len(lost):,}"
        self._memory_rows.insert(0, said)
        self._gates.append(QualityGate("account", not lost, said if not lost else f"{said}: {lost[0]}"))
        self._facts["memory"] = {**account.facts(), "unexplained": len(lost)}

    def _unused(self, entries: Sequence[MemoryEntry]) -> Iterator[PrunedEntry]:
        """Yields the entries that sessions loaded and no answer used, without protected ones."""
        for entry in entries:
            days = self._options.unused.get(ENTRY + text_key(entry.text))
            if days and not entry.kept:
                yield PrunedEntry(entry=entry, reason=PruneReason.UNUSED, why=f"loaded on {days:,} days, used on none")

    def _chosen(self, text: str, entries: Sequence[MemoryEntry]) -> list[PrunedEntry]:
        """Gives the entries that go, in order, until the file has room."""
        chosen: list[PrunedEntry] = []
        for one in pruned_entries(entries, self._elsewhere(), self._planning.today):
            left = line_total(without_entries(text, chosen))
            # An undated entry that is merely old goes only while the file is above the cap.
            may_stay = one.entry.day is None and one.reason is PruneReason.HISTORICAL and left < self._options.line_cap
            if left <= self._options.room or may_stay:
                break
            chosen.append(one)
        return chosen

    def _elsewhere(self) -> list[MemoryEntry]:
        """Gives the entries of the more specific files that stay in knowledge."""
        snapshot, moved = self._planning.snapshot, {change.path for change in self._draft.changes}
        paths = [path for path in snapshot.files if path.startswith(_SPECIFIC) and path not in moved]
        return [entry for path in paths for entry in memory_entries(path, snapshot.text(path))]

    def _change(self, path: str, text: str, after: str, gone: Sequence[PrunedEntry]) -> None:
        today, first = self._planning.today, self._draft.next_number
        made = archived_entries(path, text, gone, today)
        for pruned in gone:
            # The plan is bound to the file that says the same: a change there makes it stale.
            self._draft.read(pruned.into.rpartition(":")[0])
        self._draft.write(
            Create,
            self._places.free_path(f"archive/memory/MEMORY-{today}.md"),
            made.text,
            f"{len(gone):,} entries of {path}, word for word, each with its reason",
            sources=(LineSpan(path, pruned.entry.start, pruned.entry.end) for pruned in gone),
            origins=made.origins,
            # Both or neither: the archive alone says it twice, the removal alone loses it.
            requires=(first + 1,),
        )
        counts = Counter(pruned.reason for pruned in gone)
        why = ", ".join(f"{counts[reason]:,} {reason}" for reason in PruneReason if counts[reason])
        reason = f"{len(gone):,} entries go to the archive: {why}"
        self._draft.write(Replace, path, after, reason, RiskTier.C, requires=(first,))

    def _tell(
        self, path: str, entries: Sequence[MemoryEntry], gone: Sequence[PrunedEntry], before: int, after: int
    ) -> None:
        self._memory_rows.append(
            f"{path}: {before:,} lines, {after:,} after; {len(gone):,} of {len(entries):,} entries go"
        )
        for pruned in gone:
            shown = visible_line(redact(" ".join(pruned.entry.text.split())))
            cut = shown if len(shown) <= 70 else f"{shown[:70]}…"
            self._memory_rows.append(f"  line {pruned.entry.start} {pruned.reason}: {pruned.why}\n    {cut}")
        if after >= self._options.line_cap:
            kept = sum(bool(entry.kept) for entry in entries)
            self._warnings.append(
                f"{path} still has {after:,} lines, {self._options.line_cap:,} is the cap: {kept:,} entries are "
                "protected, the others are young, or undated and loaded; they need a person"
            )
            self._memory_rows.append(f"  {self._warnings[-1]}")


def _name(entry: MemoryEntry) -> str:
    return f"line {entry.start}"
