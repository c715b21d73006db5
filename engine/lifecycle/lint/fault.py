"""A fault in the form of a file, and the reading of a file's head that finds the line of each key."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec

from engine.text.frontmatter import read_frontmatter
from engine.text.limited_yaml import YamlProblem, load
from engine.topics.files.yaml_lines import Place, lines


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault: its kind, its file and its line, from 1. `fix` is the whole line to stand there; empty for none."""

    kind: str
    path: str
    line: int
    what: str
    fix: str = ""


class FileHead(msgspec.Struct, frozen=True):
    """The frontmatter of a file as values, with the line of each; `body_line` is the first line of the body."""

    path: str
    values: Mapping[str, Any]
    places: Mapping[Place, int]
    body_line: int
    rows: tuple[str, ...] = ()  # the lines of the file as they are written

    def fault(self, kind: str, key: str, what: str, fix: str = "") -> Fault:
        """A fault of one key. `fix` is its right value, used where the line holds key and value alone."""
        line = self.places.get((key,), 1)
        row = self.rows[line - 1].rstrip("\r") if line <= len(self.rows) else ""
        alone = f"{key}: {self.text(key)}" in (row, row.replace('"', ""), row.replace("'", ""))
        new = f"{key}: {fix}" if fix and self.text(key) and alone else ""
        return Fault(kind=kind, path=self.path, line=line, what=what, fix=new)

    def text(self, key: str) -> str:
        """The value of a key as text; empty where it is missing or no text."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ""


def read_head(path: str, data: bytes) -> tuple[FileHead, tuple[Fault, ...]]:
    """The head of a file, empty where there is none, and the fault that keeps it from being read."""
    block = read_frontmatter(data)
    inside = data[block.start : block.end].decode("utf-8", "replace").replace("\r\n", "\n")
    text = "\n".join(inside.split("\n")[1:]).rstrip().removesuffix("---")
    empty = FileHead(path, {}, {}, block.body_line)
    if block.problem is not None and not inside:
        return empty, (Fault(kind="head", path=path, line=1, what=block.problem),)
    try:
        values = load(text, first_line=2) or {}
    except YamlProblem as problem:
        return empty, (Fault(kind="head", path=path, line=problem.line, what=problem.reason),)
    if not isinstance(values, dict):
        return empty, (Fault(kind="head", path=path, line=2, what="the head is no list of `key: value` lines"),)
    places = lines(text, first_line=2) if values else {}
    rows = tuple(data.decode("utf-8-sig", "replace").split("\n"))
    return FileHead(path, values, places, block.body_line, rows), ()


def text_faults(head: FileHead, keys: Iterable[str]) -> Iterator[Fault]:
    """The keys that are a list or a map where one text is meant (§2.3)."""
    for key in keys:
        if not isinstance(head.values.get(key, ""), str | None):
            yield head.fault("text", key, f"`{key}` is one text")


def instant_of(text: str) -> datetime | None:
    """The time that ISO 8601 writes, with or without an offset; None for anything else."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def body_lines(head: FileHead) -> Iterator[tuple[int, str]]:
    """The lines below the head, each with its number."""
    for number, line in enumerate(head.rows, 1):
        if number >= head.body_line:
            yield number, line.rstrip("\r")
