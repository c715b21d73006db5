"""Scanning 10,000 notes: a warm scan against walk, stat and read of the same files; from one change to its snapshot."""

import os
import random
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from engine.text.tokens import counter
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from tests.benchmarks.figure import Figure

FILES = 10_000
NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)


def make_workspace(folder: Path) -> list[Path]:
    """Notes of about 1.5 KB in 100 folders, some with frontmatter."""
    chance = random.Random(7)
    words = [f"word{number}" for number in range(800)]
    paths: list[Path] = []
    for number in range(FILES):
        parent = folder / "memory" / ("working", "episodic", "archive", "daily")[number % 4] / f"part-{number % 25}"
        parent.mkdir(parents=True, exist_ok=True)
        head = f"---\ntitle: Note {number}\ndate: 2026-01-{number % 28 + 1:02}\n---\n" if number % 2 else ""
        lines = (" ".join(chance.choices(words, k=12)) for _ in range(16))
        paths.append(parent / f"note-{number}.md")
        paths[-1].write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    return paths


def walk_stat_read(folder: Path) -> None:
    """The floor: what it takes to see every byte once."""
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    fd = os.open(entry.path, os.O_RDONLY)
                    while os.read(fd, 1 << 20):
                        pass
                    os.close(fd)


def best(work: Callable[[], object], rounds: int = 5) -> float:
    """Seconds of the fastest round."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def refresh_ms(scanner: Scanner, folder: Path, paths: list[Path]) -> float:
    """Milliseconds from a change, already told, to the snapshot that shows it."""
    times = []
    for path in paths[:25]:
        path.write_text("changed\n", encoding="utf-8")
        started = time.perf_counter()
        scanner.refresh([path.relative_to(folder).as_posix()], NOW)
        times.append((time.perf_counter() - started) * 1000)
    return median(times)


def watched_ms(scanner: Scanner, root: WorkspaceRoot, folder: Path, paths: list[Path]) -> float:
    """Milliseconds from writing a file to the snapshot that shows it, the watcher's wait included."""
    stop = threading.Event()
    batches = scanner.watcher().batches(stop)
    written = [0.0]

    def change(path: Path) -> None:
        written[0] = time.perf_counter()
        path.write_text("changed again\n", encoding="utf-8")

    times = []
    for number, path in enumerate(paths[25:45]):
        timer = threading.Timer(0.5 if number == 0 else 0.1, change, [path])
        timer.start()
        name = path.relative_to(folder).as_posix()
        while name not in (batch := next(batches)):
            continue
        scanner.refresh(batch, NOW)
        times.append((time.perf_counter() - written[0]) * 1000)
    stop.set()
    return median(times)


def ratios() -> list[Figure]:
    """A warm scan in a new scanner, loading its cache included, and the two waits after one change."""
    tokens = counter("o200k_base")
    with tempfile.TemporaryDirectory() as base:
        folder, cache_file = Path(base) / "workspace", Path(base) / "state" / "scan"
        paths = make_workspace(folder)
        with WorkspaceRoot.open(folder) as root:

            def scan() -> Scanner:
                scanner = Scanner(root, cache_file=cache_file, counter=tokens, zone="UTC")
                scanner.scan(NOW)
                return scanner

            cold = best(scan, 1)
            floor, warm = best(lambda: walk_stat_read(folder)), best(scan)
            scanner = scan()
            told, watched = refresh_ms(scanner, folder, paths), watched_ms(scanner, root, folder, paths)
    detail = f"{warm * 1000:.0f} ms against {floor * 1000:.0f} ms; cold {cold:.1f} s"
    return [
        Figure(f"warm scan, {FILES:,} files ÷ walk + stat + read", warm / floor, 3, "×", detail),
        Figure(f"change told → snapshot, {FILES:,} files", told, 20, "ms"),
        Figure(f"file written → snapshot, {FILES:,} files", watched, 50, "ms", "the watcher's 20 ms of quiet included"),
    ]
