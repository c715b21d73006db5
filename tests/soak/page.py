"""The page of memory that the campaign shares with the processes whose calls are counted, killed or failed."""

import ctypes
import errno
import functools
import hashlib
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

SOURCE = Path(__file__).with_name("faults.c")
ERRORS = {"EIO": "owyrlsumctk", "ENOSPC": "owyrlsm", "EACCES": "orlsumc", "EROFS": "orlsumc", "EMFILE": "o"}
"""Which kinds of call end with each error: nothing that is open already is refused for its rights or descriptors.

open, write, fsync (y), rename, link, symlink, unlink and rmdir, mkdir, mode and owner (c), truncate, lock (k).
"""
CUTS = ("cut", "cut-data", "cut-names", "cut-mixed")
"""Power cuts: see `Disk.survivors`."""
MODES = ("kill", "kill-after", "torn", "off", "orphan", *CUTS, *ERRORS, *(f"{name}+" for name in ERRORS))
"""Killed before, after, or half-way through a write; git killed with its memdeck, or left alone by it; power cuts; an
error once, or from there on (+)."""
LOG = 256 << 20
"""Bytes for what the calls of a run changed, as `faults.c` has it."""


class Call(msgspec.Struct, frozen=True):
    """One writing call of a run: its kind, and whether a child process (git) made it."""

    kind: str
    child: bool

    def meets(self, mode: str) -> bool:
        """Whether this mode makes a difference of its own at this call."""
        match mode:
            case "torn":
                return self.kind == "w"
            case "off" | "orphan":
                return self.child
            case "kill" | "kill-after" | "cut" | "cut-data" | "cut-names" | "cut-mixed":
                return True
            case _:
                return self.kind in ERRORS[mode.removesuffix("+")]


class _Page(ctypes.Structure):
    _fields_ = (
        ("armed", ctypes.c_int),
        ("mode", ctypes.c_int),
        ("error", ctypes.c_int),
        ("lasting", ctypes.c_int),
        ("main_pid", ctypes.c_int),
        ("fired", ctypes.c_int),
        ("logs", ctypes.c_int),
        ("overflowed", ctypes.c_int),
        ("at", ctypes.c_long),
        ("count", ctypes.c_long),
        ("logged", ctypes.c_long),
        ("errors", ctypes.c_char * 32),
        ("limbo", ctypes.c_char * 256 * 2),
        ("calls", ctypes.c_char * 65536),
        ("log", ctypes.c_char * LOG),
    )


class Page:
    """The page as the campaign's side sees it: `faults.c` has the other."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), ctypes.sizeof(_Page))
        self._page = _Page.from_buffer(self._memory)

    @staticmethod
    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(ctypes.sizeof(_Page))

    def gathers(self, folders: Sequence[Path]) -> None:
        """Names the folders, one on each device, for files that lose their last name while calls are written down."""
        for number, folder in enumerate(folders):
            self._page.limbo[number].value = os.fsencode(folder)

    @contextmanager
    def armed(self, mode: str = "count", at: int = 0, pid: int | None = None) -> Iterator[None]:
        """From here on a process (else this one) and its children count, and meet `mode` at their call number `at`."""
        error = mode.removesuffix("+")
        numbers = {"count": 0, "kill": 1, "kill-after": 2, "torn": 3, "off": 5, "orphan": 6, **dict.fromkeys(CUTS, 7)}
        page = self._page
        ctypes.memset(ctypes.addressof(page) + _Page.log.offset, 0, min(page.logged, LOG))
        page.logs, page.logged, page.overflowed = int(mode in CUTS), 0, 0
        page.mode, page.at, page.count, page.fired = numbers.get(mode, 4), at, 0, 0
        page.error, page.errors = getattr(errno, error, 0), ERRORS.get(error, "").encode()
        page.lasting, page.main_pid = int(mode.endswith("+")), pid or os.getpid()
        page.armed = 1
        try:
            yield
        finally:
            page.armed = 0

    def rest(self) -> None:
        """Disarms, where the process that armed it was killed."""
        self._page.armed = 0

    @property
    def fired(self) -> bool:
        return bool(self._page.fired)

    def log(self) -> memoryview:
        """What the calls of the last run changed, where that was a power cut."""
        if self._page.overflowed:
            raise AssertionError(f"a run writes more than {LOG >> 20} MiB down")
        return memoryview(self._memory)[_Page.log.offset :][: self._page.logged]

    def calls(self) -> tuple[Call, ...]:
        """The calls of the last run, in order."""
        made = bytes(memoryview(self._memory)[_Page.calls.offset :][: self._page.count])
        return tuple(Call(chr(kind).lower(), chr(kind).isupper()) for kind in made)


@functools.cache
def compiler() -> str | None:
    """The C compiler, if there is one, on Linux: elsewhere nothing preloads `faults.c`."""
    if sys.platform != "linux":
        return None
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@functools.cache
def library() -> Path:
    """The compiled `faults.c`, kept by the hash of its source in a folder of this user's alone."""
    folder = Path(tempfile.gettempdir()) / f"memdeck-soak-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    built = folder / f"faults-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]}.so"
    if not built.exists():
        fresh = built.with_suffix(f".{os.getpid()}")
        command = [compiler() or "cc", "-shared", "-fPIC", "-O1", str(SOURCE), "-o", str(fresh), "-ldl"]
        subprocess.run(command, check=True)
        fresh.replace(built)
    return built
