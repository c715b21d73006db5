"""Reaches the paths of one effect: those in the workspace, and the names it uses aside."""

import os
from typing import assert_never

from engine.errors import Refused
from engine.plans.apply import filesystem
from engine.plans.apply.filesystem import EntryFacts, FolderEntry
from engine.plans.apply.folders import OpenFolders
from engine.plans.operation import Effect, Rename, Withdraw, Write
from engine.plans.records.journal import Inode, Slot
from engine.workspace.paths import FileMissing


class EffectPaths:
    """Looks at an effect's files; what changes them builds on it."""

    def __init__(self, ground: OpenFolders) -> None:
        self.ground = ground

    def held(self, effect: Effect, slot: Slot) -> list[tuple[str, str]]:
        """Lists what is held under the slot's names: absolute path, and the sha256 it was meant to have. What came in
        another state, or changes later, is a conflict that `late_bytes` tells."""
        kept, back = _expected(effect)
        found = []
        if self.kept_facts(slot) is not None:
            found.append((self.ground.place(slot.keep_yard, "held", slot.name), kept))
        if self.back_facts(slot) is not None:
            found.append((self.ground.place(slot.stage_yard or slot.keep_yard, "held", slot.back), back))
        return found

    def sha256(self, path: str) -> str | None:
        """Gives the hash of the regular file at `path`; None for nothing or anything else."""
        return sha256_of(self.look(path))

    def _at(self, spot: FolderEntry | None) -> os.stat_result | None:
        return None if spot is None else filesystem.facts(spot)

    def look(self, path: str) -> EntryFacts | None:
        """Reads the entry at a workspace path, hashed; None for nothing, or where a link has taken a folder's place."""
        try:
            return filesystem.look(self.ground.spot(path))
        except (FileMissing, Refused):
            return None

    def facts(self, path: str) -> os.stat_result | None:
        """Reads the facts of the entry at a workspace path, not its bytes; None as for `look`."""
        try:
            return filesystem.facts(self.ground.spot(path))
        except (FileMissing, Refused):
            return None

    def kept(self, slot: Slot) -> EntryFacts | None:
        """Reads what the effect displaced, hashed."""
        spot = self.ground.glimpse(slot.keep_yard, "held", slot.name)
        return None if spot is None else filesystem.look(spot)

    def staged_facts(self, slot: Slot) -> os.stat_result | None:
        """Gives the new content that waits aside."""
        return self._at(self.ground.glimpse(slot.stage_yard or slot.keep_yard, "stage", slot.name))

    def kept_facts(self, slot: Slot) -> os.stat_result | None:
        """Reads the facts of what the effect displaced."""
        return self._at(self.ground.glimpse(slot.keep_yard, "held", slot.name))

    def back_facts(self, slot: Slot) -> os.stat_result | None:
        """Reads the facts of what the effect had put in place before it was taken back."""
        return self._at(self.ground.glimpse(slot.stage_yard or slot.keep_yard, "held", slot.back))

    def stage_spot(self, slot: Slot) -> FolderEntry:
        """Opens the place where new content waits, to be changed."""
        return self.ground.aside(slot.stage_yard or slot.keep_yard, "stage", slot.name)

    def keep_spot(self, slot: Slot) -> FolderEntry:
        """Opens the place to which the effect displaces."""
        return self.ground.aside(slot.keep_yard, "held", slot.name)

    def back_spot(self, slot: Slot) -> FolderEntry:
        """Opens the place for the operation's own file when it is taken back: on the mount where it was staged."""
        return self.ground.aside(slot.stage_yard or slot.keep_yard, "held", slot.back)


def _expected(effect: Effect) -> tuple[str, str]:
    match effect:
        case Write():
            return effect.before or "", effect.after
        case Rename():
            return effect.sha256, effect.sha256
        case Withdraw():
            return effect.before, effect.before
        case _:
            assert_never(effect)


def inode_of(facts: os.stat_result | None) -> Inode | None:
    """Device and inode of what was found."""
    return None if facts is None else (facts.st_dev, facts.st_ino)


def sha256_of(found: EntryFacts | None) -> str | None:
    """Gives the hash of what was found, if that is a regular file."""
    return None if found is None else found.sha256
