"""What the executor can reach of one effect: its paths in the workspace, and the names it uses aside."""

import os
from typing import assert_never

from engine.errors import Refused
from engine.plans.executor import fsops
from engine.plans.executor.fsops import Found, Spot
from engine.plans.executor.ground import Ground
from engine.plans.operation import Effect, Put, Shift, Withdraw
from engine.plans.records.journal import Inode, Slot
from engine.workspace.paths import Missing


class Reach:
    """Looks at an effect's files; what changes them builds on it."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground

    def held(self, effect: Effect, slot: Slot) -> list[tuple[str, str]]:
        """What is held under the slot's names: its absolute path, and the sha256 it was meant to have.

        What came in another state, or changes later, is a conflict that `late_bytes` tells.
        """
        kept, back = _expected(effect)
        found = []
        if self.kept_facts(slot) is not None:
            found.append((self.ground.place(slot.keep_yard, "held", slot.name), kept))
        if self.back_facts(slot) is not None:
            found.append((self.ground.place(slot.stage_yard or slot.keep_yard, "held", slot.back), back))
        return found

    def sha256(self, path: str) -> str | None:
        """The hash of the regular file at `path`; None for nothing or anything else."""
        return sha256_of(self.look(path))

    def _at(self, spot: Spot | None) -> os.stat_result | None:
        return None if spot is None else fsops.facts(spot)

    def look(self, path: str) -> Found | None:
        """What is at a workspace path, hashed; None for nothing, or where a link has taken a folder's place."""
        try:
            return fsops.look(self.ground.spot(path))
        except (Missing, Refused):
            return None

    def facts(self, path: str) -> os.stat_result | None:
        """What is at a workspace path, its bytes not read; None as for `look`."""
        try:
            return fsops.facts(self.ground.spot(path))
        except (Missing, Refused):
            return None

    def kept(self, slot: Slot) -> Found | None:
        """What the effect displaced, hashed."""
        spot = self.ground.glimpse(slot.keep_yard, "held", slot.name)
        return None if spot is None else fsops.look(spot)

    def staged_facts(self, slot: Slot) -> os.stat_result | None:
        """The new content that waits aside."""
        return self._at(self.ground.glimpse(slot.stage_yard or slot.keep_yard, "stage", slot.name))

    def kept_facts(self, slot: Slot) -> os.stat_result | None:
        """What the effect displaced."""
        return self._at(self.ground.glimpse(slot.keep_yard, "held", slot.name))

    def back_facts(self, slot: Slot) -> os.stat_result | None:
        """What the effect had put in place before it was taken back."""
        return self._at(self.ground.glimpse(slot.stage_yard or slot.keep_yard, "held", slot.back))

    def stage_spot(self, slot: Slot) -> Spot:
        """Where new content waits, to be changed."""
        return self.ground.aside(slot.stage_yard or slot.keep_yard, "stage", slot.name)

    def keep_spot(self, slot: Slot) -> Spot:
        """Where what is displaced goes."""
        return self.ground.aside(slot.keep_yard, "held", slot.name)

    def back_spot(self, slot: Slot) -> Spot:
        """Where the operation's own file goes when it is taken back: on the mount where it was staged."""
        return self.ground.aside(slot.stage_yard or slot.keep_yard, "held", slot.back)


def _expected(effect: Effect) -> tuple[str, str]:
    """The hashes of what an effect displaces, and of what it puts in place."""
    match effect:
        case Put():
            return effect.before or "", effect.after
        case Shift():
            return effect.sha256, effect.sha256
        case Withdraw():
            return effect.before, effect.before
        case _:
            assert_never(effect)


def inode_of(facts: os.stat_result | None) -> Inode | None:
    """Device and inode of what was found."""
    return None if facts is None else (facts.st_dev, facts.st_ino)


def sha256_of(found: Found | None) -> str | None:
    """The hash of what was found, if that is a regular file."""
    return None if found is None else found.sha256
