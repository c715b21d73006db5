"""Keeps every message with what it woke, and what the operator judged: one SQLite file of the operator (autopoiesis
§5.5).

Only ever added to, but for its bound: the oldest messages that nobody judged go. Secrets are taken out of what is kept.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.text.secrets.detector import redact
from engine.topics.activation import Woken
from engine.topics.decision import Decision, MatchResult, TriggerEvidence
from engine.topics.messages import ToolCall
from engine.topics.rates import Tally, tally_of
from engine.topics.steering import SteeringResult
from engine.workspace.private_database import DatabaseFormat, open_database

if TYPE_CHECKING:
    import apsw

MOST_MESSAGES = 50_000
"""Messages kept; of older ones only those that were judged, and the counts."""
LONGEST_TEXT = 4_000
"""Characters of a message that are kept."""
_SLACK = 2_000
"""Messages over the bound before the oldest go, so that it costs little."""
_SCHEMA = """
CREATE TABLE messages(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, at TEXT NOT NULL, judged INTEGER NOT NULL
    DEFAULT 0, body BLOB NOT NULL);
CREATE TABLE judgements(id INTEGER PRIMARY KEY, message TEXT NOT NULL, topic TEXT NOT NULL, useful TEXT NOT NULL,
    at TEXT NOT NULL);
CREATE INDEX judged ON judgements(message, topic);
CREATE TABLE tallies(hour TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
"""
_FORMAT = DatabaseFormat(
    what="a log of decisions",
    application=0x6D647470,
    version=1,
    schema=_SCHEMA,
    pragmas="PRAGMA journal_mode=wal; PRAGMA synchronous=normal",
    busy_milliseconds=5000,
)


class Useful(StrEnum):
    """The judgement of a decision: should the topic have become active, and did it help (autopoiesis §5.5)."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


class LogEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message and all that came of it. `at` is when it was decided."""

    key: str
    at: datetime
    session: str
    source: str
    role: str
    text: str
    line: int = 0
    said_at: datetime | None = None
    injected: bool = False
    left_out: int = 0
    tool_calls: tuple[ToolCall, ...] = ()
    mood: float = 0.0
    """The session's mood before it."""
    result: MatchResult
    steered: tuple[SteeringResult, ...] = ()
    woken: Woken = Woken()

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return self.result.decisions


class UsefulnessJudgement(msgspec.Struct, frozen=True):
    """The operator's judgement of one topic and one message; the last one counts."""

    message: str
    topic: str
    useful: Useful
    at: datetime


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(LogEntry)
_TALLY = msgspec.json.Decoder(Tally)


class DecisionLog:
    """The log, opened on first use; one per thread. Raises `OSError` where the disk refuses, and damages nothing."""

    def __init__(self, file: Path, *, most: int = MOST_MESSAGES) -> None:
        self.file = file
        self._most = most
        self._connection: apsw.Connection | None = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def add(self, entries: Sequence[LogEntry]) -> tuple[tuple[int, LogEntry], ...]:
        """Adds what was decided, in one transaction; gives those that were not in the log yet, with their numbers."""
        new: list[tuple[int, LogEntry]] = []
        if not entries:
            return ()
        with self._db() as db, db:
            for entry in entries:
                kept = without_secrets(entry)
                db.execute(
                    "INSERT OR IGNORE INTO messages(key, at, body) VALUES(?, ?, ?)",
                    (entry.key, _time(entry.at), _ENCODER.encode(kept)),
                )
                if db.changes():
                    new.append((db.last_insert_rowid(), kept))
            _count(db, (entry for _, entry in new))
            _trim(db, self._most)
        return tuple(new)

    def judge(self, message: str, topic: str, useful: Useful, at: datetime) -> UsefulnessJudgement:
        """Sets `was_useful` of one topic and one message. Earlier judgements stay in the log; the last one counts."""
        with self._db() as db, db:
            db.execute(
                "INSERT INTO judgements(message, topic, useful, at) VALUES(?, ?, ?, ?)",
                (message, topic, useful.value, _time(at)),
            )
            db.execute("UPDATE messages SET judged = 1 WHERE key = ?", (message,))
        return UsefulnessJudgement(message, topic, useful, at)

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    def last(self, most: int) -> tuple[tuple[int, LogEntry], ...]:
        """The newest entries with their numbers, oldest first."""
        rows = self._all("SELECT id, body FROM messages ORDER BY id DESC LIMIT ?", (most,))
        return _entries(reversed(rows))

    def added(self, after: int, but: Container[int], most: int) -> tuple[tuple[int, LogEntry], ...]:
        """The newest entries numbered above `after`, oldest first. Those whose numbers are in `but` are not read."""
        rows = self._all("SELECT id FROM messages WHERE id > ? ORDER BY id DESC LIMIT ?", (after, most))
        wanted = [number for (number,) in reversed(rows) if number not in but]
        rows = [row for number in wanted for row in self._all("SELECT id, body FROM messages WHERE id = ?", (number,))]
        return _entries(rows)

    def newest(self) -> int:
        """The number of the newest entry; 0 where there is none."""
        rows = self._all("SELECT max(id) FROM messages")
        return int(rows[0][0] or 0) if rows else 0

    def judgements(self) -> tuple[UsefulnessJudgement, ...]:
        """The judgement that counts of every topic and message that were judged."""
        rows = self._all(
            "SELECT message, topic, useful, at FROM judgements WHERE id IN"
            " (SELECT max(id) FROM judgements GROUP BY message, topic) ORDER BY id"
        )
        return tuple(
            UsefulnessJudgement(message, topic, Useful(useful), datetime.fromisoformat(at))
            for message, topic, useful, at in rows
        )

    def judged_entries(self) -> tuple[LogEntry, ...]:
        """Every message of which a topic was judged."""
        found = (_entry(body) for (body,) in self._all("SELECT body FROM messages WHERE judged ORDER BY id"))
        return tuple(entry for entry in found if entry is not None)

    def tally(self, since: datetime | None = None) -> Tally:
        """Everything counted since the hour of `since`; None: since the log began."""
        hour = _hour(since) if since is not None else ""
        found = Tally()
        for (body,) in self._all("SELECT body FROM tallies WHERE hour >= ?", (hour,)):
            found += _TALLY.decode(body)
        return found

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _all(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        if self._connection is None and not self.file.exists():
            return []
        with self._db() as db:
            return list(db.execute(query, values))

    @contextmanager
    def _db(self) -> Iterator["apsw.Connection"]:
        """The open log. One that is damaged is put aside under another name, never written over."""
        import apsw

        try:
            yield self._open()
        except (apsw.CorruptError, apsw.NotADBError) as error:
            self._put_aside()
            raise OSError(0, "the log of decisions was damaged: it is put aside and begins anew", self.file) from error
        except apsw.Error as error:
            raise OSError(0, f"{error}", str(self.file)) from error

    def _open(self) -> "apsw.Connection":

        if self._connection is not None:
            return self._connection
        self._connection = open_database(self.file, _FORMAT)
        return self._connection

    def _put_aside(self) -> None:
        self.close()
        if self.file.exists():
            self.file.replace(self.file.with_name(f"{self.file.name}.damaged"))
        for ending in ("-wal", "-shm"):
            self.file.with_name(self.file.name + ending).unlink(missing_ok=True)


def without_secrets(entry: LogEntry) -> LogEntry:
    """The entry as it is kept: a shorter text, and no secret in it; then evidence cannot say where in it it stood."""
    text = entry.text[:LONGEST_TEXT]
    # Cut after redacting: half a secret is not known as one.
    clean = redact(entry.text[: 4 * LONGEST_TEXT])[:LONGEST_TEXT]
    left_out = entry.left_out + len(entry.text) - len(text)
    if clean == text:
        return entry if not left_out else msgspec.structs.replace(entry, text=text, left_out=left_out)
    decisions = tuple(
        msgspec.structs.replace(decision, evidence=tuple(map(_without_place, decision.evidence)))
        for decision in entry.decisions
    )
    result = msgspec.structs.replace(entry.result, decisions=decisions)
    return msgspec.structs.replace(entry, text=clean, left_out=left_out, result=result)


def _without_place(evidence: TriggerEvidence) -> TriggerEvidence:
    return msgspec.structs.replace(evidence, start=0, end=0, found=redact(evidence.found))


def _count(db: "apsw.Connection", entries: Iterable[LogEntry]) -> None:
    """Adds new messages to the counts of their hour."""
    tallies: dict[str, Tally] = {}
    for entry in entries:
        hour = _hour(entry.at)
        tally = tally_of(entry.result, entry.steered, injected=entry.injected)
        tallies[hour] = tallies.get(hour, Tally()) + tally
    for hour, tally in tallies.items():
        row = db.execute("SELECT body FROM tallies WHERE hour = ?", (hour,)).fetchone()
        before = _TALLY.decode(bytes(row[0])) if row else Tally()
        db.execute("INSERT OR REPLACE INTO tallies VALUES(?, ?)", (hour, _ENCODER.encode(before + tally)))


def _trim(db: "apsw.Connection", most: int) -> None:
    row = db.execute("SELECT max(id), min(id) FROM messages WHERE NOT judged").fetchone()
    if row and row[0] is not None and row[0] - row[1] >= most + min(_SLACK, most):
        db.execute("DELETE FROM messages WHERE NOT judged AND id <= ?", (row[0] - most,))


def _entries(rows: Iterable[tuple[int, bytes]]) -> tuple[tuple[int, LogEntry], ...]:
    """Those that can be read."""
    return tuple((number, entry) for number, body in rows if (entry := _entry(body)) is not None)


def _entry(body: bytes) -> LogEntry | None:
    try:
        return _DECODER.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _hour(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H}"
