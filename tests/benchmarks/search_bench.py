"""Search: building the index against its floor, one changed file, and queries at 10,000 and 100,000 chunks.

`python -m tests.benchmarks.search_bench 1000000` measures a million chunks alone; it takes a quarter of an hour on an
idle machine. With `--keep FOLDER` notes and index are made once and found there again, so that only questions are
asked anew. Questions are asked by a process of their own, whose memory is that of a console which searches.
`--beside TREE` compares processor time with another checkout that has a `.venv`, in turns and over the same notes.
"""

import argparse
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from statistics import median, quantiles

import apsw
import msgspec

from engine.search.embedding.embedder import NoEmbedder
from engine.search.embedding.static import static_embedder
from engine.search.searcher import Searcher
from engine.search.values import SearchRequest
from engine.services.engine import Engine
from engine.state.database import StateDatabase
from engine.text.tokens import counter
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.snapshot import Snapshot
from tests.benchmarks.figure import Figure

NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)
SECTIONS = 10
"""Chunks in a file."""
QUERIES = 60
SPEED = {10_000: (15, 40), 100_000: (40, 100), 1_000_000: (300, 300)}
"""Milliseconds to reach for at so many chunks: p50 and p95."""
MEMORY = {10_000: 300, 100_000: 400, 1_000_000: 500}
"""Megabytes that a process which searches may take."""


class Language:
    """Words that are as common as words are: the n-th in proportion to 1/n."""

    def __init__(self) -> None:
        self._chance = random.Random(7)
        letters = "etaoinshrdlucmfwypvbgkjqxz"
        self._words = [
            "".join(self._chance.choices(letters[:16], k=self._chance.randrange(3, 10))) for _ in range(40_000)
        ]
        self._shares = list(accumulate(1 / (rank + 2) for rank in range(len(self._words))))

    def words(self, count: int) -> list[str]:
        return self._chance.choices(self._words, cum_weights=self._shares, k=count)

    def asked(self, count: int) -> list[str]:
        """Words that a person would ask for: none of the hundred most common ones, which stand for stop words."""
        return self._chance.choices(self._words[100:], cum_weights=self._shares[100:], k=count)

    def note(self) -> str:
        sections = (f"## {' '.join(self.words(3))}\n\n{self._paragraph()}\n" for _ in range(SECTIONS))
        return f"# {' '.join(self.words(4))}\n" + "\n".join(sections)

    def _paragraph(self) -> str:
        return "\n".join(" ".join(self.words(12)) for _ in range(6))


def make_notes(folder: Path, chunks: int) -> int:
    """So many chunks in notes of ten sections each; gives their bytes."""
    language = Language()
    size = 0
    for number in range(chunks // SECTIONS):
        parent = folder / "knowledge" / "reference" / f"part-{number % 100}"
        parent.mkdir(parents=True, exist_ok=True)
        size += (parent / f"note-{number}.md").write_bytes(language.note().encode())
    return size


def floor_seconds(folder: Path) -> float:
    """Processor time of inserting the same sections into FTS5 and embedding them, and nothing else."""
    embedder = static_embedder()
    spent = 0.0
    with tempfile.TemporaryDirectory() as base:
        database = apsw.Connection(f"{base}/floor.db")
        database.execute("CREATE VIRTUAL TABLE notes USING fts5(body, tokenize='porter unicode61')")
        for sections in _sections(folder):
            started = time.process_time()
            with database:
                database.executemany("INSERT INTO notes VALUES (?)", [(section,) for section in sections])
            if not isinstance(embedder, NoEmbedder):
                embedder.embed(sections)
            spent += time.process_time() - started
    return spent


def _sections(folder: Path) -> Iterator[list[str]]:
    """The sections of two hundred notes at a time."""
    notes = sorted((folder / "knowledge").rglob("note-*.md"))
    for at in range(0, len(notes), 200):
        texts = (note.read_text("utf-8") for note in notes[at : at + 200])
        yield [part for text in texts for part in text.split("\n## ")[1:]]


class Bench:
    """A workspace with a searcher over it, as a console has one."""

    def __init__(self, base: Path) -> None:
        self.folder = base / "workspace"
        self.root = WorkspaceRoot.open(self.folder)
        self.scanner = Scanner(self.root, cache_file=base / "cache", counter=counter("words*1.3"), zone="UTC")
        self.snapshot: Snapshot = self.scanner.scan(NOW)
        self.searcher = Searcher(self.root, StateDatabase(base), static_embedder)
        assert self.searcher.embedder

    def build(self) -> float:
        """Processor time of making the index."""
        started = time.process_time()
        self.searcher.update(self.snapshot)
        return time.process_time() - started

    def close(self) -> None:
        self.searcher.close()
        self.scanner.save()
        self.root.close()

    def queries(self) -> Iterator[float]:
        """Milliseconds of searches of two to eight words, the first two left out: they load what is kept."""
        language = Language()
        for number in range(QUERIES + 2):
            request = SearchRequest(text=" ".join(language.asked(2 + number % 7)), seconds=None)
            yield milliseconds(lambda: self.searcher.search(request, self.snapshot))  # noqa: B023

    def one_change(self) -> float:
        """Milliseconds from a saved file to a search that finds it."""
        times = []
        for number in range(7):
            path = f"knowledge/reference/part-0/fresh-{number}.md"

            def change() -> None:
                (self.folder / path).write_text(f"saffron{number} in a note\n", encoding="utf-8")  # noqa: B023
                snapshot = self.scanner.refresh([path], NOW)  # noqa: B023
                answer = self.searcher.search(SearchRequest(text=f"saffron{number}", n=1), snapshot)  # noqa: B023
                assert answer.hits[0].path == path  # noqa: B023

            times.append(milliseconds(change))
        for number in range(7):
            (self.folder / f"knowledge/reference/part-0/fresh-{number}.md").unlink()
        self.searcher.update(self.scanner.scan(NOW))
        return median(times[1:])


class Asked(msgspec.Struct):
    """What a process that only searches has measured: milliseconds and megabytes."""

    times: list[float]
    change: float
    memory: float


def ask(base: Path) -> Asked:
    """Searches a workspace that is indexed already."""
    bench = Bench(base)
    times = list(bench.queries())[2:]
    memory = peak_megabytes()
    change = bench.one_change()
    bench.close()
    return Asked(times, change, memory)


def peak_megabytes() -> float:
    """The most memory that this process ever took. What the kernel counts for it alone, where it says so: the usual
    figure begins with that of the process which started it.
    """
    status = Path("/proc/self/status")
    lines = status.read_text("ascii", "replace").splitlines() if status.exists() else []
    found = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return (found[0] if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def asked_by_another(base: Path) -> Asked:
    command = [sys.executable, "-m", "tests.benchmarks.search_bench", "--ask", str(base)]
    done = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parents[2])
    return msgspec.json.decode(done.stdout, type=Asked)


BESIDE = """
import sys, time
from pathlib import Path
from tests.benchmarks.search_bench import Bench
bench = Bench(Path(sys.argv[1]))
build, times = bench.build(), []
queries, started = bench.queries(), time.process_time()
for _ in queries:
    times.append(time.process_time() - started)
    started = time.process_time()
print(build, *times[2:])
bench.close()
"""
"""Indexes and asks, counting seconds of processor: run with whatever code the checkout has."""
ROUNDS = 3


def beside(tree: Path, chunks: int) -> list[Figure]:
    """Processor time of index and questions, ours by that of another checkout: the least of some rounds in turns."""
    ours = Path(__file__).parents[2]
    with tempfile.TemporaryDirectory() as place:
        notes = Path(place) / "notes"
        make_notes(notes, chunks)
        rounds = {one: [_processor(one, notes, Path(place)) for _ in range(ROUNDS)] for one in (ours, tree.absolute())}
    (build, queries), (their_build, their_queries) = (
        (min(one[0] for one in found), median(min(times) for times in zip(*(one[1:] for one in found), strict=True)))
        for found in rounds.values()
    )
    at = f"{chunks:,} chunks, beside {tree.name}"
    return [
        Figure(f"index build, {at}", build / their_build, 1.1, "×", f"{build:.1f} s against {their_build:.1f} s"),
        Figure(
            f"a search, {at}",
            queries / their_queries,
            1.1,
            "×",
            f"{1000 * queries:.2f} ms against {1000 * their_queries:.2f} ms of processor",
        ),
    ]


def _processor(tree: Path, notes: Path, place: Path) -> list[float]:
    """Seconds of processor of the index, then of each question, with the code of one checkout."""
    base = place / "base"
    shutil.copytree(notes, base / "workspace")
    command = [str(tree / ".venv/bin/python"), "-c", BESIDE, str(base)]
    done = subprocess.run(command, capture_output=True, check=True, cwd=tree, text=True)
    shutil.rmtree(base)
    return [float(one) for one in done.stdout.split()]


def watched_change(base: Path) -> float:
    """Milliseconds from a saved file to a search that finds it, where only the watcher tells a console of it."""
    folder, stop = base / "workspace", threading.Event()
    env = {"XDG_STATE_HOME": str(base / "state"), "XDG_CONFIG_HOME": str(base / "config"), "HOME": str(base)}
    with Engine.open(folder, env=env) as console:
        console.status.read()
        console.search.index()

        def follow() -> None:
            for paths in console.status.watch(stop):
                console.status.changed(paths)

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        times = [milliseconds(lambda: _found_by_watching(console, folder, number)) for number in range(8)]  # noqa: B023
        stop.set()
        thread.join()
    return median(times[1:])


def _found_by_watching(console: Engine, folder: Path, number: int) -> None:
    word = f"cardamom{number}"
    (folder / f"knowledge/reference/part-0/watched-{number}.md").write_text(f"{word} in a note\n", encoding="utf-8")
    while not any(word in hit.snippet for hit in console.search.find(word, 1, look=False).hits):
        time.sleep(0.002)


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


class Made(msgspec.Struct):
    """A workspace with its index: bytes of both, and processor seconds of the index and of its floor."""

    text: int
    size: int
    build: float
    floor: float


def make(base: Path, chunks: int) -> Made:
    """Writes the notes and indexes them."""
    (base / "workspace").mkdir(parents=True)
    text = make_notes(base / "workspace", chunks)
    bench = Bench(base)
    build = bench.build()
    size = (bench.folder / "memory.db").stat().st_size
    bench.close()
    return Made(text, size, build, floor_seconds(base / "workspace"))


def made_once(base: Path, chunks: int) -> Made:
    """What an earlier run left in this folder, or everything anew."""
    note = base / "made.json"
    if not note.exists():
        shutil.rmtree(base, ignore_errors=True)
        note.write_bytes(msgspec.json.encode(make(base, chunks)))
    return msgspec.json.decode(note.read_bytes(), type=Made)


def measured(chunks: int, keep: Path | None = None) -> list[Figure]:
    """All figures at one size."""
    with tempfile.TemporaryDirectory() as place:
        base = Path(place) / "made" if keep is None else keep / str(chunks)
        made = made_once(base, chunks)
        asked = asked_by_another(base)
        watched = watched_change(base) if chunks <= 10_000 and keep is None else None
    return [*_figures(chunks, made, asked), *_watched(chunks, watched)]


def _figures(chunks: int, made: Made, asked: Asked) -> list[Figure]:
    most50, most95 = SPEED[chunks]
    at = f"{chunks:,} chunks"
    detail = f"{made.build:.1f} s of processor against {made.floor:.1f} s, {made.text / 1e6:.0f} MB of text"
    return [
        Figure(f"index build ÷ (FTS5 insert + embedding), {at}", made.build / made.floor, 1.5, "×", detail),
        Figure(f"search p50, {at}", median(asked.times), most50, "ms"),
        Figure(f"search p95, {at}", quantiles(asked.times, n=20)[-1], most95, "ms"),
        Figure(f"file saved → found, {at}", asked.change, 200, "ms"),
        Figure(f"memory of a process that searches, {at}", asked.memory, MEMORY[chunks], "MB"),
        Figure(f"index ÷ text, {at}", made.size / made.text, 2, "×"),
    ]


def _watched(chunks: int, watched: float | None) -> list[Figure]:
    if watched is None:
        return []
    return [Figure(f"file saved → told by the watcher → found, {chunks:,} chunks", watched, 200, "ms")]


def ratios() -> list[Figure]:
    return [*measured(10_000), *measured(100_000)]


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--ask"]:
        sys.stdout.write(msgspec.json.encode(ask(Path(arguments[1]))).decode())
        return
    parser = argparse.ArgumentParser(prog="search_bench")
    parser.add_argument("chunks", nargs="?", type=int, default=10_000, choices=sorted(SPEED))
    parser.add_argument("--keep", type=Path, help="a folder in which notes and index are found again")
    parser.add_argument("--beside", type=Path, help="another checkout to compare processor time with")
    chosen = parser.parse_args(arguments)
    found = beside(chosen.beside, chosen.chunks) if chosen.beside else measured(chosen.chunks, chosen.keep)
    for figure in found:
        print(figure)


if __name__ == "__main__":
    main(sys.argv[1:])
