"""Search: building the index against its floor, one changed file, and queries at 10,000 and 100,000 chunks.

`python -m tests.benchmarks.search_bench 1000000` measures a million chunks alone; it takes a quarter of an hour.
"""

import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from statistics import median, quantiles

import apsw

from engine.search.embedding import Missing
from engine.search.searcher import Searcher
from engine.search.static import static_embedder
from engine.search.values import Request
from engine.workspace.paths import Root
from engine.workspace.scan import Scanner
from engine.workspace.snapshot import Snapshot
from engine.workspace.tokens import counter
from tests.benchmarks.figure import Figure

NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)
SECTIONS = 10
"""Chunks in a file."""
QUERIES = 60
SPEED = {10_000: (15, 40), 100_000: (40, 100), 1_000_000: (300, 300)}
"""Milliseconds to reach for at so many chunks: p50 and p95."""


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


def make_notes(folder: Path, chunks: int) -> list[str]:
    """So many chunks in notes of ten sections each; gives their texts."""
    language = Language()
    texts = []
    for number in range(chunks // SECTIONS):
        parent = folder / "knowledge" / "reference" / f"part-{number % 100}"
        parent.mkdir(parents=True, exist_ok=True)
        texts.append(language.note())
        (parent / f"note-{number}.md").write_text(texts[-1], encoding="utf-8")
    return texts


def floor_seconds(texts: list[str]) -> float:
    """Processor time of inserting the same sections into FTS5 and embedding them, and nothing else."""
    sections = [part for text in texts for part in text.split("\n## ")[1:]]
    embedder = static_embedder()
    with tempfile.TemporaryDirectory() as base:
        database = apsw.Connection(f"{base}/floor.db")
        database.execute("CREATE VIRTUAL TABLE notes USING fts5(body, tokenize='porter unicode61')")
        started = time.process_time()
        with database:
            database.executemany("INSERT INTO notes VALUES (?)", [(section,) for section in sections])
        if not isinstance(embedder, Missing):
            embedder.embed(sections)
        return time.process_time() - started


class Bench:
    """A workspace of so many chunks, indexed."""

    def __init__(self, base: Path, chunks: int) -> None:
        self.folder, self.chunks = base / "workspace", chunks
        self.folder.mkdir()
        self.texts = make_notes(self.folder, chunks)
        self.size = sum(len(text.encode()) for text in self.texts)
        self.root = Root.open(self.folder)
        self.scanner = Scanner(self.root, cache_file=base / "cache", counter=counter("words*1.3"), zone="UTC")
        self.snapshot: Snapshot = self.scanner.scan(NOW)
        self.searcher = Searcher(self.root, base, static_embedder)
        assert self.searcher.embedder
        started = time.process_time()
        self.searcher.update(self.snapshot)
        self.build = time.process_time() - started

    def close(self) -> None:
        self.searcher.close()
        self.root.close()

    def queries(self) -> Iterator[float]:
        """Milliseconds of searches of two to eight words, the first one left out."""
        language = Language()
        for number in range(QUERIES + 1):
            request = Request(text=" ".join(language.asked(2 + number % 7)), seconds=None)
            yield milliseconds(lambda: self.searcher.search(request, self.snapshot))  # noqa: B023

    def one_change(self) -> float:
        """Milliseconds from a saved file to a search that finds it."""
        times = []
        for number in range(7):
            path = f"knowledge/reference/part-0/fresh-{number}.md"

            def change() -> None:
                (self.folder / path).write_text(f"saffron{number} in a note\n", encoding="utf-8")  # noqa: B023
                snapshot = self.scanner.refresh([path], NOW)  # noqa: B023
                answer = self.searcher.search(Request(text=f"saffron{number}", n=1), snapshot)  # noqa: B023
                assert answer.hits[0].path == path  # noqa: B023

            times.append(milliseconds(change))
        return median(times[1:])


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def measured(chunks: int) -> list[Figure]:
    """All figures at one size."""
    with tempfile.TemporaryDirectory() as base:
        bench = Bench(Path(base), chunks)
        times = list(bench.queries())[1:]
        change = bench.one_change()
        size = (bench.folder / "memory.db").stat().st_size
        bench.close()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        floor = floor_seconds(bench.texts)
    most50, most95 = SPEED[chunks]
    at = f"{chunks:,} chunks"
    detail = f"{bench.build:.1f} s of processor against {floor:.1f} s, {bench.size / 1e6:.0f} MB; {memory:,.0f} MB RSS"
    return [
        Figure(f"index build ÷ (FTS5 insert + embedding), {at}", bench.build / floor, 1.5, "×", detail),
        Figure(f"search p50, {at}", median(times), most50, "ms"),
        Figure(f"search p95, {at}", quantiles(times, n=20)[-1], most95, "ms"),
        Figure(f"file saved → found, {at}", change, 200, "ms"),
        Figure(f"index ÷ text, {at}", size / bench.size, 2, "×"),
    ]


def ratios() -> list[Figure]:
    return [*measured(10_000), *measured(100_000)]


if __name__ == "__main__":
    for figure in measured(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000):
        print(figure)
