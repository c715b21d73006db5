"""Logs every message with its decisions and the operator's judgements, in the operator's state (autopoiesis §5.5).
Append-only up to a bound, beyond which the oldest unjudged messages go. Secrets are masked."""

from collections.abc import Container, Iterable, Sequence
from datetime import UTC, datetime
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table, TableRows
from engine.text.secrets.detector import redact
from engine.topics.activation import Woken
from engine.topics.decision import Decision, MatchResult, TriggerEvidence
from engine.topics.messages import SessionTurn
from engine.topics.output_hints import SteeringResult
from engine.topics.rates import Tally, tally_of

MOST_MESSAGES = 50_000  # messages kept; of older ones only those that were judged, and the counts
LONGEST_TEXT = 4_000  # characters of a message that are kept
_SLACK = 2_000  # messages over the bound before the oldest go, so that it costs little


class Useful(StrEnum):
    """The judgement of a decision: did activating the topic help (autopoiesis §5.5)."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


class LogEntry(SessionTurn, frozen=True, kw_only=True, gc=False):
    """A turn or event with its result. `at`: when it was decided."""

    key: str
    at: datetime
    injected: bool = False
    left_out: int = 0
    mood: float = 0.0  # the session's mood before it
    result: MatchResult
    steered: tuple[SteeringResult, ...] = ()
    woken: Woken = Woken()

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return self.result.decisions


class UsefulnessJudgement(msgspec.Struct, frozen=True):
    """The operator's judgement of one topic and message; the last one counts."""

    message: str
    topic: str
    useful: Useful
    at: datetime


_DECODER = msgspec.json.Decoder(LogEntry)


class DecisionLog:
    """The log. Each thread has its own, with its own connection, so that none waits for another. Unreadable rows are
    skipped, and `problem` says why. Writing raises as `StateDatabase.transaction`."""

    def __init__(self, database: StateDatabase, *, most: int = MOST_MESSAGES) -> None:
        self.database = database
        self._most = most
        self._messages, self._judgements = Table(database, StateTable.DECISIONS), Table(database, StateTable.JUDGEMENTS)
        self._tallies = Table(database, StateTable.TALLIES)

    @property
    def problem(self) -> str:
        """Says why something could not be read; empty so far if nothing."""
        return self.database.problem

    def close(self) -> None:
        self.database.close()

    # ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def add(self, entries: Sequence[LogEntry]) -> tuple[tuple[int, LogEntry], ...]:
        """Adds entries in one transaction; returns the new ones with their numbers."""
        if not entries:
            return ()
        kept = [(entry, msgspec.json.encode(entry)) for entry in map(without_secrets, entries)]
        # Not synced: that would cost a hook 1 ms a message. The marks that say it was read are synced, and come later.
        with self.database.transaction(synced=False) as connection:
            messages = TableRows(connection, StateTable.DECISIONS)
            numbered = [(messages.add(entry.key, body), entry) for entry, body in kept]
            new = [(number, entry) for number, entry in numbered if number is not None]
            _count(TableRows(connection, StateTable.TALLIES), (entry for _, entry in new))
            if new:
                _trim(messages, TableRows(connection, StateTable.JUDGEMENTS), new[-1][0], self._most)
        return tuple(new)

    def judge(self, message: str, topic: str, useful: Useful, at: datetime) -> UsefulnessJudgement:
        """Stores `was_useful` of a topic and message; earlier judgements stay, the last one counts."""
        judgement = UsefulnessJudgement(message, topic, useful, at.astimezone(UTC))
        with self._judgements.change() as rows:
            rows.put(f"{message}\n{topic}\n{judgement.at.isoformat()}", msgspec.json.encode(judgement))
        return judgement

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    def last(self, most: int) -> tuple[tuple[int, LogEntry], ...]:
        """Returns the newest entries with their numbers, oldest first."""
        return self._messages.read(lambda rows: _entries(rows.latest(most)), ())

    def added(self, after: int, but: Container[int], most: int) -> tuple[tuple[int, LogEntry], ...]:
        """Returns the newest entries above `after`, oldest first, without reading the numbers in `but`."""

        def ask(rows: TableRows) -> tuple[tuple[int, LogEntry], ...]:
            wanted = (number for number in rows.numbers(after, most) if number not in but)
            return _entries(rows.numbered(wanted))

        return self._messages.read(ask, ())

    def newest(self) -> int:
        """Returns the number of the newest entry; 0 if there is none."""
        return self._messages.read(lambda rows: max(rows.numbers(0, 1), default=0), 0)

    def judgements(self) -> tuple[UsefulnessJudgement, ...]:
        """Returns the last judgement of every judged topic and message."""
        found: dict[tuple[str, str], UsefulnessJudgement] = {}
        for judgement in self._judgements.values(UsefulnessJudgement).values():
            # Taken out first, so that the order is that of the last judgements.
            found.pop((judgement.message, judgement.topic), None)
            found[judgement.message, judgement.topic] = judgement
        return tuple(found.values())

    def judged_entries(self) -> tuple[LogEntry, ...]:
        """Returns every message with a judged topic."""
        judged = dict.fromkeys(judgement.message for judgement in self.judgements())

        def ask(rows: TableRows) -> tuple[LogEntry, ...]:
            bodies = (rows.get(message) for message in judged)
            found = (_entry(body) for body in bodies if body is not None)
            return tuple(entry for entry in found if entry is not None)

        nothing: tuple[LogEntry, ...] = ()
        return tuple(sorted(self._messages.read(ask, nothing), key=lambda entry: entry.at))

    def tally(self, since: datetime | None = None) -> Tally:
        """Returns all counts since the hour of `since`; None: since the log began."""
        least = _hour(since) if since is not None else ""
        return sum(self._tallies.values(Tally, least).values(), Tally())


def without_secrets(entry: LogEntry) -> LogEntry:
    """Returns the entry as stored: shortened, secrets masked; evidence then has no place."""
    text = entry.text[:LONGEST_TEXT]
    # Cut after redacting: half a secret is not known as one.
    clean = redact(entry.text[: 4 * LONGEST_TEXT])[:LONGEST_TEXT]
    left_out = entry.left_out + len(entry.text) - len(text)
    calls = (replace(call, target=redact(call.target), outcome=redact(call.outcome)) for call in entry.tool_calls)
    entry = replace(entry, tool_calls=tuple(calls))
    if clean == text:
        return entry if not left_out else replace(entry, text=text, left_out=left_out)
    decisions = (replace(one, evidence=tuple(map(_without_place, one.evidence))) for one in entry.decisions)
    return replace(entry, text=clean, left_out=left_out, result=replace(entry.result, decisions=tuple(decisions)))


def _without_place(evidence: TriggerEvidence) -> TriggerEvidence:
    return replace(evidence, start=0, end=0, found=redact(evidence.found))


def _count(rows: TableRows, entries: Iterable[LogEntry]) -> None:
    """Adds new messages to their hour's counts."""
    tallies: dict[str, Tally] = {}
    for entry in entries:
        hour = _hour(entry.at)
        tally = tally_of(entry.result, entry.steered, injected=entry.injected)
        tallies[hour] = tallies.get(hour, Tally()) + tally
    for hour, tally in tallies.items():
        body = rows.get(hour)
        before = msgspec.json.decode(body, type=Tally) if body is not None else Tally()
        rows.put(hour, msgspec.json.encode(before + tally))


def _trim(messages: TableRows, judgements: TableRows, newest: int, most: int) -> None:
    """Removes the oldest unjudged messages once the bound is exceeded by `_SLACK`, so that it happens rarely."""
    over = {key for _, key in messages.below(newest - most - min(_SLACK, most))}
    if not over:
        return
    judged = {judgement.message for judgement in judgements.values(UsefulnessJudgement).values()}
    if over - judged:
        # What was judged stays: tuning learns from it.
        messages.drop_numbers([number for number, key in messages.below(newest - most) if key not in judged])


def _entries(rows: Iterable[tuple[int, bytes]]) -> tuple[tuple[int, LogEntry], ...]:
    return tuple((number, entry) for number, body in rows if (entry := _entry(body)) is not None)


def _entry(body: bytes) -> LogEntry | None:
    try:
        return _DECODER.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None


def _hour(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H}"
