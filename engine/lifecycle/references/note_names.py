"""Finds the note that a link means: by its path from the note or from the top, or by a name that one note has. A name
may be the end of a path (`people/ana`). What is archived answers to a name only where nothing else does, and a note of
a memory tier also to the name that it had before: so a link by name outlives the archive (decision D52)."""

import re
from collections.abc import Collection, Mapping
from enum import Enum
from posixpath import dirname, join, normpath, relpath, splitext
from typing import NamedTuple
from urllib.parse import quote, unquote

from engine.lifecycle.archive.places import former_place
from engine.text.note_links import TextLink
from engine.workspace.layout import ARCHIVE, CONVERSATIONS, is_archived

_SHOWN = 3
"""Notes of one name that are remembered; so many are enough to say that the name is not one note's."""


_UNFIT = re.compile(r"[\[\]|#\n]")
"""Characters that no wikilink's name holds."""


class LinkWay(Enum):
    """The way in which a link means a note: by its path from the linking note or from the top, or by a name."""

    NEAR = "near"
    TOP = "top"
    NAME = "name"


class NoteMeant(NamedTuple):
    """The note that a link means; empty for none. `several`: notes that share the name, which so means none."""

    path: str = ""
    way: LinkWay = LinkWay.NAME
    several: tuple[str, ...] = ()


class NoteNames:
    """The names of all notes of a workspace, each with the ends of its path."""

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
        """The note that a link of the note at `source` means."""
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
        """The note of a name, with or without `.md`."""
        for names in (self._live, self._cold):
            for said in (written.casefold(), f"{written.casefold()}.md"):
                found = names.get(said, ())
                if found:
                    return NoteMeant(found[0]) if len(found) == 1 else NoteMeant(several=found)
        return NoteMeant()

    def spelled(self, path: str) -> tuple[bytes, ...] | None:
        """The names of a note in small letters, of which every link to it has one; None where it may be written else.
        An address may write any letter by its number, so a text with `%` can have one that is spelled otherwise."""
        stems = {splitext(one.rpartition("/")[2])[0].lower() for one in (path, former_place(path)) if one}
        return tuple(stem.encode() for stem in stems) if all(map(str.isascii, stems)) else None

    def shortest(self, path: str) -> str:
        """The shortest wikilink to a note: its name where that is its alone, else its path."""
        stem = splitext(path.rpartition("/")[2])[0]
        return stem if self.named(stem).path == path else splitext(path)[0]


def written_target(names: NoteNames, source: str, link: TextLink, way: LinkWay, path: str) -> str:
    """The target by which a link of the note at `source` means the note at `path`, in the way it was written before.
    Empty where there is no such target, or where it would not mean that note."""
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
