"""Indexing of raw logs: processor time beside its floor, memory, and one changed file among them.

`python -m tests.benchmarks.index_bench 60 15.9` takes 60 logs of 15.9 MB each, a gigabyte: some twenty minutes of an
idle machine. The floor is the same text, cut into the same chunks, inserted into FTS5 and embedded, and nothing else.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import apsw
import msgspec

from engine.search.embedding.embedder import NoEmbedder
from engine.search.embedding.static import static_embedder
from engine.search.indexing.chunks import chunks
from tests.benchmarks.figure import Figure
from tests.benchmarks.logs import write_logs
from tests.benchmarks.search_bench import Bench, peak_megabytes
from tests.conftest import SHARED

SMALL = (4, 3.0)
"""Logs, and megabytes of each, in `make bench`."""
BATCH = 2_000


class Built(msgspec.Struct):
    """What a process that only indexes has measured: seconds of processor and clock, megabytes, milliseconds."""

    processor: float
    clock: float
    memory: float
    change: float


def build(base: Path) -> Built:
    bench = Bench(base)
    started = time.perf_counter()
    processor = bench.build()
    clock, memory = time.perf_counter() - started, peak_megabytes()
    (bench.folder / "knowledge/reference/part-0").mkdir(parents=True)
    change = bench.one_change()
    bench.close()
    return Built(processor, clock, memory, change)


def built_by_another(base: Path) -> Built:
    command = [sys.executable, "-m", "tests.benchmarks.index_bench", "--build", str(base)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=Path(__file__).parents[2])
    return msgspec.json.decode(done.stdout, type=Built)


def floor_seconds(folder: Path) -> float:
    """Processor time of inserting the chunks of all notes into FTS5 and embedding them."""
    embedder, spent = static_embedder(), 0.0
    with tempfile.TemporaryDirectory() as base:
        database = apsw.Connection(f"{base}/floor.db")
        database.execute("CREATE VIRTUAL TABLE notes USING fts5(body, tokenize='porter unicode61')")
        for note in sorted(folder.rglob("*.md")):
            left = chunks(note.read_text("utf-8"))
            while texts := [chunk.text for chunk in islice(left, BATCH)]:
                started = time.process_time()
                with database:
                    database.executemany("INSERT INTO notes VALUES (?)", [(text,) for text in texts])
                if not isinstance(embedder, NoEmbedder):
                    embedder.embed(texts)
                spent += time.process_time() - started
    return spent


def measured(files: int, megabytes: float) -> list[Figure]:
    """All figures for so many logs of so many megabytes."""
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        (base / "workspace").mkdir()
        size = write_logs(base / "workspace", files, int(megabytes * 1e6))
        built = built_by_another(base)
        floor = floor_seconds(base / "workspace")
    at = f"{files} logs of {megabytes:g} MB"
    detail = (
        f"{built.processor:.1f} s of processor against {floor:.1f} s; {size / 1e6:.0f} MB in {built.clock:.0f} s"
        f" by the clock, {size / 1e6 / built.clock:.1f} MB/s"
    )
    return [
        Figure(f"index build ÷ (FTS5 insert + embedding), {at}", built.processor / floor, 1.5, "×", detail),
        Figure(f"memory of a process that indexes, {at}", built.memory, 500, "MB"),
        Figure(f"file saved → found, {at}", built.change, 200, "ms"),
    ]


def ratios() -> list[Figure]:
    return measured(*SMALL) if SHARED.is_dir() else []


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--build"]:
        sys.stdout.write(msgspec.json.encode(build(Path(arguments[1]))).decode())
        return
    parser = argparse.ArgumentParser(prog="index_bench")
    parser.add_argument("files", nargs="?", type=int, default=SMALL[0])
    parser.add_argument("megabytes", nargs="?", type=float, default=SMALL[1])
    chosen = parser.parse_args(arguments)
    for figure in measured(chosen.files, chosen.megabytes):
        print(figure)


if __name__ == "__main__":
    main(sys.argv[1:])
