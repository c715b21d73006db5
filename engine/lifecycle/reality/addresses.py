"""Asks web addresses that memory names, where the operator's policy lets it; nothing is sent but the address."""

import re
import socket
import ssl
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, urljoin, urlsplit

from engine.lifecycle.reality.claim import ClaimKind
from engine.lifecycle.reality.judgement import ClaimVerdict, JudgedClaim
from engine.text.secrets.detector import redact
from engine.workspace.layout import lies_in

_SECONDS, _MOST = 3.0, 50  # for one address, both questions together; addresses of a run
_PLAIN = re.compile(r"https?://[!-?A-~]+")  # no `@`: before it stand a name and a password
_STATUS, _TO = re.compile(rb"HTTP/1\.[01] (\d{3})\b"), re.compile(rb"(?im)^location:[ \t]*([!-~]{1,500})[ \t]*\r?$")
# The rest of version 6 may lead to an address of version 4, or is nobody's.
_INTERNET = tuple(map(ip_network, ("0.0.0.0/0", "2001::/16", "2003::/16", "2400::/6", "2800::/5")))


def is_public(number: str) -> bool:
    """Tells whether the number of a host is one of the internet, not of this machine or the networks around it."""
    ip = ip_address(number)
    return ip.is_global and not ip.is_multicast and any(ip in network for network in _INTERNET)


def answered_claims(
    claims: Iterable[JudgedClaim], private: Collection[str], allows: Callable[[str], bool] = is_public
) -> Iterator[JudgedClaim]:
    """Yields claims, those of web addresses with what these answer, one after the other; notes in the folders `private`
    are left out. `allows` tells of a host's number if it may be asked."""
    answers = dict[str, tuple[ClaimVerdict, str, str]]()
    for one in claims:
        text, url = one.claim.text, one.claim.text.partition("#")[0]
        fits = one.claim.kind is ClaimKind.URL and one.verdict is ClaimVerdict.UNKNOWN
        fits = fits and _PLAIN.fullmatch(url) is not None and not lies_in(one.claim.path, private)
        fits = fits and text == redact(text) and text in redact(one.claim.row)
        if fits and (url in answers or len(answers) < _MOST):
            verdict, value, why = answers[url] = answers.get(url) or _answer(url, allows)
            one = JudgedClaim(one.claim, verdict, "", value, why)
        yield one


def _answer(url: str, allows: Callable[[str], bool]) -> tuple[ClaimVerdict, str, str]:
    try:
        parts = urlsplit(url)
        port = parts.port or (80 if parts.scheme == "http" else 443)
        numbers = [str(found[4][0]) for found in socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)]
        if not all(map(allows, numbers)):
            return ClaimVerdict.UNKNOWN, "", "not asked: its host is not on the internet"
        until = time.monotonic() + _SECONDS
        told = _told(url, _head("HEAD", parts, (numbers[0], port), until))
        # Some servers know no HEAD, or answer it otherwise.
        held = told[0] in (ClaimVerdict.HOLDS, ClaimVerdict.MOVED)
        return told if held else _told(url, _head("GET", parts, (numbers[0], port), until))
    except (OSError, ValueError):
        return ClaimVerdict.UNKNOWN, "", "it did not answer"


def _head(method: str, parts: SplitResult, place: tuple[str, int], until: float) -> bytes:
    """Gives the head of an answer, of 16 KiB at most. A time that is over is below 0: a `ValueError`."""
    line = f"{method} {parts.path or '/'}{'?' * bool(parts.query)}{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
    head, secure = b"", ssl.create_default_context() if parts.scheme == "https" else None
    with (
        socket.create_connection(place, until - time.monotonic()) as plain,
        secure.wrap_socket(plain, server_hostname=parts.hostname) if secure else plain as stream,
    ):
        stream.sendall(f"{line}User-Agent: memdeck\r\nAccept: */*\r\nConnection: close\r\n\r\n".encode("ascii"))
        while b"\r\n\r\n" not in head and len(head) < 16_384:
            stream.settimeout(until - time.monotonic())
            if not (part := stream.recv(4096)):
                break
            head += part
    return head


def _told(url: str, head: bytes) -> tuple[ClaimVerdict, str, str]:
    """Says what an answer means. A redirect is told and not followed; to another scheme it tells nothing."""
    found, named = _STATUS.match(head), _TO.search(head.partition(b"\r\n\r\n")[0])
    status, to = int(found[1]) if found else 0, urljoin(url, named[1].decode("ascii")) if named else ""
    is_there = status in range(200, 300)
    if status in range(300, 400) and _PLAIN.fullmatch(to):
        is_there = urlsplit(to).hostname == urlsplit(url).hostname
        if status in (301, 308) and not is_there:
            return ClaimVerdict.MOVED, to, f"answered {status}"
    gone = ClaimVerdict.GONE if status in (404, 410) else ClaimVerdict.UNKNOWN
    return ClaimVerdict.HOLDS if is_there else gone, "", f"answered {status}"
