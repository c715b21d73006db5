"""Turns a note that differs between two folders into a change of the workspace's note, or says why there is none."""

from collections.abc import Callable

from msgspec.structs import replace

from engine.errors import Refused
from engine.lifecycle.archive.places import archive_place, protection
from engine.lifecycle.folders.folder_pair import ChangedNote
from engine.plans.flags import foreign
from engine.plans.plan import Append, Change, Create, Move, Replace, RiskTier
from engine.plans.planning import Planning
from engine.text.document import exact_text
from engine.text.frontmatter import read_frontmatter
from engine.text.safe_text import visible_line
from engine.workspace.foreign_text import added_lines, incoming
from engine.workspace.free_names import FreeNames
from engine.workspace.layout import is_guarded
from engine.workspace.paths import MAX_FILE

HELD = "held back"  # begins the reason why the gate keeps a text out (decision G27)
Merge = Callable[[str, str, str], str]
"""Brings the change from a text to another into a third; `Refused` where they overlap."""


class NoteChanges:
    """Makes the changes of one plan against the snapshot. Lines that only the workspace has stay (decision G4)."""

    def __init__(self, planning: Planning, merge: Merge) -> None:
        snapshot = planning.snapshot
        self._planning, self._merge = planning, merge
        self._skipped = {one.path: one.reason for one in snapshot.skipped}
        self._places = FreeNames(snapshot)

    def of(self, note: ChangedNote, n: int, warnings: tuple[str, ...]) -> Change | None:
        """The change of one note; None where the workspace has it so already; `Refused` where it has no place."""
        if why := self._skipped.get(visible_line(note.path)):
            raise Refused(f"the workspace's is skipped: {why}")
        change = self._of(note)
        if change is None:
            return None
        change = replace(change, n=n, warnings=() if isinstance(change, Move) else warnings)
        snapshot = self._planning.snapshot
        now = snapshot.text(note.path) if note.path in snapshot.files else ""
        added = "" if isinstance(change, Move) else added_lines(now, change.content)
        if why := incoming(note.path, added, self._planning.policy.git.private):
            raise Refused(f"{HELD}: {why}")
        return change if isinstance(change, Move) else foreign(change, added, "from another folder")

    def _of(self, note: ChangedNote) -> Change | None:
        files = self._planning.snapshot.files
        data = self._planning.snapshot.content(note.path) if note.path in files else None
        tier = RiskTier.C if is_guarded(note.path) else RiskTier.B
        if note.after is None:
            return self._archived(note, data, tier)
        if data is not None:
            return self._changed(note, data, tier)
        if note.before is not None:
            raise Refused("it was changed, and the workspace has no such note")
        content = exact_text(note.path, note.after)
        return Create(n=0, path=note.path, risk_tier=tier, reason="new in AFTER", content=content)

    def _changed(self, note: ChangedNote, data: bytes, tier: RiskTier) -> Change | None:
        now = exact_text(note.path, data)
        text = self._merged(note, now)
        if text == now:
            return None
        if len(text.encode()) > MAX_FILE:
            raise Refused("it would be larger than a note can be")
        reason = "changed in AFTER" if data == note.before else "changed in AFTER; the workspace's own lines stay"
        if now.endswith("\n") and text.startswith(now):
            return Append(n=0, path=note.path, risk_tier=tier, reason=reason, content=text[len(now) :])
        return Replace(n=0, path=note.path, risk_tier=tier, reason=reason, content=text)

    def _merged(self, note: ChangedNote, now: str) -> str:
        after = exact_text(note.path, note.after or b"")
        if now == after:
            return now
        if note.before is None:
            raise Refused("it is new in AFTER, and the workspace has another note there")
        before = exact_text(note.path, note.before)
        return after if now == before else self._merge(before, after, now)

    def _archived(self, note: ChangedNote, data: bytes | None, tier: RiskTier) -> Change | None:
        """A note that AFTER has no more goes to the archive; nothing is deleted."""
        if data is None:
            return None
        if data != note.before:
            raise Refused("it is gone in AFTER, and the workspace's was changed")
        if why := protection(note.path, read_frontmatter(data).values, data.decode("utf-8", "replace")):
            raise Refused(f"it is gone in AFTER, and never archived: {why}")
        to = archive_place(note.path, self._planning.today)
        if not to:
            raise Refused("it is gone in AFTER, and has no place in the archive")
        return Move(n=0, path=note.path, to=self._places.free_path(to), risk_tier=tier, reason="gone in AFTER")
