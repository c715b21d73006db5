"""Search without an index: ripgrep where it is installed, else a walk in Python. Always right, never ranked as well."""

import math
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import fsdecode, fsencode
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.search.question import Question
from engine.search.snippet import literals
from engine.search.values import Engine
from engine.search.words import normal
from engine.workspace.document import split_lines
from engine.workspace.snapshot import Snapshot

RG_SECONDS = 20.0
RG_BYTES = 64 << 20
"""The most of ripgrep's answer that is read."""

Line = tuple[str, int, str]
"""Path, line number from 1, and the line."""


class PlainHit(msgspec.Struct, frozen=True):
    """A file with the share of the query's weight found in it, and its best line."""

    path: str
    share: float
    line: int


class PlainAnswer(msgspec.Struct, frozen=True):
    hits: tuple[PlainHit, ...]
    engine: Engine
    remark: str = ""


def plain_search(
    snapshot: Snapshot, root: Path, asked: Question, paths: Iterable[str], deadline: Callable[[], bool]
) -> PlainAnswer:
    """Files that hold the query's words as they are written, those with the rarer ones first."""
    wanted = literals(asked)
    among = frozenset(paths)
    if not wanted or not among:
        return PlainAnswer((), Engine.PYTHON)
    program = shutil.which("rg")
    if program is not None:
        found = _ripgrep(program, root, wanted)
        if found is not None:
            lines = (line for line in found if line[0] in among)
            return PlainAnswer(_scored(lines, wanted, len(among)), Engine.RIPGREP)
    reader = _Reader(snapshot, sorted(among), wanted, deadline)
    hits = _scored(reader, wanted, len(among))
    remark = f"{reader.left} files were not looked at for want of time" if reader.left else ""
    return PlainAnswer(hits, Engine.PYTHON, remark)


def _ripgrep(program: str, root: Path, wanted: tuple[str, ...]) -> list[Line] | None:
    """Every line of a note with one of the words; None where ripgrep cannot do it."""
    command = [program, "--no-config", "-F", "-i", "-n", "-0", "--with-filename", "--no-heading", "--color=never"]
    command += ["--no-messages", "--no-ignore", "--max-columns=2000", "--max-filesize=16M", "-g", "*.md", "-f", "-"]
    try:
        done = subprocess.run(
            [*command, "--", "./"],
            input=fsencode("\n".join(wanted) + "\n"),
            capture_output=True,
            cwd=root,
            timeout=RG_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return list(_parsed(done.stdout[:RG_BYTES])) if done.returncode in (0, 1) else None


def _parsed(output: bytes) -> Iterator[Line]:
    for record in output.split(b"\n"):
        path, nul, rest = record.partition(b"\0")
        number, colon, text = rest.partition(b":")
        if nul and colon and number.isdigit():
            yield fsdecode(path).removeprefix("./"), int(number), text.decode("utf-8", "replace")


class _Reader:
    """The same in Python: reads each file through the workspace's own door. `left` counts what time did not allow."""

    def __init__(
        self, snapshot: Snapshot, paths: list[str], wanted: tuple[str, ...], deadline: Callable[[], bool]
    ) -> None:
        self._snapshot = snapshot
        self._paths = paths
        self._wanted = wanted
        self._deadline = deadline
        self.left = 0

    def __iter__(self) -> Iterator[Line]:
        for at, path in enumerate(self._paths):
            if self._deadline():
                self.left = len(self._paths) - at
                return
            try:
                text = self._snapshot.reader(path).decode("utf-8", "replace")
            except MemdeckError:
                continue
            whole = normal(text).lower()
            if any(word in whole for word in self._wanted):
                yield from ((path, number, line) for number, line in enumerate(split_lines(text), 1))


def _scored(lines: Iterable[Line], wanted: tuple[str, ...], files: int) -> tuple[PlainHit, ...]:
    held: defaultdict[str, set[str]] = defaultdict(set)
    best: dict[str, tuple[int, int]] = {}
    for path, number, line in lines:
        text = normal(line).lower()
        here = {word for word in wanted if word in text}
        if here:
            held[path] |= here
            if len(here) > best.get(path, (0, 0))[0]:
                best[path] = (len(here), number)
    weights = _weights(held, wanted, files)
    whole = sum(weights.values()) or 1.0
    hits = (PlainHit(path, sum(weights[w] for w in words) / whole, best[path][1]) for path, words in held.items())
    return tuple(sorted(hits, key=lambda hit: (-hit.share, hit.path)))


def _weights(held: Mapping[str, set[str]], wanted: tuple[str, ...], files: int) -> dict[str, float]:
    counts = {word: sum(word in words for words in held.values()) for word in wanted}
    return {word: math.log(1 + files / (count + 0.5)) for word, count in counts.items()}
