"""Finds the links and subscriptions to a file (decision D46), and the note that a name means."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum
from fnmatch import fnmatchcase
from posixpath import dirname, join, normpath, relpath, splitext
from typing import NamedTuple
from urllib.parse import quote, unquote

import msgspec
from msgspec.structs import replace

from engine.lifecycle.archive.places import former_place
from engine.text.note_links import TextLink, note_links
from engine.text.secrets.detector import redact
from engine.topics.files.topic_file import is_topic_path, read_topic
from engine.workspace.layout import ARCHIVE, ARCHIVES, CONVERSATIONS, is_archived

_SHOWN = 3  # notes of one name that are remembered; so many are enough to say that the name is not one note's


_UNFIT = re.compile(r"[\[\]|#\n]")  # characters that no wikilink's name holds


class LinkWay(Enum):
    """The way in which a link means a note: by its path from the linking note or from the top, or by a name."""

    NEAR = "near"
    TOP = "top"
    NAME = "name"


class NoteMeant(NamedTuple):
    """The note that a link means; empty if there is none. `several`: the notes that share an ambiguous name."""

    path: str = ""
    way: LinkWay = LinkWay.NAME
    several: tuple[str, ...] = ()


class NoteNames:
    """The names of all notes, each with the ends of its path."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths if isinstance(paths, Mapping | frozenset | set) else frozenset(paths)
        self._live: dict[str, tuple[str, ...]] = {}
        self._cold: dict[str, tuple[str, ...]] = {}
        for path in paths:
            cold = is_archived(path) or path.startswith(CONVERSATIONS + "/")
            _add(self._cold if cold else self._live, path, path)
            if path.startswith(ARCHIVE + "/"):
                _add(self._cold, former_place(path).rpartition("/")[2], path)

    def meant(self, source: str, link: TextLink) -> NoteMeant:
        """Gives the note that a link of the note at `source` means."""
        written = link.target if link.wiki else unquote(link.target)
        if not written:
            return NoteMeant(source, LinkWay.NEAR)
        for said in (written, f"{written}.md"):
            near, top = normpath(join(dirname(source), said)), normpath(said.lstrip("/"))
            if near in self._paths:
                return NoteMeant(near, LinkWay.NEAR)
            if top in self._paths:
                return NoteMeant(top, LinkWay.TOP)
        return self.named(written)

    def named(self, written: str) -> NoteMeant:
        """Gives the note of a name, with or without `.md`."""
        for names in (self._live, self._cold):
            for said in (written.casefold(), f"{written.casefold()}.md"):
                if found := names.get(said, ()):
                    return NoteMeant(found[0]) if len(found) == 1 else NoteMeant(several=found)
        return NoteMeant()

    def spelled(self, path: str) -> tuple[bytes, ...] | None:
        """Gives the names, in lower case, one of which stands in every link to a note; None if a link may be spelled
        otherwise. A text with `%` must be parsed in any case, since an address may encode letters."""
        stems = {splitext(one.rpartition("/")[2])[0].lower() for one in (path, former_place(path)) if one}
        return tuple(stem.encode() for stem in stems) if all(map(str.isascii, stems)) else None

    def shortest(self, path: str) -> str:
        """Gives the shortest wikilink to a note: its name where it is unique, else its path."""
        stem = splitext(path.rpartition("/")[2])[0]
        return stem if self.named(stem).path == path else splitext(path)[0]


def written_target(names: NoteNames, source: str, link: TextLink, way: LinkWay, path: str) -> str:
    """Gives a link's new target for the note at `path`, in the form that it had; empty where there is none."""
    near = relpath(path, dirname(source) or ".")
    if link.wiki:
        tried: tuple[str, ...] = (names.shortest(path), splitext(path)[0], splitext(near)[0])
    else:
        said = ("/" * link.target.startswith("/") + path) if way is LinkWay.TOP else near
        said = said if link.target.endswith(".md") else said.removesuffix(".md")
        tried = (said if link.angled else quote(said, safe="/!$&'*+,;=:@~"),)
    for target in tried:
        meant = names.meant(source, link._replace(target=target))
        fits = not _UNFIT.search(target) if link.wiki else not set(target) & set("<>\n#")
        if fits and meant.path == path and (link.wiki or meant.way is not LinkWay.NAME):
            return target
    return ""


def _add(names: dict[str, tuple[str, ...]], path: str, meant: str) -> None:
    """Adds a path under each of its ends: `c.md`, `b/c.md`, `a/b/c.md`."""
    end = path.casefold()
    at = len(end)
    while at > 0:
        at = end.rfind("/", 0, at)
        known = names.get(end[at + 1 :], ())
        if len(known) < _SHOWN and meant not in known:
            names[end[at + 1 :]] = (*known, meant)


_SILENT = (*ARCHIVES, CONVERSATIONS + "/")
_MARKS = (b"[[", b"](", b"]:")  # a text without any of them has no link


class FileLink(msgspec.Struct, frozen=True):
    """A link from the note at `source` to the note at `path`, empty if there is none; `line` counts from 1."""

    source: str
    line: int
    path: str
    written: str  # the target as it is written, with its heading
    wiki: bool
    several: tuple[str, ...] = ()  # notes that share the name, so that it means none of them
    text: str = ""  # the whole line


class NoteLinks(msgspec.Struct, frozen=True):
    """The links of one note, in order, and its backlinks, by path and line."""

    path: str
    links: tuple[FileLink, ...]
    backlinks: tuple[FileLink, ...]


def is_silent(path: str) -> bool:
    """Tells whether a file's links are ignored: it is archived, or a transcript."""
    return path.startswith(_SILENT)


def links_of_file(path: str, data: bytes, names: NoteNames) -> Iterator[tuple[TextLink, NoteMeant]]:
    """Yields a file's links, each with the note that it means."""
    if any(mark in data for mark in _MARKS):
        for link in note_links(data.decode("utf-8", "replace")):
            yield link, names.meant(path, link)


def linking_files(paths: Collection[str], content: Callable[[str], bytes]) -> Mapping[str, frozenset[tuple[str, str]]]:
    """Gives for each file the files that refer to it, each with `linked` or `subscribed`."""
    names = NoteNames(paths)
    linking: dict[str, set[tuple[str, str]]] = {}
    for path in paths:
        if is_silent(path):
            continue
        data = content(path)
        for _, meant in links_of_file(path, data, names):
            if meant.path and meant.path != path:
                linking.setdefault(meant.path, set()).add((path, "linked"))
        if is_topic_path(path):
            for target in _subscribed(path, data, paths):
                linking.setdefault(target, set()).add((path, "subscribed"))
    return {target: frozenset(sources) for target, sources in linking.items()}


def file_links(path: str, data: bytes, names: NoteNames) -> Iterator[FileLink]:
    """Yields the links of one file, in order."""
    lines: list[str] = []
    for link, meant in links_of_file(path, data, names):
        lines = lines or data.decode("utf-8", "replace").split("\n")
        written = f"{link.target}#{link.heading}" if link.heading else link.target
        yield FileLink(path, link.line, meant.path, written, link.wiki, meant.several, lines[link.line - 1].strip())


def note_with_links(path: str, paths: Collection[str], content: Callable[[str], bytes]) -> NoteLinks:
    """Gives a note's links and backlinks, without secrets; parses only notes that name it."""
    names = NoteNames(paths)
    told = names.spelled(path)
    backlinks: list[FileLink] = []
    for other in sorted(paths):
        if other == path or is_silent(other):
            continue
        data = content(other)
        if told is None or b"%" in data or any(name in data.lower() for name in told):
            backlinks += (link for link in file_links(other, data, names) if link.path == path)
    links = (*file_links(path, content(path), names), *backlinks)
    clean = [replace(one, written=redact(one.written), text=redact(one.text)) for one in links]
    own = len(clean) - len(backlinks)
    return NoteLinks(path, tuple(clean[:own]), tuple(clean[own:]))


def _subscribed(path: str, data: bytes, paths: Collection[str]) -> Iterator[str]:
    topic = read_topic(path, data).topic
    for wanted in topic.subscriptions if topic is not None else ():
        if "*" in wanted:
            yield from (one for one in paths if fnmatchcase(one, wanted))
        elif wanted in paths:
            yield wanted
