"""Finds which notes link to a file and which topics subscribe to it, in the files as they are (decision D46)."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from posixpath import dirname, join, normpath

from engine.topics.files.topic_file import is_topic_path, read_topic
from engine.workspace.layout import ARCHIVES, CONVERSATIONS

_LINK = re.compile(r"\[\[([^\]|#\n]{1,400})[^\]\n]*\]\]|\]\(<?([^)\s>#]{1,400})")
_SILENT = (*ARCHIVES, CONVERSATIONS + "/")
"""An archived file refers to nothing any more, and a transcript tells of a file without needing it."""


def linking_files(paths: Collection[str], content: Callable[[str], bytes]) -> Mapping[str, frozenset[tuple[str, str]]]:
    """By path, the files that refer to it, each with `linked` or `subscribed`."""
    names = _by_name(paths)
    found: dict[str, set[tuple[str, str]]] = {}
    for path in paths:
        if path.startswith(_SILENT):
            continue
        data = content(path)
        for target in _linked(path, data.decode("utf-8", "replace"), paths, names):
            if target != path:
                found.setdefault(target, set()).add((path, "linked"))
        if is_topic_path(path):
            for target in _subscribed(path, data, paths):
                found.setdefault(target, set()).add((path, "subscribed"))
    return {target: frozenset(sources) for target, sources in found.items()}


def _linked(path: str, text: str, paths: Collection[str], names: Mapping[str, str]) -> Iterator[str]:
    for found in _LINK.finditer(text):
        written = (found[1] or found[2]).strip()
        for said in (written, f"{written}.md"):
            inside = normpath(join(dirname(path), said))
            target = next((one for one in (inside, said) if one in paths), names.get(said.casefold(), ""))
            if target:
                yield target
                break


def _by_name(paths: Collection[str]) -> dict[str, str]:
    """Files by the name that a wiki link has; one that several files have means none of them."""
    found: dict[str, str] = {}
    for path in paths:
        name = path.rpartition("/")[2].casefold()
        found[name] = "" if name in found else path
    return found


def _subscribed(path: str, data: bytes, paths: Collection[str]) -> Iterator[str]:
    topic = read_topic(path, data).topic
    for wanted in topic.subscriptions if topic is not None else ():
        if "*" in wanted:
            yield from (one for one in paths if fnmatchcase(one, wanted))
        elif wanted in paths:
            yield wanted
