"""Plans shared knowledge: another repository's notes are added at one commit, updated to another, or archived. The
plan writes the notes and the pin in `.gitmodules`; its commit has a submodule in place of the notes. So each line is
reviewed, the change can be undone, and a recursive clone has the same notes."""

from collections.abc import Mapping, Sequence

import msgspec

from engine.errors import Refused
from engine.history.gitmodules import FILE, FOLDER, SharedEntry, with_entry, without_entry
from engine.lifecycle.account import IMPORT_ROWS, first_rows
from engine.lifecycle.archive.places import archive_place
from engine.plans.flags import foreign
from engine.plans.plan import Change, Create, Move, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line
from engine.workspace.snapshot import FreeNames

SHARE, UNSHARE = "share", "unshare"


class SharedRepository(msgspec.Struct, frozen=True, kw_only=True):
    """A shared repository as pinned here, empty for none, and as last fetched: its notes by path, the pinned notes'
    sha256, the files that are no notes (`left_out`), and the notes that the gate rejects (`held`)."""

    name: str
    address: str
    pin: str
    tip: str
    notes: Mapping[str, bytes] = {}
    pinned: Mapping[str, str] = {}
    left_out: tuple[str, ...] = ()
    held: Mapping[str, str] = {}

    @property
    def folder(self) -> str:
        return f"{FOLDER}{self.name}/"


def plan_share(planning: Planning, modules: bytes | None, repositories: Sequence[SharedRepository]) -> PlanOutcome:
    """Plans to update each repository to its fetched commit, or says that all are up to date."""
    work = _Sharing(planning, modules)
    for shared in repositories:
        if shared.tip and shared.tip != shared.pin:
            work.bring(shared)
    return work.outcome(SHARE, "every shared repository is at the commit that was fetched last")


def plan_unshare(planning: Planning, modules: bytes | None, repositories: Sequence[SharedRepository]) -> PlanOutcome:
    """Plans to remove shared repositories: notes are archived, pins removed."""
    work = _Sharing(planning, modules)
    for shared in repositories:
        work.take_out(shared)
    return work.outcome(UNSHARE, "nothing is shared here")


class _Sharing:
    """One plan. Its first change is that of `.gitmodules`, which each note requires."""

    def __init__(self, planning: Planning, modules: bytes | None) -> None:
        self._planning, self._draft = planning, Draft(planning)
        self._before = modules
        try:
            self._text = (modules or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refused("it is not UTF-8 text", where=FILE, hint="look at it: git reads it") from error
        self._places = FreeNames(planning.snapshot)
        self._notes: list[Change] = []
        self._rows: list[str] = []
        self._tier = RiskTier.B
        self._reasons: list[str] = []
        self._held: list[str] = []

    def bring(self, shared: SharedRepository) -> None:
        """Adds the changes that update one repository to its fetched commit."""
        present = self._present(shared)
        if not shared.pin and present:
            raise Refused("there are notes already", where=shared.folder, hint="archive or move them first")
        self._held += [f"held back: {visible_line(shared.folder + path)}: {why}" for path, why in shared.held.items()]
        if not shared.notes and not shared.held:
            raise Refused("the repository has no note that could be shared", where=shared.name)
        self._text = with_entry(self._text, SharedEntry(shared.name, shared.tip, shared.address))
        # Foreign text comes in for the first time: the strictest tier.
        self._tier = self._tier if shared.pin else RiskTier.C
        start = len(self._notes)
        self._write(shared, present)
        # Only notes that came from there go; the operator's own in the same folder stay.
        gone = [path for path in present if path not in shared.notes and path in shared.pinned]
        for path in gone:
            self._archive(shared, path, "gone in the shared repository")
        did = f"{shared.pin[:12] or 'new'} → {shared.tip[:12]}"
        self._reasons.append(f"{shared.name} {did}")
        own = len([path for path in present if path not in shared.notes and path not in shared.pinned])
        self._rows.append(
            f"{shared.name}: {did}; {len(shared.notes):,} notes, {len(self._notes) - start:,} changes, "
            f"{len(shared.left_out):,} other files do not come in, {own:,} notes of yours stay"
        )
        self._rows += first_rows([f"  not in: {visible_line(path)}" for path in shared.left_out], IMPORT_ROWS)

    def _write(self, shared: SharedRepository, present: Mapping[str, str]) -> None:
        for path, data in sorted(shared.notes.items()):
            there, content = present.get(path), data.decode("utf-8")
            if there == sha256_hex(data):
                continue
            changed = there is not None and there != shared.pinned.get(path)
            warnings = ("it was changed here since it was pinned; undo brings that text back",) if changed else ()
            kind = Create if there is None else Replace
            note = kind(
                n=0,
                path=shared.folder + path,
                risk_tier=RiskTier.C if changed else RiskTier.B,
                reason=f"{shared.name} at {shared.tip[:12]}",
                content=content,
                warnings=warnings,
            )
            self._notes.append(foreign(note, content, f"shared by {shared.name} at {shared.tip[:12]}"))

    def take_out(self, shared: SharedRepository) -> None:
        self._text = without_entry(self._text, shared.name)
        present = self._present(shared)
        for path in present:
            self._archive(shared, path, f"{shared.name} is shared no more")
        self._reasons.append(f"{shared.name} is shared no more")
        self._rows.append(f"{shared.name}: {len(present):,} notes go to the archive, its pin {shared.pin[:12]} goes")

    def _archive(self, shared: SharedRepository, path: str, reason: str) -> None:
        place = self._places.free_path(archive_place(shared.folder + path, self._planning.today))
        self._notes.append(Move(n=0, path=shared.folder + path, to=place, risk_tier=RiskTier.B, reason=reason))

    def _present(self, shared: SharedRepository) -> dict[str, str]:
        files = self._planning.snapshot.files
        below = [path for path in files if path.startswith(shared.folder)]
        return {path.removeprefix(shared.folder): files[path].sha256 for path in below}

    def outcome(self, system: str, why: str) -> PlanOutcome:
        if not self._reasons:
            return PlanOutcome(plan=None, reason_no_action=why)
        if self._before is not None:
            self._draft.bind(FILE, sha256_hex(self._before))
        reason = "the pins of shared knowledge: " + ", ".join(self._reasons)
        self._draft.write(Create if self._before is None else Replace, FILE, self._text, reason, self._tier)
        for n, note in enumerate(self._notes, 2):
            self._draft.add(msgspec.structs.replace(note, n=n, requires=(1,)))
        held = first_rows(self._held, IMPORT_ROWS)
        facts = {"shared": list(self._reasons), "held": len(self._held)}
        return self._draft.outcome(system, why, report="\n".join((*self._rows, *held, "")), facts=facts, warnings=held)
