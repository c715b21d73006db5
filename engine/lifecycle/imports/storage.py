"""Sessions of which each message and each part of one is a file of its own, as opencode kept them until 1.1."""

from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine.lifecycle.imports.containers import SessionText
from engine.lifecycle.imports.files import SourceFolder, below
from engine.lifecycle.imports.session import string


def storage_text(
    folder: SourceFolder, paths: Sequence[str], path: str, data: bytes, beside: dict[str, bytes]
) -> Iterator[SessionText]:
    """The rows of the session whose file `path` is, as the database of the tool has them; its files into `beside`."""
    base = path.rsplit("session/", 1)[0]
    problems: list[SessionText] = []
    head = _object(path, data, problems)
    rows = [{"table": "session"} | head]
    for file in below(paths, f"{base}message/{string(head.get('id'))}"):
        message = _taken(folder, file, beside, problems)
        rows.append({"table": "message"} | message)
        parts = below(paths, f"{base}part/{string(message.get('id'))}")
        rows += [{"table": "part"} | _taken(folder, part, beside, problems) for part in parts]
    if head:
        yield SessionText(path, b"\n".join(map(msgspec.json.encode, rows)))
    yield from problems


def _taken(folder: SourceFolder, path: str, beside: dict[str, bytes], problems: list[SessionText]) -> dict[str, Any]:
    """The object of a file; what cannot be read is a problem of its own."""
    file = folder.read(path)
    if file.problem:
        problems.append(SessionText(file.path, problem=file.problem))
        return {}
    beside[path] = file.data
    return _object(path, file.data, problems)


def _object(path: str, data: bytes, problems: list[SessionText]) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(data.removeprefix(BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problems.append(SessionText(path, problem=f"not of this kind: {error}"))
        return {}
    return value if isinstance(value, dict) else {}
