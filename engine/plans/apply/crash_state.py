"""Finds out after a crash how far each effect came, and finishes steps that were interrupted."""

import os
from collections.abc import Callable
from enum import StrEnum
from typing import assert_never

from engine.errors import Refused
from engine.plans.apply import filesystem
from engine.plans.apply.filesystem import EntryFacts, FolderEntry
from engine.plans.apply.folders import OpenFolders
from engine.plans.operation import Effect, Rename, Withdraw, Write
from engine.plans.records.journal import Inode, Slot
from engine.workspace.paths import FileMissing


class EffectPaths:
    """Reads the files of an effect, by names in the workspace and in the yards."""

    def __init__(self, ground: OpenFolders) -> None:
        self.ground = ground

    def held(self, effect: Effect, slot: Slot) -> list[tuple[str, str]]:
        """Gives the paths of the files held under the slot's names, each with the sha256 expected there."""
        kept, back = _expected(effect)
        found = []
        if self.kept_facts(slot) is not None:
            found.append((self.ground.place(slot.keep_yard, "held", slot.name), kept))
        if self.back_facts(slot) is not None:
            found.append((self.ground.place(slot.stage_yard or slot.keep_yard, "held", slot.back), back))
        return found

    def sha256(self, path: str) -> str | None:
        """Gives the hash of the regular file at `path`; None for anything else."""
        return sha256_of(self.look(path))

    def _at(self, spot: FolderEntry | None) -> os.stat_result | None:
        return None if spot is None else filesystem.facts(spot)

    def look(self, path: str) -> EntryFacts | None:
        """Reads the entry at a workspace path, with its hash; None for nothing, or where a link replaced a folder."""
        try:
            return filesystem.look(self.ground.spot(path))
        except (FileMissing, Refused):
            return None

    def facts(self, path: str) -> os.stat_result | None:
        """Reads the metadata of the entry at a workspace path; None as for `look`."""
        try:
            return filesystem.facts(self.ground.spot(path))
        except (FileMissing, Refused):
            return None

    def kept(self, slot: Slot) -> EntryFacts | None:
        """Reads the file that the effect displaced, with its hash; None if there is none."""
        spot = self.ground.glimpse(slot.keep_yard, "held", slot.name)
        return None if spot is None else filesystem.look(spot)

    def staged_facts(self, slot: Slot) -> os.stat_result | None:
        """Reads the metadata of the staged new content; None if there is none."""
        return self._at(self.ground.glimpse(slot.stage_yard or slot.keep_yard, "stage", slot.name))

    def kept_facts(self, slot: Slot) -> os.stat_result | None:
        """Reads the metadata of the file that the effect displaced; None if there is none."""
        return self._at(self.ground.glimpse(slot.keep_yard, "held", slot.name))

    def back_facts(self, slot: Slot) -> os.stat_result | None:
        """Reads the metadata of the effect's own file after its undo; None if there is none."""
        return self._at(self.ground.glimpse(slot.stage_yard or slot.keep_yard, "held", slot.back))

    def stage_spot(self, slot: Slot) -> FolderEntry:
        """Opens the place of the staged content for writing."""
        return self.ground.aside(slot.stage_yard or slot.keep_yard, "stage", slot.name)

    def keep_spot(self, slot: Slot) -> FolderEntry:
        """Opens the place where displaced files are held."""
        return self.ground.aside(slot.keep_yard, "held", slot.name)

    def back_spot(self, slot: Slot) -> FolderEntry:
        """Opens the place for the effect's own file when it is undone, on the mount where it was staged."""
        return self.ground.aside(slot.stage_yard or slot.keep_yard, "held", slot.back)


def _expected(effect: Effect) -> tuple[str, str]:
    match effect:
        case Write():
            return effect.before or "", effect.after
        case Rename():
            return effect.sha256, effect.sha256
        case Withdraw():
            return effect.before, effect.before


def inode_of(facts: os.stat_result | None) -> Inode | None:
    return None if facts is None else (facts.st_dev, facts.st_ino)


def sha256_of(facts: EntryFacts | None) -> str | None:
    """Gives the hash of an entry; None if there is none and for anything but a regular file."""
    return None if facts is None else facts.sha256


Stat = os.stat_result | None


class EffectState(StrEnum):
    """The state of one effect. `foreign`: not done, and its path has other bytes than planned. `clashed`: done, but
    it displaced other bytes than planned. `reverted`: done and undone."""

    TODO = "todo"
    DONE = "done"
    FOREIGN = "foreign"
    CLASHED = "clashed"
    REVERTED = "reverted"


class CrashInspection(EffectPaths):
    """Reads the names and inodes that `EffectRunner` left."""

    def mend(self, effect: Effect, slot: Slot) -> None:
        """Finishes steps that a crash interrupted: a rename by link and unlink may have left both names."""
        path = self.ground.spot
        match effect:
            # A new file goes stage → path; taken back it goes path → held.
            case Write(before=None):
                self._finish_rename(self.staged_facts(slot), self.facts(effect.path), lambda: self.stage_spot(slot))
                self._finish_rename(self.facts(effect.path), self.back_facts(slot), lambda: path(effect.path))
            # A replacement exchanges stage and path, then holds what came out: three names, see below.
            case Write():
                self._mend_replacement(effect, slot)
            case Rename():
                if slot.crossing:
                    self._mend_crossing(effect, slot)
                self._finish_rename(self.facts(effect.path), self.facts(effect.to), lambda: path(effect.path))
            case Withdraw():
                self._finish_rename(self.facts(effect.path), self.kept_facts(slot), lambda: path(effect.path))
            case _:
                assert_never(effect)

    def _finish_rename(self, source: Stat, target: Stat, name: Callable[[], FolderEntry]) -> None:
        """Removes the old name where the new one is the same file."""
        if source and target and inode_of(source) == inode_of(target):
            filesystem.drop(name())

    def _mend_replacement(self, effect: Write, slot: Slot) -> None:
        staged, kept, back = self.staged_facts(slot), self.kept_facts(slot), self.back_facts(slot)
        target = self.facts(effect.path)
        # The journal has the inode that was staged: another one under that name is the file that was displaced.
        # It may still be written to by whoever has it open, so it is held and never dropped (decision A10).
        if staged is not None and inode_of(staged) != slot.staged:
            filesystem.rename_noreplace(self.stage_spot(slot), self.keep_spot(slot))  # exchanged, not yet held
        elif staged is not None and kept is not None:
            if inode_of(kept) == inode_of(target):
                filesystem.drop(self.keep_spot(slot))  # linked aside only: a second name of the file in its place
            else:
                filesystem.rename_noreplace(self.keep_spot(slot), self.back_spot(slot))  # and then replaced by another
        elif kept is not None and inode_of(kept) == slot.staged:
            filesystem.rename_noreplace(self.keep_spot(slot), self.back_spot(slot))  # exchanged back, not yet held
        elif kept is not None and back is not None and inode_of(back) == inode_of(target):
            filesystem.drop(self.back_spot(slot))  # linked aside only, on the way back

    def _mend_crossing(self, effect: Rename, slot: Slot) -> None:
        path = self.ground.spot
        self._finish_rename(self.staged_facts(slot), self.facts(effect.to), lambda: self.stage_spot(slot))
        self._finish_rename(self.facts(effect.path), self.kept_facts(slot), lambda: path(effect.path))
        self._finish_rename(self.facts(effect.to), self.back_facts(slot), lambda: path(effect.to))
        placed = self.staged_facts(slot) is None and self.back_facts(slot) is None
        source = self.facts(effect.path)
        # The copy stands in its place on the other mount, and the original was not held yet: only the inode tells the
        # original from a file that the agent wrote at the same path since.
        if placed and source is not None and inode_of(source) == slot.inode and self.kept_facts(slot) is None:
            filesystem.rename_noreplace(self.ground.spot(effect.path, changes=True), self.keep_spot(slot))

    def standing(self, effect: Effect, slot: Slot) -> EffectState:
        """Gives the effect's state by names and inodes, after `mend`."""
        # The way back holds our own file under a name of its own: where it is there, the effect was done before.
        if self.back_facts(slot) is not None:
            return EffectState.REVERTED
        match effect:
            case Write():
                return self._standing_of_put(effect, slot)
            case Rename():
                return self._standing_of_shift(effect, slot)
            case Withdraw():
                if self.kept(slot) is not None:
                    return self._done_if_kept(slot, effect.before)
                return _todo_if(sha256_of(self.look(effect.path)) == effect.before)

    def _standing_of_put(self, effect: Write, slot: Slot) -> EffectState:
        present = self.look(effect.path)
        # Still staged: not done. A file that a crash cut off has another hash, and is not taken for ready.
        if self.staged_facts(slot) is not None:
            whole = sha256_of(filesystem.look(self.stage_spot(slot))) == effect.after
            is_before = whole and sha256_of(present) == effect.before and (present is None) == (effect.before is None)
            return _todo_if(is_before)
        if self.kept(slot) is not None:
            return self._done_if_kept(slot, effect.before)
        # Nothing was there to keep, or it could not be linked: then what stands there must be ours.
        ours = present is not None and (present.inode == slot.staged or present.sha256 == effect.after)
        return EffectState.DONE if ours or (present is not None and effect.before is None) else EffectState.FOREIGN

    def _standing_of_shift(self, effect: Rename, slot: Slot) -> EffectState:
        source, target = self.look(effect.path), self.look(effect.to)
        as_planned = target is None and sha256_of(source) == effect.sha256
        if slot.crossing:
            if self.staged_facts(slot) is not None:
                return _todo_if(as_planned)
            return self._done_if_kept(slot, effect.sha256)
        # A rename keeps the inode within a mount; where the numbers are others, a source that is gone tells it.
        if target is not None and (target.inode == slot.inode or source is None):
            return EffectState.DONE if target.sha256 == effect.sha256 else EffectState.CLASHED
        return _todo_if(as_planned)

    def _done_if_kept(self, slot: Slot, sha256: str | None) -> EffectState:
        kept = self.kept(slot)
        return EffectState.DONE if kept is None or kept.sha256 == sha256 else EffectState.CLASHED


def _todo_if(as_planned: bool) -> EffectState:
    return EffectState.TODO if as_planned else EffectState.FOREIGN
