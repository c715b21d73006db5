"""The executor's hands: does one effect, takes it back, and tells from the disk alone how far a crash let it come."""

import os
from enum import StrEnum
from typing import assert_never

import msgspec

from engine.errors import Conflict
from engine.plans import fsops
from engine.plans.fsops import Found, Spot
from engine.plans.ground import Ground
from engine.plans.journal import Inode, Slot
from engine.plans.operation import Effect, Put, Shift, Withdraw
from engine.workspace.paths import Missing


class Standing(StrEnum):
    """Where an effect stands. `foreign`: not done, and its path is not as planned any more.

    `clashed`: done, but what it displaced was not what the plan knew. `reverted`: done and taken back.
    """

    TODO = "todo"
    DONE = "done"
    FOREIGN = "foreign"
    CLASHED = "clashed"
    REVERTED = "reverted"


class Stuck(Conflict):
    """A foreign write was met and the effect could not even be taken back: it stands, and nothing is lost."""


class Hands:
    """Effects on one workspace. Every inode that was ever visible under a workspace name is renamed, never unlinked."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground

    # Before ---------------------------------------------------------------------------------------------------

    def prepare(self, name: str, effect: Effect) -> Slot:
        """The names the effect will use aside, and what stands at its path now."""
        crossing = isinstance(effect, Shift) and not self.ground.same_mount(effect.path, effect.to)
        stage_yard = None
        if isinstance(effect, Put):
            stage_yard = self.ground.yard_for(effect.path)
        elif isinstance(effect, Shift) and crossing:
            stage_yard = self.ground.yard_for(effect.to)
        return Slot(
            name=name,
            stage_yard=stage_yard,
            keep_yard=self.ground.yard_for(effect.path),
            inode=_inode(self._facts(effect.path)),
            crossing=crossing,
        )

    def stage(self, effect: Effect, slot: Slot, data: bytes) -> Slot:
        """Writes the effect's new content aside, fsynced."""
        spot = self._stage_spot(slot)
        like = self._facts(effect.path)
        target = effect.to if isinstance(effect, Shift) else effect.path
        parent = target.rpartition("/")[0]
        folder = None if like or self.ground.missing_folders(target) else self.ground.folder(parent)
        return msgspec.structs.replace(slot, staged=fsops.stage(spot, data, like, folder))

    def drop_staged(self, slot: Slot) -> None:
        """Removes staged content that never became visible."""
        if slot.stage_yard is not None and self._staged_facts(slot) is not None:
            fsops.drop(self._stage_spot(slot))

    # Forward --------------------------------------------------------------------------------------------------

    def perform(self, effect: Effect, slot: Slot) -> None:
        """Does the effect. `Conflict` where a foreign write is met: then this effect is as if it had not been tried."""
        try:
            match effect:
                case Put(before=None):
                    self._appear(self._stage_spot(slot), effect.path)
                case Put():
                    self._replace(effect, slot)
                case Shift():
                    self._shift(effect, slot)
                case Withdraw():
                    self._withdraw(effect, slot)
                case _:
                    assert_never(effect)
        except Missing as missing:
            raise Conflict("its folder vanished while applying", where=effect.path) from missing

    def _appear(self, source: Spot, path: str) -> None:
        try:
            fsops.rename_noreplace(source, self.ground.spot(path, changes=True))
        except FileExistsError as error:
            raise Conflict("a file appeared here while applying", where=path) from error

    def _replace(self, effect: Put, slot: Slot) -> None:
        self._expect(effect.path, effect.before)
        target = self.ground.spot(effect.path, changes=True)
        try:
            fsops.displace(self._stage_spot(slot), target, self._keep_spot(slot))
        except FileNotFoundError as error:
            raise _vanished(effect.path) from error
        kept = self._kept(slot)
        if kept is not None and kept.sha256 != effect.before:
            fsops.displace(self._keep_spot(slot), target, self._back_spot(slot))
            raise _changed(effect.path)

    def _shift(self, effect: Shift, slot: Slot) -> None:
        self._expect(effect.path, effect.sha256)
        if slot.crossing:
            self._appear(self._stage_spot(slot), effect.to)
            self._hold(effect.path, effect.sha256, slot, undo_to=effect.to)
            return
        self._rename(effect.path, effect.to)
        moved = self._look(effect.to)
        if moved is not None and moved.sha256 != effect.sha256:
            try:
                self._rename(effect.to, effect.path)
            except Conflict as error:
                message = f"another program changed it while applying and made a new one; see {effect.to}"
                raise Stuck(message, where=effect.path) from error
            raise _changed(effect.path)

    def _withdraw(self, effect: Withdraw, slot: Slot) -> None:
        self._expect(effect.path, effect.before)
        self._hold(effect.path, effect.before, slot)

    def _hold(self, path: str, sha256: str, slot: Slot, undo_to: str | None = None) -> None:
        """Takes the file out of sight; gives it back where its bytes turn out to be others than expected."""
        try:
            fsops.rename_noreplace(self.ground.spot(path, changes=True), self._keep_spot(slot))
        except FileNotFoundError as error:
            if undo_to is not None:
                self._take_aside(undo_to, slot)
            raise _vanished(path) from error
        kept = self._kept(slot)
        if kept is not None and kept.sha256 != sha256:
            try:
                self._appear(self._keep_spot(slot), path)
            except Conflict as error:
                place = self.ground.place(slot.keep_yard, "held", slot.name)
                message = f"another program changed it while applying and made a new one; see {place}"
                raise Stuck(message, where=path) from error
            if undo_to is not None:
                self._take_aside(undo_to, slot)
            raise _changed(path)

    def _rename(self, path: str, to: str) -> None:
        try:
            fsops.rename_noreplace(self.ground.spot(path, changes=True), self.ground.spot(to, changes=True))
        except FileExistsError as error:
            raise Conflict("a file appeared here while applying", where=to) from error
        except FileNotFoundError as error:
            raise _vanished(path) from error

    def _expect(self, path: str, sha256: str | None) -> None:
        found = self._look(path)
        if found is None:
            raise _vanished(path)
        if found.sha256 != sha256:
            raise _changed(path)

    # Backward -------------------------------------------------------------------------------------------------

    def revert(self, effect: Effect, slot: Slot) -> str | None:
        """Takes back an effect that was done; the reason where others' later writes forbid it."""
        try:
            match effect:
                case Put(before=None):
                    return self._revert_creation(effect, slot)
                case Put():
                    return self._revert_replacement(effect, slot)
                case Shift():
                    return self._revert_shift(effect, slot)
                case Withdraw():
                    self._appear(self._keep_spot(slot), effect.path)
                    return None
                case _:
                    assert_never(effect)
        except (Conflict, Missing) as error:
            return f"{effect.path}: could not be taken back, {error.message}"

    def _revert_creation(self, effect: Put, slot: Slot) -> str | None:
        found = self._look(effect.path)
        if found is None:
            return None
        if found.sha256 != effect.after:
            return f"{effect.path}: could not be taken back, it was changed after it was written"
        self._take_aside(effect.path, slot)
        return None

    def _revert_replacement(self, effect: Put, slot: Slot) -> str | None:
        found = self._look(effect.path)
        if found is None or found.sha256 != effect.after:
            return f"{effect.path}: could not be taken back, it was changed after it was written"
        if self._kept(slot) is None:
            return f"{effect.path}: could not be taken back at once, undo can"
        fsops.displace(self._keep_spot(slot), self.ground.spot(effect.path, changes=True), self._back_spot(slot))
        return None

    def _revert_shift(self, effect: Shift, slot: Slot) -> str | None:
        if not slot.crossing:
            self._rename(effect.to, effect.path)
            return None
        self._appear(self._keep_spot(slot), effect.path)
        self._take_aside(effect.to, slot)
        return None

    def _take_aside(self, path: str, slot: Slot) -> None:
        """Takes away what the operation itself had put at `path`; it is held like anything displaced."""
        fsops.rename_noreplace(self.ground.spot(path, changes=True), self._back_spot(slot))

    # After a crash --------------------------------------------------------------------------------------------

    def mend(self, effect: Effect, slot: Slot) -> None:
        """Finishes the effect's single steps that a crash cut between, so that `standing` is sharp."""
        if isinstance(effect, Put) and effect.before is not None:
            self._mend_replacement(effect, slot)
        if isinstance(effect, Put) and effect.before is None:
            self._mend_rename(self._stage_spot(slot), effect.path)
        if isinstance(effect, Shift) and not slot.crossing:
            source, target = self._look(effect.path), self._look(effect.to)
            if source and target and source.inode == target.inode:
                self._rename(effect.path, effect.to)
        if isinstance(effect, Shift) and slot.crossing:
            self._mend_crossing(effect, slot)

    def _mend_replacement(self, effect: Put, slot: Slot) -> None:
        staged, kept = self._staged_facts(slot), self._kept_facts(slot)
        if staged is not None and _inode(staged) != slot.staged:
            fsops.rename_noreplace(self._stage_spot(slot), self._keep_spot(slot))  # exchanged, not yet held
        elif staged is not None and kept is not None:
            fsops.drop(self._keep_spot(slot))  # linked aside only: a second name of the file in its place
        elif kept is not None and _inode(kept) == slot.staged:
            fsops.rename_noreplace(self._keep_spot(slot), self._back_spot(slot))  # exchanged back, not yet held

    def _mend_rename(self, source: Spot, path: str) -> None:
        staged, target = fsops.facts(source), self._facts(path)
        if staged and target and _inode(staged) == _inode(target):
            self._appear(source, path)

    def _mend_crossing(self, effect: Shift, slot: Slot) -> None:
        self._mend_rename(self._stage_spot(slot), effect.to)
        placed = self._staged_facts(slot) is None and self._back_facts(slot) is None
        source = self._facts(effect.path)
        if placed and source is not None and _inode(source) == slot.inode and self._kept(slot) is None:
            fsops.rename_noreplace(self.ground.spot(effect.path, changes=True), self._keep_spot(slot))

    def standing(self, effect: Effect, slot: Slot) -> Standing:
        """How far the effect came, told by names and inodes, after `mend`."""
        if self._back_facts(slot) is not None:
            return Standing.REVERTED
        match effect:
            case Put(before=None):
                return self._waits(slot, self._facts(effect.path) is None)
            case Put():
                if self._staged_facts(slot) is not None:
                    return _todo_if(_sha256(self._look(effect.path)) == effect.before)
                return self._done_if_kept(slot, effect.before)
            case Shift():
                return self._standing_of_shift(effect, slot)
            case Withdraw():
                if self._kept(slot) is not None:
                    return self._done_if_kept(slot, effect.before)
                return _todo_if(_sha256(self._look(effect.path)) == effect.before)
            case _:
                assert_never(effect)

    def _standing_of_shift(self, effect: Shift, slot: Slot) -> Standing:
        source, target = self._look(effect.path), self._look(effect.to)
        as_planned = target is None and _sha256(source) == effect.sha256
        if slot.crossing:
            if self._staged_facts(slot) is not None:
                return _todo_if(as_planned)
            return self._done_if_kept(slot, effect.sha256)
        if target is not None and (target.inode == slot.inode or source is None):
            return Standing.DONE if target.sha256 == effect.sha256 else Standing.CLASHED
        return _todo_if(as_planned)

    def _waits(self, slot: Slot, free: bool) -> Standing:
        return _todo_if(free) if self._staged_facts(slot) is not None else Standing.DONE

    def _done_if_kept(self, slot: Slot, sha256: str | None) -> Standing:
        kept = self._kept(slot)
        return Standing.DONE if kept is None or kept.sha256 == sha256 else Standing.CLASHED

    # Looking --------------------------------------------------------------------------------------------------

    def held(self, slot: Slot) -> list[tuple[str, str]]:
        """What is held under the slot's names: absolute path and present sha256."""
        found = []
        for yard, name in ((slot.keep_yard, slot.name), (slot.stage_yard or slot.keep_yard, slot.back)):
            spot = self.ground.glimpse(yard, "held", name)
            seen = None if spot is None else fsops.look(spot)
            if seen is not None:
                found.append((self.ground.place(yard, "held", name), seen.sha256 or ""))
        return found

    def sha256(self, path: str) -> str | None:
        """The hash of the regular file at `path`; None for nothing or anything else."""
        return _sha256(self._look(path))

    def _look(self, path: str) -> Found | None:
        try:
            return fsops.look(self.ground.spot(path))
        except Missing:
            return None

    def _facts(self, path: str) -> os.stat_result | None:
        try:
            return fsops.facts(self.ground.spot(path))
        except Missing:
            return None

    def _kept(self, slot: Slot) -> Found | None:
        spot = self.ground.glimpse(slot.keep_yard, "held", slot.name)
        return None if spot is None else fsops.look(spot)

    def _at(self, spot: Spot | None) -> os.stat_result | None:
        return None if spot is None else fsops.facts(spot)

    def _staged_facts(self, slot: Slot) -> os.stat_result | None:
        return self._at(self.ground.glimpse(slot.stage_yard or slot.keep_yard, "stage", slot.name))

    def _kept_facts(self, slot: Slot) -> os.stat_result | None:
        return self._at(self.ground.glimpse(slot.keep_yard, "held", slot.name))

    def _back_facts(self, slot: Slot) -> os.stat_result | None:
        return self._at(self.ground.glimpse(slot.stage_yard or slot.keep_yard, "held", slot.back))

    def _stage_spot(self, slot: Slot) -> Spot:
        return self.ground.aside(slot.stage_yard or slot.keep_yard, "stage", slot.name)

    def _keep_spot(self, slot: Slot) -> Spot:
        return self.ground.aside(slot.keep_yard, "held", slot.name)

    def _back_spot(self, slot: Slot) -> Spot:
        # A crossing move's copy is on the other mount: it is held where it was staged.
        return self.ground.aside(slot.stage_yard or slot.keep_yard, "held", slot.back)


def _inode(facts: os.stat_result | None) -> Inode | None:
    return None if facts is None else (facts.st_dev, facts.st_ino)


def _sha256(found: Found | None) -> str | None:
    return None if found is None else found.sha256


def _todo_if(as_planned: bool) -> Standing:
    return Standing.TODO if as_planned else Standing.FOREIGN


def _changed(path: str) -> Conflict:
    return Conflict("another program changed it while applying", where=path, hint="nothing is lost; plan again")


def _vanished(path: str) -> Conflict:
    return Conflict("another program took it away while applying", where=path, hint="plan again")
