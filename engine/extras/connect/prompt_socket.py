"""Answers the hook before a prompt over a socket that only the operator can open (D64)."""

import os
import socket
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

NAME = "prompt.sock"
MOST_BYTES = 1 << 20  # bytes of a question and of an answer
_SECONDS = 1.0


def asked(folder: Path, question: bytes) -> bytes | None:
    """The answer of this state folder's server; None if there is no server of the operator's own."""
    with suppress(OSError), _opened(folder) as place, socket.socket(socket.AF_UNIX) as client:
        facts = os.lstat(place)
        if facts.st_uid != os.getuid() or not stat.S_ISSOCK(facts.st_mode) or stat.S_IMODE(facts.st_mode) & 0o077:
            return None
        client.settimeout(_SECONDS)
        client.connect(place)
        client.sendall(question)
        client.shutdown(socket.SHUT_WR)
        return _received(client)
    return None


@contextmanager
def answering(folder: Path, answer: Callable[[bytes], bytes]) -> Iterator[None]:
    """Answers until the block ends. Does nothing if another server already does, or if no socket can be opened."""
    with suppress(OSError), _opened(folder) as place, socket.socket(socket.AF_UNIX) as server:
        if asked(folder, b"") is not None:
            yield
            return
        Path(place).unlink(missing_ok=True)
        server.bind(place)
        Path(place).chmod(0o600)
        server.listen()
        Thread(target=_serve, args=(server, answer), daemon=True).start()
        try:
            yield
        finally:
            Path(place).unlink(missing_ok=True)
        return
    yield


def _serve(server: socket.socket, answer: Callable[[bytes], bytes]) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        with suppress(OSError), client:
            client.settimeout(_SECONDS)
            question = _received(client) if _is_own(client) else b""
            client.sendall(answer(question) if question else b"")


def _is_own(client: socket.socket) -> bool:
    """Tells whether the other program is the operator's. Without peer credentials, the folder's mode protects it."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, uid, _ = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return bool(uid == os.getuid())


def _received(source: socket.socket) -> bytes:
    data = b""
    while len(data) <= MOST_BYTES and (more := source.recv(1 << 16)):
        data += more
    return data


@contextmanager
def _opened(folder: Path) -> Iterator[str]:
    """The socket's path, short enough for the system: through the open folder, if possible."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        through = f"/proc/self/fd/{descriptor}"
        yield f"{through if Path(through).exists() else folder}/{NAME}"
    finally:
        os.close(descriptor)
