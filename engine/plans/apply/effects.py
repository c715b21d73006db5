"""Does one effect, and undoes it."""

from typing import assert_never

import msgspec

from engine.errors import Conflict, Refused
from engine.history.hook_scripts import HOOKS
from engine.plans.apply import filesystem
from engine.plans.apply.crash_state import EffectPaths, inode_of
from engine.plans.apply.filesystem import FolderEntry
from engine.plans.operation import Effect, Rename, Withdraw, Write
from engine.plans.records.journal import Slot
from engine.workspace.paths import FileMissing


class EffectFailed(Conflict):
    """A foreign write was met and the effect could not be undone: it remains, and nothing is lost."""


class EffectRunner(EffectPaths):
    """Does effects in one workspace. A file that was ever visible in the workspace is renamed, never unlinked."""

    def prepare(self, name: str, effect: Effect) -> Slot:
        """Gives the names that the effect will use in the yards, and the inode that is now at its path."""
        crossing = isinstance(effect, Rename) and not self.ground.same_mount(effect.path, effect.to)
        stage_yard = None
        if isinstance(effect, Write):
            stage_yard = self.ground.yard_for(effect.path)
        elif isinstance(effect, Rename) and crossing:
            stage_yard = self.ground.yard_for(effect.to)
        keep_yard, inode = self.ground.yard_for(effect.path), inode_of(self.facts(effect.path))
        return Slot(name=name, stage_yard=stage_yard, keep_yard=keep_yard, inode=inode, crossing=crossing)

    def stage(self, effect: Effect, slot: Slot, data: bytes) -> Slot:
        """Writes the effect's new content to its yard and syncs it."""
        spot = self.stage_spot(slot)
        like = self.facts(effect.path)
        target = effect.to if isinstance(effect, Rename) else effect.path
        # A folder that is still to be made will belong to whom the nearest one above it does.
        folder = None if like else self.ground.folder(self.ground.nearest_folder(target))
        staged = filesystem.stage(spot, data, like, folder, program=target in HOOKS)
        return msgspec.structs.replace(slot, staged=staged)

    def drop_staged(self, slot: Slot) -> None:
        """Removes staged content that was never visible in the workspace."""
        if slot.stage_yard is not None and self.staged_facts(slot) is not None:
            filesystem.drop(self.stage_spot(slot))

    def perform(self, effect: Effect, slot: Slot) -> None:
        """Does the effect. `Conflict` where a foreign write is met; the effect is then as if it had not been tried."""
        try:
            match effect:
                case Write(before=None):
                    self._appear(self.stage_spot(slot), effect.path)
                case Write():
                    self._replace(effect, slot)
                case Rename():
                    self._shift(effect, slot)
                case Withdraw():
                    self._expect(effect.path, effect.before)
                    self._hold(effect.path, effect.before, slot)
                case _:
                    assert_never(effect)
        except FileMissing as gone:
            raise Conflict("its folder vanished while applying", where=effect.path, hint="plan again") from gone
        except Refused as refusal:
            raise Conflict(f"not to be reached: {refusal.line()}", where=effect.path) from refusal

    def _appear(self, source: FolderEntry, path: str) -> None:
        try:
            filesystem.rename_noreplace(source, self.ground.spot(path, changes=True))
        except FileExistsError as error:
            raise Conflict("a file appeared here while applying", where=path) from error

    def _replace(self, effect: Write, slot: Slot) -> None:
        self._expect(effect.path, effect.before)
        target = self.ground.spot(effect.path, changes=True)
        try:
            filesystem.displace(self.stage_spot(slot), target, self.keep_spot(slot))
        except FileNotFoundError as error:
            raise _vanished(effect.path) from error
        kept = self.kept(slot)
        # A write may have come between look and exchange: what was displaced tells, and goes back into its place.
        if kept is not None and kept.sha256 != effect.before:
            filesystem.displace(self.keep_spot(slot), target, self.back_spot(slot))
            raise _changed(effect.path)

    def _shift(self, effect: Rename, slot: Slot) -> None:
        self._expect(effect.path, effect.sha256)
        if slot.crossing:
            # The copy is in its place before the original is held: at no instant is the note nowhere.
            self._appear(self.stage_spot(slot), effect.to)
            self._hold(effect.path, effect.sha256, slot, undo_to=effect.to)
            return
        self._rename(effect.path, effect.to)
        moved = self.look(effect.to)
        if moved is not None and moved.sha256 != effect.sha256:
            try:
                self._rename(effect.to, effect.path)
            except Conflict as error:
                message = f"another program changed it while applying and made a new one; see {effect.to}"
                raise EffectFailed(message, where=effect.path) from error
            raise _changed(effect.path)

    def _hold(self, path: str, sha256: str, slot: Slot, undo_to: str | None = None) -> None:
        """Moves the file to the yard; moves it back where it has other bytes than expected."""
        try:
            filesystem.rename_noreplace(self.ground.spot(path, changes=True), self.keep_spot(slot))
        except FileNotFoundError as error:
            if undo_to is not None:
                self._taken_aside(undo_to, sha256, slot)
            raise _vanished(path) from error
        kept = self.kept(slot)
        if kept is not None and kept.sha256 != sha256:
            try:
                self._appear(self.keep_spot(slot), path)
            except Conflict as error:
                place = self.ground.place(slot.keep_yard, "held", slot.name)
                message = f"another program changed it while applying and made a new one; see {place}"
                raise EffectFailed(message, where=path) from error
            if undo_to is not None:
                self._taken_aside(undo_to, sha256, slot)
            raise _changed(path)

    def _rename(self, path: str, to: str) -> None:
        try:
            filesystem.rename_noreplace(self.ground.spot(path, changes=True), self.ground.spot(to, changes=True))
        except FileExistsError as error:
            raise Conflict("a file appeared here while applying", where=to) from error
        except FileNotFoundError as error:
            raise _vanished(path) from error

    def _expect(self, path: str, sha256: str | None) -> None:
        if (found := self.look(path)) is None:
            raise _vanished(path)
        if found.sha256 != sha256:
            raise _changed(path)

    def revert(self, effect: Effect, slot: Slot) -> str | None:
        """Undoes an effect; gives the reason if others' later writes forbid it, else None."""
        try:
            match effect:
                case Write(before=None):
                    return self._revert_creation(effect, slot)
                case Write():
                    return self._revert_replacement(effect, slot)
                case Rename():
                    return self._revert_shift(effect, slot)
                case Withdraw():
                    self._appear(self.keep_spot(slot), effect.path)
                    return None
        except (Conflict, FileMissing, Refused) as error:
            return f"{effect.path}: could not be undone, {error.message}"

    def _revert_creation(self, effect: Write, slot: Slot) -> str | None:
        if (found := self.look(effect.path)) is None:
            return None
        if found.sha256 != effect.after or not self._taken_aside(effect.path, effect.after, slot):
            return _changed_since(effect.path)
        return None

    def _revert_replacement(self, effect: Write, slot: Slot) -> str | None:
        found = self.look(effect.path)
        if found is None or found.sha256 != effect.after:
            return _changed_since(effect.path)
        if self.kept(slot) is None:
            # The file system keeps no inode aside; undo has the bytes.
            return f"{effect.path}: could not be undone at once, undo can"
        target = self.ground.spot(effect.path, changes=True)
        filesystem.displace(self.keep_spot(slot), target, self.back_spot(slot))
        taken = filesystem.look(self.back_spot(slot))
        if taken is not None and taken.sha256 != effect.after:
            filesystem.displace(self.back_spot(slot), target, self.keep_spot(slot))
            return _changed_since(effect.path)
        return None

    def _revert_shift(self, effect: Rename, slot: Slot) -> str | None:
        if not slot.crossing:
            self._rename(effect.to, effect.path)
            return None
        if not self._taken_aside(effect.to, effect.sha256, slot):
            return _changed_since(effect.to)
        self._appear(self.keep_spot(slot), effect.path)
        return None

    def _taken_aside(self, path: str, sha256: str, slot: Slot) -> bool:
        """Moves the operation's own file at `path` to the yard; False where others wrote to it, and then it stays."""
        filesystem.rename_noreplace(self.ground.spot(path, changes=True), self.back_spot(slot))
        taken = filesystem.look(self.back_spot(slot))
        if taken is None or taken.sha256 == sha256:
            return True
        self._appear(self.back_spot(slot), path)
        return False


def _changed_since(path: str) -> str:
    return f"{path}: could not be undone, another program changed it after it was written"


def _changed(path: str) -> Conflict:
    return Conflict("another program changed it while applying", where=path, hint="nothing is lost; plan again")


def _vanished(path: str) -> Conflict:
    return Conflict("another program took it away while applying", where=path, hint="plan again")
