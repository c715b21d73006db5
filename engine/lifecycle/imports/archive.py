"""The session files in a ZIP archive. Names in it are never paths, and what it unpacks to has limits."""

import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO

from engine.lifecycle.imports.containers import SessionText
from engine.lifecycle.imports.files import MOST_BYTES, ending_of
from engine.sessions.platforms.generations import Generation, ends_so
from engine.text.safe_text import visible_line

MOST_MEMBERS = 50_000
MOST_UNPACKED = 2 * 1024 * 1024 * 1024  # bytes that are unpacked of one archive in all
MOST_RATIO = 400
"""Times a member may be larger than it is packed: sessions come to 5 to 60, a bomb to 1,000 and more."""
_JUNK = "__MACOSX"


def members(path: str, data: bytes, form: Generation) -> Iterator[SessionText]:
    """The members whose names are those of session files; the others are counted by ending."""
    # Before it is opened: the list of its members alone could fill the memory.
    if data.count(b"PK\x01\x02") > MOST_MEMBERS:
        yield SessionText(path, problem=f"more than {MOST_MEMBERS:,} files are in the archive")
        return
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            yield from _texts(archive, path, form)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        yield SessionText(path, problem=f"no archive that can be read: {error}")


def _texts(archive: zipfile.ZipFile, path: str, form: Generation) -> Iterator[SessionText]:
    left = MOST_UNPACKED
    for member in archive.infolist():
        parts = member.filename.replace("\\", "/").split("/")
        source = f"{path}!{visible_line(member.filename)}"
        if member.is_dir():
            continue
        if _JUNK in parts:
            yield SessionText(source, unread=_JUNK)
        elif not any(ends_so(parts, pattern) for pattern in form.members):
            yield SessionText(source, unread=ending_of(visible_line(member.filename)))
        else:
            text = _unpacked(archive, member, source, min(left, MOST_BYTES))
            left -= len(text.data)
            yield text


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, source: str, most: int) -> SessionText:
    if member.flag_bits & 0x1:
        return SessionText(source, problem="it is locked with a password")
    if member.file_size > most or member.file_size > MOST_RATIO * max(member.compress_size, 1_000):
        return SessionText(source, problem="it would unpack to more than is read")
    try:
        with archive.open(member) as opened:
            # What the archive says of the size may be false: one byte more than that is enough to know.
            data = opened.read(member.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OSError, EOFError) as error:
        return SessionText(source, problem=f"it cannot be unpacked: {error}")
    if len(data) > member.file_size:
        return SessionText(source, problem="it unpacks to more than the archive says")
    return SessionText(source, data)
