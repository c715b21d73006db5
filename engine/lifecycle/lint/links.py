"""The rules for links: each must mean one note, and a heading after `#` must be in it (autopoiesis §11, phase 4). A
link with one possible note is fixed; otherwise the nearest name is proposed."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from posixpath import dirname, join, normpath, splitext
from typing import Any
from urllib.parse import unquote

import msgspec

from engine.lifecycle.references import file_links
from engine.lifecycle.references.moved_links import LinkEdit, may_change_links, with_targets
from engine.text.frontmatter import read_frontmatter
from engine.text.limited_yaml import YamlProblem, load
from engine.text.markdown import code_mask, heading_of
from engine.text.note_links import TextLink, body_start
from engine.topics.files.yaml_lines import Place, lines
from engine.workspace.layout import is_archived


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault: its kind, file and line, from 1. `fix` is the whole new line; empty if there is none."""

    kind: str
    path: str
    line: int
    what: str
    fix: str = ""


class FileHead(msgspec.Struct, frozen=True):
    """The values of a file's frontmatter, each with its line; `body_line` is the first line of the body."""

    path: str
    values: Mapping[str, Any]
    places: Mapping[Place, int]
    body_line: int
    rows: tuple[str, ...] = ()  # the lines of the file as they are written

    def fault(self, kind: str, key: str, what: str, fix: str = "") -> Fault:
        """Gives a fault of one key. `fix` is its right value, used where the line has only key and value."""
        line = self.places.get((key,), 1)
        row = self.rows[line - 1].rstrip("\r") if line <= len(self.rows) else ""
        alone = f"{key}: {self.text(key)}" in (row, row.replace('"', ""), row.replace("'", ""))
        new = f"{key}: {fix}" if fix and self.text(key) and alone else ""
        return Fault(kind=kind, path=self.path, line=line, what=what, fix=new)

    def text(self, key: str) -> str:
        """Gives a key's value as text; empty where it is missing or no text."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ""


def read_head(path: str, data: bytes) -> tuple[FileHead, tuple[Fault, ...]]:
    """Reads a file's head, empty where there is none, and the fault that makes it unreadable."""
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
    return FileHead(path, values, places, block.body_line, tuple(data.decode("utf-8-sig", "replace").split("\n"))), ()


def text_faults(head: FileHead, keys: Iterable[str]) -> Iterator[Fault]:
    """Yields a fault for each key that is a list or map instead of a text (§2.3)."""
    for key in keys:
        if not isinstance(head.values.get(key, ""), str | None):
            yield head.fault("text", key, f"`{key}` is one text")


def instant_of(text: str) -> datetime | None:
    """Parses an ISO 8601 time, with or without an offset; None for anything else."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def body_lines(head: FileHead) -> Iterator[tuple[int, str]]:
    """Yields number and text of each line below the head."""
    for number, line in enumerate(head.rows, 1):
        if number >= head.body_line:
            yield number, line.rstrip("\r")


_LEAST_ALIKE = 70  # of 100: a name that is less alike is no proposal
_MOST_COMPARED = 500  # names that are compared with all others; of further ones nothing nearest is said
_BETWEEN = re.compile(r"[\s_-]+")
_OTHER_FILE = re.compile(r"\.(?!md\Z)[A-Za-z][A-Za-z0-9]{0,4}\Z")
"""The ending of a file that is no note, which therefore cannot be missing."""
_SIGNS = re.compile(r"[^\w]+")


class LinkRules:
    """Checks links against the existing notes."""

    def __init__(self, paths: Collection[str], content: Callable[[str], bytes]) -> None:
        self.names = file_links.NoteNames(paths)
        self._by_key: dict[str, list[str]] = {}
        self._stems: dict[str, str] = {}
        for path in paths:
            if not file_links.is_silent(path):
                stem = splitext(path.rpartition("/")[2])[0]
                self._by_key.setdefault(_key(stem), []).append(path)
                self._stems.setdefault(stem, path)
        self._headings = cache(lambda path: _headings(content(path)))
        self._compared: dict[str, str] = {}

    def faults(self, path: str, data: bytes) -> Iterator[Fault]:
        """Yields the faults of a note's links, in order; none in archived notes and transcripts."""
        if file_links.is_silent(path):
            return
        text, found = "", list[tuple[TextLink, str, str, LinkEdit | None]]()
        for link, meant in file_links.links_of_file(path, data, self.names):
            if (told := self._fault(path, link, meant)) is not None:
                text = text or data.decode("utf-8", "replace")
                found.append((link, *told, self._edit(path, link, meant, text)))
        if not found:
            return
        edits = [edit for *_, edit in found if edit is not None]
        fixed = with_targets(text, edits).split("\n") if edits and data == text.encode() else []
        for link, kind, what, edit in found:
            fix = fixed[link.line - 1].rstrip("\r") if fixed and edit is not None else ""
            yield Fault(kind=kind, path=path, line=link.line, what=what, fix=fix)

    def _fault(self, path: str, link: TextLink, meant: file_links.NoteMeant) -> tuple[str, str] | None:
        if meant.several:
            names = " and ".join(meant.several[:2])
            return "link", f"several notes are named {link.target}: {names}; write the path"
        if meant.path:
            return self._heading_fault(link, meant.path)
        if is_elsewhere(path, link):
            return None
        known = self.only(link)
        near = known or self._nearest(link.target)
        said = f"; {'it is' if known else 'the nearest is'} {near}" if near else ""
        return "link", f"no note is {'named' if link.wiki else 'at'} {link.target}{said}"

    def _heading_fault(self, link: TextLink, path: str) -> tuple[str, str] | None:
        if not link.wiki or not link.heading or link.heading.startswith("^"):
            return None
        headings = self._headings(path)
        wanted = _plain(link.heading.rpartition("#")[2])
        if wanted in headings:
            return None
        near = _alike(wanted, list(headings))
        said = f"; the nearest is {headings[near]}" if near else ""
        return "heading", f"{path} has no heading {link.heading}{said}"

    def _edit(self, path: str, link: TextLink, meant: file_links.NoteMeant, text: str) -> LinkEdit | None:
        """Gives the edit by which a link means the only note that it can; None where a person must decide."""
        target = "" if meant.path or meant.several or not may_change_links(path) else self.only(link)
        if not target or link.start < body_start(text):
            return None
        written = file_links.written_target(self.names, path, link, file_links.LinkWay.NEAR, target)
        return LinkEdit(link, target, written) if written else None

    def only(self, link: TextLink) -> str:
        """Gives the only note with the link's name, in any spelling; empty if there is none or several."""
        name = unquote(link.target) if not link.wiki else link.target
        found = self._by_key.get(_key(name.rpartition("/")[2].removesuffix(".md")), [])
        return found[0] if len(found) == 1 else ""

    def _nearest(self, target: str) -> str:
        name = target.rpartition("/")[2].removesuffix(".md")
        if name not in self._compared:
            full = len(self._compared) >= _MOST_COMPARED
            self._compared[name] = "" if full else self._stems.get(_alike(name, list(self._stems)), "")
        return self._compared[name]


def is_elsewhere(path: str, link: TextLink) -> bool:
    """Tells whether a link names a file that is no note or lies outside the workspace."""
    name = link.target if link.wiki else unquote(link.target)
    if link.wiki:
        return _OTHER_FILE.search(name) is not None or name.startswith(("/", "~"))
    place = normpath(join(dirname(path), name))
    closed = any(part.startswith(".") for part in place.split("/"))
    return not name.endswith(".md") or name.startswith(("/", "~")) or closed or is_archived(place)


def _key(name: str) -> str:
    return _BETWEEN.sub("-", name.strip().casefold())


def _headings(data: bytes) -> dict[str, str]:
    """Maps each heading's plain words to the heading as written."""
    lines = data.decode("utf-8", "replace").split("\n")
    found = (heading_of(line) for line, code in zip(lines, code_mask(lines), strict=True) if not code)
    return {_plain(heading.text): heading.text for heading in found if heading is not None}


def _plain(heading: str) -> str:
    return _SIGNS.sub(" ", heading).strip().casefold()


def _alike(name: str, names: list[str]) -> str:
    from rapidfuzz import fuzz, process, utils

    found = process.extractOne(
        name, names, scorer=fuzz.ratio, processor=utils.default_process, score_cutoff=_LEAST_ALIKE
    )
    return found[0] if found is not None else ""
