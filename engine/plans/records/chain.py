"""The audit log's hash chain: makes one record's line, and finds everything wrong with a log's bytes."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from engine.plans.operation import ChainHead
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.workspace.values import Finding, damage

GENESIS = ChainHead(0, "0" * 64)  # the head that the first record links to

TORN = "torn"  # the kind of the record that names bytes which a crash left behind (decision G21)


class AuditRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the audit log. `hash` is the sha256 of `prev` and the canonical JSON of the other fields."""

    seq: int
    at: datetime
    kind: str
    data: dict[str, Any]
    prev: str
    hash: str

    @property
    def head(self) -> ChainHead:
        return ChainHead(self.seq, self.hash)


class Fragment(msgspec.Struct, frozen=True):
    """Bytes of the log that are no record: their offset, length and sha256."""

    offset: int
    length: int
    sha256: str


class Line(msgspec.Struct, frozen=True):
    """One line of the log without its newline. `record` is None where it is no record."""

    no: int
    offset: int
    raw: bytes
    terminated: bool
    record: AuditRecord | None

    @property
    def fragment(self) -> Fragment:
        return Fragment(self.offset, len(self.raw), sha256_hex(self.raw))


def seal(seq: int, at: datetime, kind: str, data: dict[str, Any], prev: str) -> tuple[bytes, ChainHead]:
    """Makes the line of a new record, with its newline, and the new head. `at` must have an offset (decision G6)."""
    if at.tzinfo is None:
        raise ValueError("an audit record needs a time with an offset")
    # Once there and back: what is hashed is what a reader will decode, whatever structs `data` was made of.
    rest = msgspec.json.decode(canonical_json({"seq": seq, "at": at, "kind": kind, "data": data}))
    digest = _link(prev, rest)
    return canonical_json({**rest, "prev": prev, "hash": digest}) + b"\n", ChainHead(seq, digest)


def parse(raw: bytes) -> AuditRecord | None:
    """Reads the record in `raw`; None unless it is the canonical line of a record with the right hash."""
    try:
        value = msgspec.json.decode(raw)
        record = msgspec.convert(value, AuditRecord, strict=True)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    # The same record in another spelling is an altered line: blanks, order or escapes tell.
    if canonical_json(value) != raw:
        return None
    rest = {key: item for key, item in value.items() if key not in ("prev", "hash")}
    return record if _link(record.prev, rest) == record.hash else None


def _link(prev: str, rest: dict[str, Any]) -> str:
    return sha256_hex(prev.encode() + canonical_json(rest))


def lines(data: bytes) -> Iterator[Line]:
    offset, no = 0, 0
    while offset < len(data):
        end, no = data.find(b"\n", offset), no + 1
        raw = data[offset:] if end < 0 else data[offset:end]
        yield Line(no, offset, raw, end >= 0, parse(raw))
        offset += len(raw) + 1


def looks_torn(raw: bytes) -> bool:
    """Tells whether a crash may have left these bytes: the start of a record, or NUL bytes."""
    # A file system that grew the file before it wrote the blocks leaves NUL bytes.
    if not raw or b"\0" in raw:
        return bool(raw)
    try:
        msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return "truncated" in str(error)
    return False


def torn_fragments(data: bytes) -> tuple[Fragment, ...]:
    """Finds the fragments of crashes that no record names yet."""
    torn: list[Fragment] = []
    waiting: list[Fragment] = []
    last = GENESIS
    for line in lines(data):
        if line.record is None:
            if looks_torn(line.raw):
                waiting.append(line.fragment)
            continue
        if _follows(line.record, last):
            torn += waiting
        waiting = []
        last = line.record.head
    named = {named for _, named in _named(data)}
    return tuple(fragment for fragment in torn + waiting if fragment not in named)


def problems(
    data: bytes,
    anchors: Sequence[ChainHead] = (),
    after: ChainHead = GENESIS,
    each: Callable[[AuditRecord], None] | None = None,
) -> Iterator[Finding]:
    """Finds everything wrong with a log, or with the rest `after` a record, in order (G21): a byte changed, a record
    dropped, inserted or moved, an end cut that an anchor knows. `each` is called with each readable record."""
    last = after
    seen: dict[int, str] = {after.seq: after.hash}
    named = dict(_named(data))
    claimed = {fragment: no for no, fragment in named.items()}
    for line in lines(data):
        if line.record is not None:
            if not _follows(line.record, last):
                what = f"record {line.record.seq} does not follow record {last.seq}: one was dropped, inserted or moved"
                yield _finding("audit_chain", line.no, what)
            last = line.record.head
            seen.setdefault(last.seq, last.hash)
            if each is not None:
                each(line.record)
        elif claimed.pop(line.fragment, 0) <= line.no:
            # A torn line is settled once a later record names its bytes.
            yield _damaged(line)
        if not line.terminated and line.record is not None:
            yield _finding("audit_damaged", line.no, "the last record lacks its newline", "memdeck recover")
    for no in claimed.values():
        yield _finding("audit_torn", no, "it names a torn record that is not there")
    yield from _unmet(anchors, seen)


def _follows(record: AuditRecord, last: ChainHead) -> bool:
    return record.seq == last.seq + 1 and record.prev == last.hash


def _named(data: bytes) -> Iterator[tuple[int, Fragment]]:
    """Yields line number and fragment of each record that names one."""
    marker = b'"kind":"torn"'
    if marker not in data:
        return
    for line in lines(data):
        if line.record is not None and line.record.kind == TORN:
            try:
                yield line.no, msgspec.convert(line.record.data, Fragment)
            except msgspec.ValidationError:
                yield line.no, Fragment(-1, 0, "")


def _unmet(anchors: Sequence[ChainHead], seen: dict[int, str]) -> Iterator[Finding]:
    for anchor in sorted(set(anchors), key=lambda a: (a.seq, a.hash)):
        if anchor.seq == 0 or seen.get(anchor.seq) == anchor.hash:
            continue
        what = "is missing: the log was cut" if anchor.seq not in seen else "is not the one that was written"
        yield _finding("audit_cut", 0, f"record {anchor.seq} {what}")


def _damaged(line: Line) -> Finding:
    if looks_torn(line.raw):
        return _finding("audit_damaged", line.no, "a record is incomplete", "memdeck recover names what a crash tore")
    return _finding("audit_damaged", line.no, "a record was altered")


def _finding(what_id: str, no: int, what: str, fix: str = "restore the log from a backup") -> Finding:
    return damage(what_id, f"audit.jsonl:{no}" if no else "audit.jsonl", what, fix)
