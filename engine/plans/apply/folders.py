"""Opens the folders of the workspace, and yards for staged and held files on the same mount (decision A10)."""

import os
from collections import OrderedDict
from pathlib import Path
from typing import Literal, Self

from engine.errors import Refused
from engine.plans.apply import filesystem
from engine.plans.apply.filesystem import FolderEntry
from engine.state.folder import StateFolder
from engine.state.private_files import make_private
from engine.workspace.paths import FileMissing, WorkspaceRoot

YARD = ".memdeck"  # for files on another mount than the state folder's
Part = Literal["stage", "held"]

STATE_YARD = "state"
_INSIDE = "in:"
WORKSPACE_YARD = _INSIDE
_OPEN_AT_ONCE = 64  # folder descriptors of one apply; the one used longest ago is closed for a new one
_IGNORE = ".gitignore"


class OpenFolders:
    """Opens each folder once, and syncs each changed folder once."""

    def __init__(self, root: WorkspaceRoot, state: StateFolder) -> None:
        self.root = root
        self.state = state
        self._open: OrderedDict[str, int] = OrderedDict()
        self._changed: set[str] = set()
        self._yards: dict[str, str] = {}
        self._nearest: dict[str, str] = {}
        self._mounts: dict[str, Mount] = {}
        self._yards_in_use: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._open:
            os.close(self._open.popitem()[1])

    def folder(self, path: str) -> int:
        """Gives a descriptor of a workspace folder, which this object closes; errors as `WorkspaceRoot.open_folder`.
        `Refused` for transcripts outside the workspace, which only capture writes (decision D32)."""
        if self.root.is_outside(path):
            raise Refused("the transcripts are outside the workspace, where only capture writes", where=path)
        return self._cached(f"w:{path}")

    def spot(self, path: str, *, changes: bool = False) -> FolderEntry:
        """Gives a workspace file as a name in its opened folder; `changes`: the folder is synced later."""
        parent, _, name = path.rpartition("/")
        folder = self.folder(parent)
        if changes:
            self._changed.add(f"w:{parent}")
        return FolderEntry(folder, name)

    def aside(self, yard: str, part: Part, name: str) -> FolderEntry:
        """Gives a name in a yard for writing; makes the yard."""
        key = f"{part}:{yard}"
        self._yards_in_use.add(yard)
        folder = self._cached(key)
        self._changed.add(key)  # only once it is there: fsyncing must never be what makes it
        return FolderEntry(folder, name)

    def glimpse(self, yard: str, part: Part, name: str) -> FolderEntry | None:
        """Gives a name in a yard for reading; None where there is no such yard."""
        key = f"{part}:{yard}"
        try:
            if yard != STATE_YARD and key not in self._open and self.root.lstat(f"{_inside(yard)}/{part}") is None:
                return None
            return FolderEntry(self._cached(key), name)
        except Refused:
            return None

    def staged_names(self, yard: str) -> list[str]:
        spot = self.glimpse(yard, "stage", "")
        return [] if spot is None else sorted(os.listdir(spot.folder))  # noqa: PTH208 (pathlib lists no descriptors)

    def place(self, yard: str, part: Part, name: str) -> str:
        """Gives the absolute path of a name in a yard, for the records."""
        if yard == STATE_YARD:
            return str((self.state.held if part == "held" else self.state.stage) / name)
        return str(Path(self.root.identity.path) / _inside(yard) / part / name)

    def drop_held(self, place: str) -> None:
        """Removes a held file by the absolute path in its record; it may be gone already."""
        folder, _, name = place.rpartition("/")
        if folder == str(self.state.held):
            filesystem.drop(self.aside(STATE_YARD, "held", name))
            return
        inside = folder.removeprefix(f"{self.root.identity.path}/")
        yard = _INSIDE + inside.removesuffix(f"{YARD}/held").removesuffix("/")
        if inside.endswith(f"{YARD}/held") and self.glimpse(yard, "held", name) is not None:
            filesystem.drop(self.aside(yard, "held", name))

    def yard_for(self, path: str) -> str:
        """Gives the yard on the same mount as a workspace file, whether it exists or not."""
        folder = self.nearest_folder(path)
        if folder not in self._yards:
            mount = self._mount(f"w:{folder}")
            # One yard at the workspace's root serves its whole mount; a mount further down needs one of its own.
            inside = _INSIDE if mount == self._mount("w:") else _INSIDE + folder
            self._yards[folder] = STATE_YARD if mount == self._mount(f"held:{STATE_YARD}") else inside
        return self._yards[folder]

    def _mount(self, key: str) -> "Mount":
        if key not in self._mounts:
            self._mounts[key] = mount_of(self._cached(key))
        return self._mounts[key]

    def same_mount(self, one: str, other: str) -> bool:
        """Tells whether a file can be renamed from one path to the other."""
        first, second = self.nearest_folder(one), self.nearest_folder(other)
        return first == second or self._mount(f"w:{first}") == self._mount(f"w:{second}")

    def missing_folders(self, path: str) -> list[str]:
        """Gives the folders to make before a file can be at `path`, parents first."""
        wanted, there = parent_of(path), self.nearest_folder(path)
        missing = []
        while wanted != there:
            missing.append(wanted)
            wanted = parent_of(wanted)
        return missing[::-1]

    def nearest_folder(self, path: str) -> str:
        """Gives the nearest existing folder above a path, `""` for the workspace; cached until a folder is made."""
        folder = parent_of(path)
        if folder not in self._nearest:
            there = folder
            while there and not self._is_there(there):
                there = parent_of(there)
            self._nearest[folder] = there
        return self._nearest[folder]

    def _is_there(self, folder: str) -> bool:
        try:
            return self.folder(folder) >= 0
        except FileMissing:
            return False

    def make_folder(self, path: str) -> bool:
        """Makes one workspace folder; False where it exists."""
        self._nearest.clear()
        parent, _, name = path.rpartition("/")
        try:
            return filesystem.make_folder(self.folder(parent), name)
        except OSError as error:
            error.filename = path  # the system knows only the name
            raise

    def remove_folder(self, path: str) -> bool:
        """Removes one workspace folder if it is empty."""
        parent, _, name = path.rpartition("/")
        # An open descriptor of a removed folder would take new files with it.
        self._forget(f"w:{path}")
        self._nearest.clear()
        try:
            return filesystem.remove_folder(self.folder(parent), name)
        except (FileMissing, Refused):
            return False

    def sync(self) -> None:
        """Makes every change so far durable, with one sync for each changed folder."""
        for key in sorted(self._changed):
            try:
                filesystem.sync(self._cached(key))
            except (FileMissing, Refused):
                continue  # another program took the folder away; what it took along is its own to sync
        self._changed.clear()

    def tidy(self) -> None:
        """Removes empty yards inside the workspace."""
        for yard in sorted(self._yards_in_use - {STATE_YARD}):
            inside = _inside(yard)
            for part in ("stage", "held"):
                self._forget(f"{part}:{yard}")
                self.remove_folder(f"{inside}/{part}")
            try:
                left = os.listdir(self.folder(inside))  # noqa: PTH208 (pathlib lists no descriptors)
            except (FileMissing, Refused):
                continue
            # Held files keep the yard, and then its `.gitignore` too.
            if left == [_IGNORE]:
                filesystem.drop(FolderEntry(self.folder(inside), _IGNORE))
            self.remove_folder(inside)

    def _cached(self, key: str) -> int:
        if (fd := self._open.get(key)) is None:
            if len(self._open) >= _OPEN_AT_ONCE:
                os.close(self._open.popitem(last=False)[1])
            fd = self._open[key] = self._opened(key)
        self._open.move_to_end(key)
        return fd

    def _forget(self, key: str) -> None:
        self._changed.discard(key)
        if (fd := self._open.pop(key, None)) is not None:
            os.close(fd)

    def _opened(self, key: str) -> int:
        part, _, yard = key.partition(":")
        if part == "w":
            return self.root.open_folder(yard)
        if yard == STATE_YARD:
            folder = self.state.held if part == "held" else self.state.stage
            make_private(folder)
            return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        home, inside = yard.removeprefix(_INSIDE), _inside(yard)
        with self.root.folder(home) as folder_fd:
            if filesystem.make_folder(folder_fd, YARD, 0o700):
                with self.root.folder(inside) as yard_fd:  # so that the agent's own commits leave it out
                    filesystem.stage(FolderEntry(yard_fd, _IGNORE), b"*\n", None, None)
        with self.root.folder(inside) as yard_fd:
            filesystem.make_folder(yard_fd, part, 0o700)
        return self.root.open_folder(f"{inside}/{part}")


def _inside(yard: str) -> str:
    home = yard.removeprefix(_INSIDE)
    return f"{home}/{YARD}" if home else YARD


def parent_of(path: str) -> str:
    return path.rpartition("/")[0]


Mount = tuple[int, str]  # a device, and the id of its mount where that can be told


def mount_of(fd: int) -> Mount:
    """Identifies the mount of an opened folder: no rename crosses one, not even between two mounts of one device."""
    device = os.fstat(fd).st_dev
    try:
        lines = Path(f"/proc/self/fdinfo/{fd}").read_text(encoding="ascii").splitlines()
    except OSError:
        return device, ""
    return device, next((line for line in lines if line.startswith("mnt_id:")), "")
