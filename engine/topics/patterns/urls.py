"""Finds links in a message, and their hosts (autopoiesis §4.2)."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from engine.topics.patterns.regex import BadPattern, check, compiled, quoted

LONGEST = 200  # characters of a glob, which becomes a pattern (decision D16)


def glob_problem(glob: str) -> str:
    """Says why a glob is invalid; empty if valid."""
    if len(glob) > LONGEST:
        return f"the glob {quoted(glob)} is longer than {LONGEST} characters"
    try:
        check(glob_pattern(glob))
    except BadPattern:
        return f"{quoted(glob)} is no glob"
    return ""


@lru_cache(maxsize=4096)
def glob_pattern(glob: str) -> str:
    """Converts a glob to an RE2 pattern for a whole path. `*` and `?` stop at a slash, `**/` is any number of folders,
    `[…]` a set, `{a,b}` either. Without a slash it matches the last part; a relative glob may begin at any folder."""
    return (r"\A" if glob.startswith(("/", "**")) else r"(?:\A|/)") + translated(glob) + r"\z"


def translated(glob: str) -> str:
    """Converts the glob to RE2 without anchors."""
    parts, at, depth = [], 0, 0
    while at < len(glob):
        char = glob[at]
        if glob.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 3
            continue
        if glob.startswith("**", at):
            parts.append(".*")
            at += 2
            continue
        closing = glob.find("]", at + 2) if char == "[" else -1
        if closing > 0:
            parts.append(_class(glob[at + 1 : closing]))
            at = closing + 1
            continue
        if char == "{" and "}" in glob[at:]:
            depth += 1
            parts.append("(?:")
        elif char == "}" and depth:
            depth -= 1
            parts.append(")")
        elif char == "," and depth:
            parts.append("|")
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char) or literal(char))
        at += 1
    return "(?s:" + "".join(parts) + ")"


def _class(inner: str) -> str:
    negated = inner[:1] in ("!", "^")
    body = inner[1:] if negated else inner
    safe = "".join(char if char.isalnum() or char == "-" else f"\\x{{{ord(char):x}}}" for char in body)
    return f"[{'^/' if negated else ''}{safe}]"


def literal(text: str) -> str:
    """Escapes text for RE2."""
    return "".join(char if char.isalnum() or char == "_" else f"\\x{{{ord(char):x}}}" for char in text)


MOST = 200  # links of one message that are looked at

_REST = r"[^\s<>\"'`\x00-\x1f\x7f]{1,2000}"
_TOP = (
    r"(?:com|org|net|edu|gov|int|mil|info|biz|app|dev|page|site|online|shop|store|tech|cloud|blog|wiki|xyz|live|news"
    r"|(?!(?:py|md|rs|sh|pl|ps|cc|so|ml|mk|js|ts|go|rb|cs)/)[a-z]{2})"
)
"""Top-level domains of links without a scheme; all country codes except file endings."""
_BARE = rf"(?:[a-z0-9](?:[a-z0-9-]{{0,61}}[a-z0-9])?\.){{1,8}}{_TOP}/{_REST}"
_LINK = re.compile(rf"https?://{_REST}|(?<![A-Za-z0-9_@./-])(?:www\.{_REST}|{_BARE})", re.IGNORECASE)
_END = ".,;:!?)]}*_"
_HOST = re.compile(r"(?:\*\.)?[^\s/:@?#*.]+(?:\.[^\s/:@?#*.]+)*")


class Link(NamedTuple):
    """A link in a text: lower-case host, path, and span."""

    host: str
    path: str
    start: int
    end: int


def links(text: str) -> Iterator[Link]:
    """Yields the links in a text. The host may not be the visible one: `https://github.com@evil.example`."""
    for number, match in enumerate(_LINK.finditer(text)):
        if number == MOST:
            return
        written = match[0].rstrip(_END)
        try:
            parts = urlsplit(written if "://" in written else f"https://{written}")
            host = parts.hostname or ""
        except ValueError:
            continue
        if host:
            yield Link(host.rstrip(".").lower(), parts.path or "/", match.start(), match.start() + len(written))


def host_problem(written: str) -> str:
    """Says why a trigger's host is invalid; empty if valid."""
    host = written.partition("/")[0]
    if "://" in written or not _HOST.fullmatch(host):
        return f"{quoted(written)} is no host such as `github.com` or `github.com/*/*/pull/*`"
    return ""


def leads_to(link: Link, written: str) -> bool:
    """Tells whether a link leads to this host or a subdomain, and to its path (a glob) or below."""
    host, _, path = written.partition("/")
    host = host.lower().removeprefix("*.")
    if link.host != host and not link.host.endswith("." + host):
        return False
    if not path.strip("/"):
        return True
    pattern = compiled(rf"\A/{translated(path.strip('/'))}(?:/|\z)")
    return pattern.search(link.path.encode("utf-8", "replace").decode()) is not None
