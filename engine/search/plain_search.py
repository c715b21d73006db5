"""Searches without an index: with ripgrep if installed, otherwise in Python. The hits are right, the ranking simple."""

import math
import os
import subprocess
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from os import fsdecode, fsencode
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.search.indexing.file_text import title_of
from engine.search.query import Query
from engine.search.ranking.file_scores import ScoredFile
from engine.search.ranking.ranker import RankedFile
from engine.search.results.snippet import literals
from engine.search.values import SearchMethod
from engine.text.document import split_lines
from engine.text.words import normal
from engine.workspace.snapshot import Snapshot
from engine.workspace.system_calls import find_program

RG_SECONDS = 20.0  # seconds after which ripgrep is given up, and notes are searched one by one
PLAIN_LINES = 3  # lines after the one that was found, for the snippet
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
"""ASCII in the full-width forms that Chinese and Japanese keyboards type."""

Line = tuple[str, int, str]  # path, line number from 1, and the line


class PlainAnswer(msgspec.Struct, frozen=True):
    """The files, each with its best line. A file's score is the share of the query's weight found in it."""

    found: tuple[RankedFile, ...]
    engine: SearchMethod
    remark: str = ""


def plain_search(
    snapshot: Snapshot, root: Path, asked: Query, paths: Iterable[str], deadline: Callable[[], bool]
) -> PlainAnswer:
    """Returns the files that contain the query's words as written, those with the rarer words first."""
    wanted = literals(asked)
    among = frozenset(paths)
    if not wanted or not among:
        return PlainAnswer((), SearchMethod.PYTHON)
    program = find_program("rg", root, os.environ)
    held = _ripgrep(program, root, wanted) if program is not None else None
    left = among if held is None else among & held
    reader = _Reader(snapshot, sorted(left), wanted, deadline)
    found = _scored(reader, snapshot, wanted, len(among))
    remark = f"{reader.left} files were not searched for want of time" if reader.left else ""
    return PlainAnswer(found, SearchMethod.PYTHON if held is None else SearchMethod.RIPGREP, remark)


def _ripgrep(program: str, root: Path, wanted: tuple[str, ...]) -> frozenset[str] | None:
    """Returns the notes that contain one of the words, in any spelling; None if ripgrep fails. `--no-config` keeps a
    configuration from starting a preprocessor; words come by standard input, so that none is an option."""
    command = [program, "--no-config", "-F", "-i", "-l", "-0", "--color=never", "--no-messages", "--no-ignore"]
    command += ["--max-filesize=16M", "-g", "*.md", "-f", "-", "--", f"{root}/"]
    forms = dict.fromkeys(form for word in wanted for form in _forms(word))
    try:
        done = subprocess.run(
            command,
            input=fsencode("\n".join(forms) + "\n"),
            capture_output=True,
            cwd="/",
            timeout=RG_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode not in (0, 1):
        return None
    return frozenset(fsdecode(path).removeprefix(f"{root}/") for path in done.stdout.split(b"\0") if path)


def _forms(word: str) -> Iterator[str]:
    """Yields the spellings of a word that count as the same: composed or not, full-width, with `ß` or `ss`."""
    yield word
    yield unicodedata.normalize("NFC", word)
    yield unicodedata.normalize("NFD", word)
    yield word.translate(_FULL_WIDTH)
    yield word.replace("ss", "ß")
    yield word.replace("ß", "ss")


class _Reader:
    """The same search in Python, reading files through the workspace. `left`: the files that time did not allow."""

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


def _scored(lines: Iterable[Line], snapshot: Snapshot, wanted: tuple[str, ...], files: int) -> tuple[RankedFile, ...]:
    held: defaultdict[str, set[str]] = defaultdict(set)
    best: dict[str, tuple[int, int]] = {}
    for path, number, line in lines:
        text = normal(line).lower()
        if here := {word for word in wanted if word in text}:
            held[path] |= here
            if len(here) > best.get(path, (0, 0))[0]:
                best[path] = (len(here), number)
    counts = {word: sum(word in words for words in held.values()) for word in wanted}
    weights = {word: math.log(1 + files / (count + 0.5)) for word, count in counts.items()}
    whole = sum(weights.values()) or 1.0
    found = []
    for path, words in held.items():
        share, start = sum(weights[word] for word in words) / whole, best[path][1]
        scored = ScoredFile(0, share, 0.0, share, None, 0)
        found.append(RankedFile(path, title_of(snapshot.files[path]), start, start + PLAIN_LINES, scored))
    return tuple(sorted(found, key=lambda file: (-file.scored.score, file.path)))
