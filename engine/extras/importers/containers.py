"""Takes session files out of their containers: plain files, archives, databases, folders of parts (G28)."""

import sys
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, NamedTuple

import msgspec

from engine.extras.importers.files import MOST_BYTES, SourceBytes, SourceFolder, below, ending_of
from engine.extras.importers.generations import Generation, ends_so
from engine.extras.importers.session import string
from engine.text.safe_text import visible_line

MOST_MEMBERS = 50_000
MOST_UNPACKED = 2 * 1024 * 1024 * 1024  # bytes that are unpacked of one archive in all
MOST_RATIO = 400  # times a member may be larger than it is packed: sessions come to 5 to 60, a bomb to 1,000 and more
_JUNK = "__MACOSX"
_TOO_MUCH = "it would unpack to more than is read"
_ZSTD = b"\x28\xb5\x2f\xfd"


class OpenedFile(NamedTuple):
    """A file with its content, and the bytes of the files beside it that belong to the same sessions."""

    path: str
    data: bytes
    texts: Iterator[SourceBytes]
    beside: dict[str, bytes]


def opened(folder: SourceFolder, paths: Sequence[str], path: str, form: Generation) -> OpenedFile:
    """Opens a file of a form. An unreadable file yields only its problem. `paths`: all files of the folder, sorted."""
    file = folder.read(path)
    beside: dict[str, bytes] = {}
    if file.problem:
        return OpenedFile(path, b"", iter((file,)), beside)
    match form.container:
        case "zip":
            texts = members(path, file.data, form)
        case "sqlite":
            from engine.extras.importers.database import database_texts

            texts = database_texts(folder, path, form, beside)
        case "storage":
            texts = storage_text(folder, paths, path, file.data, beside)
        case _:
            texts = iter((unpacked(path, file.data),))
    return OpenedFile(path, file.data, texts, beside)


def members(path: str, data: bytes, form: Generation) -> Iterator[SourceBytes]:
    """The members with names of session files. The others are counted by ending."""
    # Before it is opened: the list of its members alone could fill the memory.
    if data.count(b"PK\x01\x02") > MOST_MEMBERS:
        yield SourceBytes(path, problem=f"more than {MOST_MEMBERS:,} files are in the archive")
        return
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            yield from _texts(archive, path, form)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        yield SourceBytes(path, problem=f"no archive that can be read: {error}")


def _texts(archive: zipfile.ZipFile, path: str, form: Generation) -> Iterator[SourceBytes]:
    left = MOST_UNPACKED
    for member in archive.infolist():
        parts = member.filename.replace("\\", "/").split("/")
        source = f"{path}!{visible_line(member.filename)}"
        if member.is_dir():
            continue
        if _JUNK in parts:
            yield SourceBytes(source, unread=_JUNK)
        elif not any(ends_so(parts, pattern) for pattern in form.members):
            yield SourceBytes(source, unread=ending_of(visible_line(member.filename)))
        else:
            text = _unpacked(archive, member, source, min(left, MOST_BYTES))
            left -= len(text.data)
            yield text


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, source: str, most: int) -> SourceBytes:
    if member.flag_bits & 0x1:
        return SourceBytes(source, problem="it is locked with a password")
    if member.file_size > most or member.file_size > MOST_RATIO * max(member.compress_size, 1_000):
        return SourceBytes(source, problem=_TOO_MUCH)
    try:
        with archive.open(member) as opened:
            # What the archive says of the size may be false: one byte more than that is enough to know.
            data = opened.read(member.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OSError, EOFError) as error:
        return SourceBytes(source, problem=f"it cannot be unpacked: {error}")
    if len(data) > member.file_size:
        return SourceBytes(source, problem="it unpacks to more than the archive says")
    return SourceBytes(source, data)


def unpacked(source: str, data: bytes) -> SourceBytes:
    """Decompresses zstd data; other bytes are returned unchanged."""
    if not data.startswith(_ZSTD):
        return SourceBytes(source, data)
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    most = min(MOST_BYTES, MOST_RATIO * max(len(data), 1_000))
    try:
        with zstd.ZstdFile(BytesIO(data)) as packed:
            text = packed.read(most + 1)
    except (zstd.ZstdError, EOFError) as error:
        return SourceBytes(source, problem=f"it cannot be unpacked: {error}")
    return SourceBytes(source, text) if len(text) <= most else SourceBytes(source, problem=_TOO_MUCH)


def storage_text(
    folder: SourceFolder, paths: Sequence[str], path: str, data: bytes, beside: dict[str, bytes]
) -> Iterator[SourceBytes]:
    """The rows of the session in file `path`, as in the tool's database. Its files are added to `beside`."""
    base = path.rsplit("session/", 1)[0]
    problems: list[SourceBytes] = []
    head = _object(path, data, problems)
    rows = [{"table": "session"} | head]
    for file in below(paths, f"{base}message/{string(head.get('id'))}"):
        message = _taken(folder, file, beside, problems)
        rows.append({"table": "message"} | message)
        parts = below(paths, f"{base}part/{string(message.get('id'))}")
        rows += [{"table": "part"} | _taken(folder, part, beside, problems) for part in parts]
    if head:
        yield SourceBytes(path, b"\n".join(map(msgspec.json.encode, rows)))
    yield from problems


def _taken(folder: SourceFolder, path: str, beside: dict[str, bytes], problems: list[SourceBytes]) -> dict[str, Any]:
    file = folder.read(path)
    if file.problem:
        problems.append(file)
        return {}
    beside[path] = file.data
    return _object(path, file.data, problems)


def _object(path: str, data: bytes, problems: list[SourceBytes]) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(data.removeprefix(BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problems.append(SourceBytes(path, problem=f"not of this kind: {error}"))
        return {}
    return value if isinstance(value, dict) else {}
