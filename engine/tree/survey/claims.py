"""Checks what a node that is not ours claims about its sources. A forged node names a missing source, cites lines that
a file does not have, or links outside the workspace."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache

import msgspec

from engine.errors import MemdeckError, Refused
from engine.text.canonical_json import sha256_hex
from engine.text.digits import whole_number
from engine.text.document import Document
from engine.text.poison.missing_sources import find_missing_sources
from engine.tree.levels import last_day, node_place
from engine.tree.source_references import trace
from engine.workspace.paths import relative_path
from engine.workspace.values import LineSpan


class Claims(msgspec.Struct, frozen=True):
    """The lines that a node's body cites, and its first link that leaves the workspace."""

    cited: tuple[LineSpan, ...] = ()
    leaves: str = ""


LinesOf = Callable[[str], int | None]  # counts the lines of a file; None where there is no such file


def broken_source(sources: Sequence[str], lines_of: LinesOf) -> str:
    """Says why a node's stated sources are wrong; empty if they are possible."""
    for path in sources:
        try:
            inside = relative_path(path)
        except Refused:
            return f"its source {path} lies outside of the workspace"
        if lines_of(inside) is None:
            return f"its source {path} is not there"
    return ""


def broken_claim(claims: Claims, lines_of: LinesOf) -> str:
    """Says why a body's references or links are wrong; empty if they are possible."""
    if claims.leaves:
        return f"{claims.leaves} leads out of the workspace"
    for span in claims.cited:
        if (lines := lines_of(span.path)) is None:
            return f"it cites {span}, which is not there"
        if span.end > max(1, lines):
            return f"it cites {span}, and that file has {lines} lines"
    return ""


def broken_hash(known: Sequence[tuple[str, str]], counts: Sequence[str], read: Callable[[str], bytes]) -> str:
    """Says which raw log a fixed node cannot have been made from; a log that only grew is right."""
    for (path, sha256), count in zip(known, counts, strict=False):
        with suppress(MemdeckError):
            document = Document.from_bytes(read(path))
            if sha256_hex(document.data) != sha256 and not began_as(document, sha256, whole_number(count) or 0):
                return f"its source {path} does not begin with what it claims to be made from"
    return ""


def began_as(document: Document, sha256: str, count: int) -> bool:
    """Tells whether the first `count` lines of a file have this hash, so that it only grew."""
    if not 0 < count <= document.line_count:
        return False
    _, end = document.line_span(1, count)
    kept = document.data[:end]
    return sha256 in (sha256_hex(kept), sha256_hex(kept.rstrip(b"\n")), sha256_hex(kept.rstrip(b"\r\n")))


@lru_cache(maxsize=16_384)
def read_claims(path: str, sha256: str, read: "Reading") -> Claims:
    """Returns the claims of a node, cached by the hash of its bytes."""
    place = node_place(path)
    try:
        document = Document.from_bytes(read.read(path))
    except MemdeckError:
        return Claims()
    if place is None:
        return Claims()
    first = document.frontmatter.body_line
    traced = trace(document.lines[first - 1 :], first, last_day(*place))
    cited = [span for line in traced if line.stated for span in line.spans]
    cited += [line.opens for line in traced if line.opens is not None]
    own = "\n".join("" if line.copied else line.text for line in traced)
    leaving = find_missing_sources(own, lambda _: True)
    return Claims(tuple(dict.fromkeys(cited)), own[leaving[0].start : leaving[0].end] if leaving else "")


class Reading:
    """A reader for `read_claims` that is equal to any other, so that the cache ignores it."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self.read = read

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reading)

    def __hash__(self) -> int:
        return 0
