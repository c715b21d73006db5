"""Finds which notes link to a file and which topics subscribe to it, in the files as they are (decision D46)."""

from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase

import msgspec
from msgspec.structs import replace

from engine.lifecycle.references.note_names import NoteMeant, NoteNames
from engine.text.note_links import TextLink, note_links
from engine.text.secrets.detector import redact
from engine.topics.files.topic_file import is_topic_path, read_topic
from engine.workspace.layout import ARCHIVES, CONVERSATIONS

_SILENT = (*ARCHIVES, CONVERSATIONS + "/")
_MARKS = (b"[[", b"](", b"]:")  # a text without any of them has no link


class FileLink(msgspec.Struct, frozen=True):
    """A link of the note at `source` to the note at `path`, empty where there is none; `line` counts from 1."""

    source: str
    line: int
    path: str
    written: str  # the target as it is written, with its heading
    wiki: bool
    several: tuple[str, ...] = ()  # notes that share the name, so that it means none of them
    text: str = ""  # the whole line


class NoteLinks(msgspec.Struct, frozen=True):
    """The links of one note, in order, and those of other notes to it, by path and line."""

    path: str
    links: tuple[FileLink, ...]
    backlinks: tuple[FileLink, ...]


def is_silent(path: str) -> bool:
    """Tells whether links of a file mean nothing: an archived one refers to nothing any more, a transcript tells only.
    Neither is ever changed."""
    return path.startswith(_SILENT)


def links_of_file(path: str, data: bytes, names: NoteNames) -> Iterator[tuple[TextLink, NoteMeant]]:
    """The links that a file has, each with the note that it means."""
    if any(mark in data for mark in _MARKS):
        for link in note_links(data.decode("utf-8", "replace")):
            yield link, names.meant(path, link)


def linking_files(paths: Collection[str], content: Callable[[str], bytes]) -> Mapping[str, frozenset[tuple[str, str]]]:
    """Maps each file to the files that refer to it, each of these with `linked` or `subscribed`."""
    names = NoteNames(paths)
    found: dict[str, set[tuple[str, str]]] = {}
    for path in paths:
        if is_silent(path):
            continue
        data = content(path)
        for _, meant in links_of_file(path, data, names):
            if meant.path and meant.path != path:
                found.setdefault(meant.path, set()).add((path, "linked"))
        if is_topic_path(path):
            for target in _subscribed(path, data, paths):
                found.setdefault(target, set()).add((path, "subscribed"))
    return {target: frozenset(sources) for target, sources in found.items()}


def file_links(path: str, data: bytes, names: NoteNames) -> Iterator[FileLink]:
    """The links of one file, in order."""
    lines: list[str] = []
    for link, meant in links_of_file(path, data, names):
        lines = lines or data.decode("utf-8", "replace").split("\n")
        written = f"{link.target}#{link.heading}" if link.heading else link.target
        yield FileLink(path, link.line, meant.path, written, link.wiki, meant.several, lines[link.line - 1].strip())


def note_with_links(path: str, paths: Collection[str], content: Callable[[str], bytes]) -> NoteLinks:
    """The links of a note and to it, without secrets; others are read closely where they name it."""
    names = NoteNames(paths)
    told = names.spelled(path)
    found: list[FileLink] = []
    for other in sorted(paths):
        if other == path or is_silent(other):
            continue
        data = content(other)
        if told is None or b"%" in data or any(name in data.lower() for name in told):
            found += (link for link in file_links(other, data, names) if link.path == path)
    links = (*file_links(path, content(path), names), *found)
    clean = [replace(one, written=redact(one.written), text=redact(one.text)) for one in links]
    own = len(clean) - len(found)
    return NoteLinks(path, tuple(clean[:own]), tuple(clean[own:]))


def _subscribed(path: str, data: bytes, paths: Collection[str]) -> Iterator[str]:
    topic = read_topic(path, data).topic
    for wanted in topic.subscriptions if topic is not None else ():
        if "*" in wanted:
            yield from (one for one in paths if fnmatchcase(one, wanted))
        elif wanted in paths:
            yield wanted
