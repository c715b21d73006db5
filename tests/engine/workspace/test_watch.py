"""Watching: changes are told within a moment, links lead nowhere, and nothing ends the watch."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.workspace import file_events as watch_module
from tests.engine.workspace.scanning import NOW, Place

PATIENCE = 10.0


class Collector:
    """Watches in a thread and collects what it is told."""

    def __init__(self, place: Place, *, baseline: bool = False) -> None:
        scanner = place.scanner()
        if baseline:
            scanner.scan(NOW)
        self.watcher = scanner.watcher()
        self.batches: list[tuple[str, ...]] = []
        self.stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        for batch in self.watcher.batches(self.stop):
            self.batches.append(batch)

    def start(self, place: Place) -> "Collector":
        """Starts, and waits until changes are told."""
        self._thread.start()
        self.until(lambda: self._told_of_a_mark(place))
        self.batches.clear()
        return self

    def _told_of_a_mark(self, place: Place) -> bool:
        place.write("mark.md", str(time.monotonic_ns()))
        return any("mark.md" in batch for batch in self.batches)

    @property
    def paths(self) -> set[str]:
        return {path for batch in self.batches for path in batch} - {"mark.md"}

    def until(self, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not reached():
            assert time.monotonic() < deadline, f"told only of {self.batches}"
            assert self._thread.is_alive() or reached(), "watching ended"
            time.sleep(0.01)

    def sees(self, *paths: str) -> None:
        self.until(lambda: set(paths) <= self.paths)

    def end(self) -> float:
        """Stops, and says how long that took."""
        started = time.monotonic()
        self.stop.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return time.monotonic() - started


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    made.write("memory/working/a.md")
    yield made
    made.root.close()


@pytest.fixture
def collector(place: Place) -> Iterator[Collector]:
    made = Collector(place).start(place)
    yield made
    made.end()


def test_files_that_are_made_changed_renamed_and_removed_are_told(place: Place, collector: Collector) -> None:
    place.write("memory/working/new.md")
    collector.sees("memory/working/new.md")
    collector.batches.clear()
    place.write("memory/working/a.md", "changed")
    collector.sees("memory/working/a.md")
    collector.batches.clear()
    (place.folder / "memory/working/a.md").rename(place.folder / "memory/working/b.md")
    collector.sees("memory/working/a.md", "memory/working/b.md")
    collector.batches.clear()
    (place.folder / "memory/working/b.md").unlink()
    collector.sees("memory/working/b.md")


def test_what_happens_in_new_folders_is_told(place: Place, collector: Collector) -> None:
    place.write("topics/deep/er/first.md")
    collector.sees("topics", "topics/deep/er/first.md")
    place.write("topics/deep/er/second.md")
    collector.sees("topics/deep/er/second.md")
    (place.folder / "topics").rename(place.folder / "subjects")
    collector.sees("topics", "subjects")
    collector.batches.clear()
    place.write("subjects/deep/er/third.md")
    collector.sees("subjects/deep/er/third.md")
    shutil.rmtree(place.folder / "subjects")
    collector.sees("subjects")
    place.write("subjects/fourth.md")
    collector.sees("subjects/fourth.md")


def test_an_atomic_replacement_is_told_by_the_name_it_takes(place: Place, collector: Collector) -> None:
    place.write("memory/working/.memdeck-x1", "new")
    (place.folder / "memory/working/.memdeck-x1").rename(place.folder / "memory/working/a.md")
    collector.sees("memory/working/a.md")
    assert collector.paths == {"memory/working/a.md"}


def test_links_are_not_followed_and_closed_folders_are_not_watched(place: Place) -> None:
    place.write(".git/objects/x.md")
    place.write("node_modules/p/x.md")
    (place.folder / "out").symlink_to(place.outside)
    (place.folder / "loop").symlink_to(".")
    collector = Collector(place).start(place)
    (place.outside / "x.md").write_text("outside")
    place.write(".git/objects/y.md")
    place.write("node_modules/p/y.md")
    place.write(".memdeck/held/y.md")
    place.write("memory.db")
    place.write("last.md")
    collector.sees("last.md")
    collector.end()
    assert collector.paths == {"last.md"}
    assert not any(part in folder for folder in collector.watcher._folders for part in ("out", "loop", ".git"))


def test_in_a_tiers_folder_everything_is_told_and_elsewhere_settings_are(place: Place, collector: Collector) -> None:
    place.write("memory/working/notes.txt")
    place.write("memory/.memory-compactor-meta.json", "{}")
    place.write("memory-config.yaml")
    collector.sees("memory/working/notes.txt", "memory/.memory-compactor-meta.json", "memory-config.yaml")


def test_watching_stops_within_half_a_second(place: Place) -> None:
    assert Collector(place).start(place).end() < 0.5


def test_a_change_is_told_soon(place: Place, collector: Collector) -> None:
    waits = []
    for number in range(5):
        collector.batches.clear()
        started = time.monotonic()
        place.write("memory/working/a.md", str(number))
        collector.sees("memory/working/a.md")
        waits.append(time.monotonic() - started)
    assert min(waits) < 0.3


def test_changes_between_the_scan_and_the_watch_are_told(place: Place) -> None:
    collector = Collector(place, baseline=True)
    place.write("memory/working/a.md", "changed before watching began")
    place.write("new/folder/x.md")
    collector._thread.start()
    collector.sees("memory/working/a.md", "new/folder/x.md", "new")
    collector.end()


def test_names_that_are_no_text_do_not_end_the_watch(place: Place, collector: Collector) -> None:
    odd = os.fsdecode(b"memory/working/odd\xff.md")
    (place.folder / odd).write_text("x")
    collector.sees(odd)
    place.write("memory/working/line\nbreak.md")
    collector.sees("memory/working/line\nbreak.md")
    place.write("memory/working/after.md")
    collector.sees("memory/working/after.md")
    assert collector.watcher.degraded_reason is None


def test_a_burst_is_told_whole(place: Place, collector: Collector) -> None:
    names = [f"memory/working/burst-{number}.md" for number in range(500)]
    for name in names:
        place.write(name)
    collector.sees(*names)


def refuse_watches(monkeypatch: pytest.MonkeyPatch, problem: Exception) -> None:
    import watchfiles

    def refuse(*paths: object, **options: object) -> Iterator[object]:
        raise problem

    monkeypatch.setattr(watchfiles, "watch", refuse)
    monkeypatch.setattr(watch_module, "POLL_SECONDS", 0.05)


LIMITS = [
    OSError('OS file watch limit reached. about ["/x"] (Error)'),
    RuntimeError("Error creating recommended watcher: Too many open files (os error 24)"),
]


@pytest.mark.parametrize("problem", LIMITS)
def test_where_the_system_gives_no_watch_changes_are_looked_for_and_it_says_so(
    place: Place, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    refuse_watches(monkeypatch, problem)
    collector = Collector(place).start(place)
    assert collector.watcher.degraded_reason is not None
    assert str(problem).partition(" about ")[0] in collector.watcher.degraded_reason
    (place.outside / "x.md").write_text("outside")
    (place.folder / "out").symlink_to(place.outside)
    place.write("memory/working/a.md", "changed")
    place.write("new/x.md")
    collector.sees("memory/working/a.md", "new", "new/x.md")
    assert collector.end() < 0.5


@pytest.mark.parametrize("polled", [False, True])
def test_a_workspace_that_is_gone_ends_the_watch(place: Place, monkeypatch: pytest.MonkeyPatch, polled: bool) -> None:
    if polled:
        refuse_watches(monkeypatch, OSError("OS file watch limit reached."))
    collector = Collector(place).start(place)
    shutil.rmtree(place.folder)
    collector.until(lambda: ("",) in collector.batches)
    collector.end()


def test_watchfiles_is_loaded_only_when_watching_begins() -> None:
    code = "import sys, engine.workspace.file_events, engine.workspace.scanner; sys.exit('watchfiles' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
