"""Finds missing sources: files that a text names which do not exist or lie outside the workspace."""

import posixpath
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from engine.text.poison.findings import PoisonFinding, located

_SPAN = r"(?::\d{1,9}(?:-\d{1,9})?)?"
_NAMED = re.compile(
    rf"<!--\s*(?:from|source)s?:?\s+([^\s>]{{1,400}}?){_SPAN}\s*-->"
    rf"|\[\[([^\[\]\n|#]{{1,400}})(?:[|#][^\[\]\n]{{0,400}})?\]\]"
    rf"|\]\(<?([^)\s<>#]{{1,400}})"
    rf"|(?<![\w/:.-])((?:\.{{1,2}}/|memory/|knowledge/)[\w./%@+-]{{1,400}}?\.md)\b{_SPAN}"
)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)


def find_missing_sources(text: str, exists: Callable[[str], bool], folder: str = "") -> tuple[PoisonFinding, ...]:
    """Finds sources and links in `text` that do not exist or leave the workspace; web addresses do not count. `exists`
    takes a relative POSIX path. `folder`: the note's own, to which links may be relative."""
    missing = (span for path, span in cited_sources(text) if not _found(path, exists, folder))
    return located(text, [("missing-source", *span) for span in missing])


def cited_sources(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in _NAMED.finditer(text):
        path = next(group for group in match.groups() if group is not None)
        if not _ELSEWHERE.match(path) or path.lower().startswith("file:"):
            yield path, match.span()


def _found(path: str, exists: Callable[[str], bool], folder: str) -> bool:
    plain = posixpath.normpath(unquote(path).strip().replace("\\", "/"))
    if plain.startswith("file:") or "\0" in plain:
        return False
    near = (posixpath.normpath(posixpath.join(folder, plain)),) if folder and not plain.startswith(("/", "~")) else ()
    for place in (plain, *near):
        if place == ".." or place.startswith(("/", "../", "~")):
            continue
        if exists(place) or (not place.endswith(".md") and exists(place + ".md")):
            return True
    return False
