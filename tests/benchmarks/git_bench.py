"""Git: one note committed, and what recall answers, with 10,000 files and 2,000 commits (autopoiesis §3.6).

A commit is on disk once it is counted: memdeck asks git to fsync what it writes.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import truediv
from pathlib import Path
from statistics import median

from engine.services.engine import Engine
from tests.benchmarks.figure import Figure
from tests.engine.history.repos import commit, git

FILES, COMMITS, LINES = 10_000, 2_000, 1_000
ROUNDS = 15
WORD = "heliotrope"
"""What `recall when` looks for: forty commits bring it or take it away."""
LONG = "knowledge/projects/long.md"
_EVERY = 50
_START = datetime(2026, 1, 1, tzinfo=UTC)


def ratios() -> list[Figure]:
    """Times in milliseconds, and the search of history as a ratio to git's own within this run."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "workspace"
        make_history(folder)
        env = {"XDG_STATE_HOME": f"{base}/s", "XDG_CONFIG_HOME": f"{base}/c", "HOME": base}
        with Engine.open(folder, env=env) as engine:
            engine.status.read()
            return [_one_note(folder), *_when(engine, folder), _blame(engine), _past_tree(engine)]


def make_history(folder: Path) -> None:
    """A repository whose 2,000 commits each change one note of 10,000, the long one by lines among them."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    stream = b"".join(_stream())
    git(folder, "fast-import", "--quiet", stdin=stream)
    git(folder, "reset", "-q", "--hard")


def _stream() -> Iterator[bytes]:
    """The history in the words of `git fast-import`."""
    yield _head(0) + b"".join(_file(_path(number), _text(number)) for number in range(FILES))
    long: list[str] = []
    for number in range(1, COMMITS):
        if number % 2:
            long = [*long, f"line {number} of the project"][-LINES:]
            yield _head(number) + _file(LONG, "\n".join(long) + "\n")
            continue
        word = f"- {WORD}\n" if number % _EVERY == 0 and number // _EVERY % 2 else ""
        place = 7 if number % _EVERY == 0 else number % FILES
        yield _head(number) + _file(_path(place), _text(place) + f"- change {number}\n{word}")


def _head(number: int) -> bytes:
    at = int((_START + timedelta(minutes=30 * number)).timestamp())
    message = f"memory: change {number}"
    head = f"commit refs/heads/main\ncommitter Ana <ana@example.org> {at} +0000\n"
    return f"{head}data {len(message)}\n{message}\n".encode()


def _file(path: str, text: str) -> bytes:
    data = text.encode()
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)


def _path(number: int) -> str:
    return f"knowledge/reference/part-{number % 100}/note-{number}.md"


def _text(number: int) -> str:
    return f"# Note {number}\n\n" + "".join(f"- fact {number}.{line} of the memory\n" for line in range(12))


def _one_note(folder: Path) -> Figure:
    """The median time of a commit of one note; beside it that of `git add` and `git commit`, in turns."""
    ours, plain = [], []
    for number in range(1, ROUNDS + 1):
        _write(folder, number)
        ours.append(_seconds(partial(_committed, folder, number)))
        _write(folder, number + ROUNDS)
        plain.append(_seconds(partial(_plainly, folder, number + ROUNDS)))
    detail = f"fsynced; git add and git commit: {1e3 * median(plain):.0f} ms"
    return Figure("commit of one note, 10,000 files, 2,000 commits", 1e3 * median(ours), 60, "ms", detail)


def _write(folder: Path, number: int) -> None:
    (folder / _path(number)).write_text(f"# Note {number}\n\n- written again {time.perf_counter_ns()}\n")


def _committed(folder: Path, number: int) -> None:
    report = commit(folder, _path(number), number=number)
    assert report.commit and not report.problems, report


def _plainly(folder: Path, number: int) -> None:
    git(folder, "add", _path(number))
    git(folder, "-c", "core.fsync=committed", "commit", "-q", "-m", "memory: a note")


def _when(engine: Engine, folder: Path) -> list[Figure]:
    """The first answer, and all of them against `git log -S`."""
    firsts, alls, floors, found = [], [], [], 0
    for _ in range(7):
        floors.append(_seconds(lambda: git(folder, "log", f"-S{WORD}", "--format=%H")))
        began = time.perf_counter()
        answers = engine.recall.when(WORD)
        next(answers)
        firsts.append(time.perf_counter() - began)
        found = 1 + sum(1 for _ in answers)
        alls.append(time.perf_counter() - began)
    detail = f"{found} answers, git {1e3 * median(floors):.0f} ms"
    return [
        Figure("recall when, first answer, 2,000 commits", 1e3 * median(firsts), 200, "ms"),
        Figure("recall when, all answers ÷ git log -S", median(map(truediv, alls, floors)), 1.2, detail=detail),
    ]


def _blame(engine: Engine) -> Figure:
    spent = median(_seconds(lambda: engine.recall.blame(LONG)) for _ in range(3))
    return Figure("recall blame of 1,000 lines", 1e3 * spent, 300, "ms")


def _past_tree(engine: Engine) -> Figure:
    at = _START + timedelta(minutes=30 * COMMITS // 2)
    spent = median(_seconds(lambda: engine.recall.tree(at)) for _ in range(3))
    assert len(engine.recall.tree(at).files) > FILES
    return Figure("recall: 10,000 notes as they were", 1e3 * spent, 1_000, "ms")


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


if __name__ == "__main__":
    for figure in ratios():
        print(figure)
