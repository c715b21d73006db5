"""Takes session files out of what they are kept in: plain files, archives, databases, folders of parts (G28)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.lifecycle.imports.files import SourceFolder
from engine.sessions.platforms.generations import Generation


class SessionText(NamedTuple):
    """The bytes of one session or of one file of sessions; or the ending of what was not read, and how many of it."""

    source: str
    data: bytes = b""
    unread: str = ""
    number: int = 1
    problem: str = ""
    version: str = ""  # the version of the tool, where the container tells it


class OpenedFile(NamedTuple):
    """A file with what is in it, and the files beside it that belong to the same sessions, each with its bytes."""

    path: str
    data: bytes
    texts: Iterator[SessionText]
    beside: dict[str, bytes]


def opened(folder: SourceFolder, paths: Sequence[str], path: str, form: Generation) -> OpenedFile:
    """Opens a file of a form. One that cannot be read gives its problem alone. `paths`: all files of the folder, in
    order."""
    file = folder.read(path)
    beside: dict[str, bytes] = {}
    if file.problem:
        return OpenedFile(path, b"", iter((SessionText(file.path, problem=file.problem),)), beside)
    match form.container:
        case "zip":
            from engine.lifecycle.imports.archive import members

            texts = members(path, file.data, form)
        case "sqlite":
            from engine.lifecycle.imports.database import database_texts

            texts = database_texts(folder, path, form, beside)
        case "storage":
            from engine.lifecycle.imports.storage import storage_text

            texts = storage_text(folder, paths, path, file.data, beside)
        case _:
            texts = iter((SessionText(path, file.data),))
    return OpenedFile(path, file.data, texts, beside)
