"""What the tests of scanning and watching share."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.text.tokens import TokenCounter, counter
from engine.workspace.changed_files import GitDates
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.snapshot import Snapshot

NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)


class Place:
    """A workspace in a temporary folder, and scanners of it that share one cache file."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "workspace"
        self.outside = base / "outside"
        self.cache_file = base / "state" / "scan.cache"
        self.folder.mkdir()
        self.outside.mkdir()
        self.root = WorkspaceRoot.open(self.folder)

    def write(self, path: str, data: bytes | str = "text\n") -> Path:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode() if isinstance(data, str) else data)
        return target

    def age(self) -> None:
        """Waits until every file written so far is old enough to be relied on."""
        time.sleep(0.03)

    def scanner(self, git_dates: GitDates | None = None, tokens: TokenCounter | None = None) -> Scanner:
        return Scanner(
            self.root,
            cache_file=self.cache_file,
            counter=tokens or counter("words*1.3"),
            zone="UTC",
            git_dates=git_dates,
        )

    def scan(self) -> Snapshot:
        """What a new process would see."""
        return self.scanner().scan(NOW)


def reasons(snapshot: Snapshot) -> dict[str, str]:
    return {item.path: item.reason for item in snapshot.skipped}


@contextmanager
def opened_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of all notes that are opened in the block."""
    real = os.open
    names: list[str] = []

    def note(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if str(path).endswith(".md"):
            names.append(str(path))
        return real(path, flags, mode, dir_fd=dir_fd)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", note)
        yield names


@contextmanager
def without_privileges() -> Iterator[None]:
    """Permission bits hold in the block, for root too."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
