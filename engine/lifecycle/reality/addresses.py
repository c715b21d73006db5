"""Asks the web addresses in memory, where the operator's policy allows it; only the address is sent."""

import re
import socket
import ssl
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from io import BufferedReader, RawIOBase
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from engine.lifecycle.reality.claim import ClaimKind
from engine.lifecycle.reality.judgement import ClaimVerdict, JudgedClaim
from engine.text.secrets.detector import redact
from engine.workspace.layout import lies_in

_SECONDS, _MOST = 3.0, 50  # for one address, both questions together; addresses of a run
_PLAIN = re.compile(r"https?://[!-?A-~]{1,2000}")  # no `@`: before it stand a name and a password
_SENT = {"User-Agent": "memdeck", "Accept": "*/*", "Connection": "close"}
# The rest of version 6 may lead to an address of version 4, or is nobody's.
_INTERNET = tuple(map(ip_network, ("0.0.0.0/0", "2001::/16", "2003::/16", "2400::/6", "2800::/5")))


def is_public(number: str) -> bool:
    """Tells whether a host's IP address is on the internet, not on this machine or a local network."""
    ip = ip_address(number)
    return ip.is_global and not ip.is_multicast and any(ip in network for network in _INTERNET)


def answered_claims(
    claims: Iterable[JudgedClaim], private: Collection[str], allows: Callable[[str], bool] = is_public
) -> Iterator[JudgedClaim]:
    """Yields the claims, those of web addresses with the answers; does not ask for notes in `private` folders.
    `allows` tells whether an IP address may be asked."""
    answers = dict[str, tuple[ClaimVerdict, str, str]]()
    for claim in claims:
        text, url = claim.claim.text, claim.claim.text.partition("#")[0]
        fits = claim.claim.kind is ClaimKind.URL and claim.verdict is ClaimVerdict.UNKNOWN
        fits = fits and _PLAIN.fullmatch(url) is not None and not lies_in(claim.claim.path, private)
        fits = fits and text == redact(text) and text in redact(claim.claim.row)
        if fits and (url in answers or len(answers) < _MOST):
            verdict, value, why = answers[url] = answers.get(url) or _answer(url, allows)
            claim = JudgedClaim(claim.claim, verdict, "", value, why)
        yield claim


def _answer(url: str, allows: Callable[[str], bool]) -> tuple[ClaimVerdict, str, str]:
    try:
        parts = urlsplit(url)
        port = parts.port or (80 if parts.scheme == "http" else 443)
        numbers = [str(found[4][0]) for found in socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)]
        if not all(map(allows, numbers)):
            return ClaimVerdict.UNKNOWN, "", "not asked: its host is not on the internet"
        until = time.monotonic() + _SECONDS
        told = _told(url, *_asked("HEAD", parts, (numbers[0], port), until))
        # Some servers know no HEAD, or answer it otherwise.
        held = told[0] in (ClaimVerdict.HOLDS, ClaimVerdict.MOVED)
        return told if held else _told(url, *_asked("GET", parts, (numbers[0], port), until))
    except (OSError, ValueError, HTTPException):
        return ClaimVerdict.UNKNOWN, "", "it did not answer"


class _Answer(RawIOBase):
    """Reads a stream until a deadline; after it `settimeout` raises a `ValueError`."""

    def __init__(self, stream: socket.socket, until: float) -> None:
        self.sendall, self._stream, self._until = stream.sendall, stream, until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._stream.settimeout(self._until - time.monotonic())
        return self._stream.recv_into(buffer)

    def makefile(self, _mode: str) -> BufferedReader:
        return BufferedReader(self)


def _asked(method: str, parts: SplitResult, place: tuple[str, int], until: float) -> tuple[int, str]:
    """Asks the IP address that was checked; gives the answer's status, and the address of a redirect."""
    secure = ssl.create_default_context() if parts.scheme == "https" else None
    with (
        socket.create_connection(place, until - time.monotonic()) as plain,
        secure.wrap_socket(plain, server_hostname=parts.hostname) if secure else plain as stream,
        closing(HTTPConnection(*place)) as connection,
    ):
        connection.sock = _Answer(stream, until)
        target = f"{parts.path or '/'}{'?' * bool(parts.query)}{parts.query}"
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": parts.netloc, **_SENT}.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Location", "")


def _told(url: str, status: int, location: str) -> tuple[ClaimVerdict, str, str]:
    """Gives the verdict of an answer. A redirect is reported, not followed; one to another scheme tells nothing."""
    to = urljoin(url, location) if location else ""
    is_there = status in range(200, 300)
    if status in range(300, 400) and _PLAIN.fullmatch(to):
        is_there = urlsplit(to).hostname == urlsplit(url).hostname
        if status in (301, 308) and not is_there:
            return ClaimVerdict.MOVED, to, f"answered {status}"
    gone = ClaimVerdict.GONE if status in (404, 410) else ClaimVerdict.UNKNOWN
    return ClaimVerdict.HOLDS if is_there else gone, "", f"answered {status}"
