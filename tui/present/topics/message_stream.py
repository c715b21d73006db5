"""Holds the stream of messages and decisions: rows under a filter, paused or following, limited in number."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.topics.decision import Decision, GateAnswer
from engine.topics.decision_log import LogEntry, Useful
from engine.topics.output_hints import HintOutcome, SteeringResult
from tui.present.glyphs import LOST, WOKE
from tui.present.spans import Line, ListRow, Span
from tui.present.topics.verdicts import MARKS, role_of, rule_words
from tui.present.words import safe

MOST = 5_000  # messages on screen; the log has more
_LONGEST = 400  # characters of a message in its row, before its blanks are made one
_INDENT = " " * 13  # as wide as the time and role before a message
Marks = Mapping[tuple[str, str], Useful]  # the operator's judgements, by message and topic


class StreamRow(NamedTuple):
    """A row: the number of its message, and the index of its decision or hint (-1 for the message itself)."""

    number: int
    part: int = -1


class Stream:
    """Holds messages as they arrive; while paused, new ones wait and are counted."""

    def __init__(self) -> None:
        self._entries: dict[int, LogEntry] = {}
        self.rows: list[StreamRow] = []
        self._waiting: list[LogEntry] = []
        self._decided: set[tuple[str, str]] = set()
        self.heard = 0  # messages since the stream began, those that went included
        self.filter = ""
        self.paused = False

    @property
    def waiting(self) -> int:
        """The number of messages that arrived during the pause."""
        return len(self._waiting)

    @property
    def messages(self) -> int:
        return len(self._entries)

    def add(self, entries: Iterable[LogEntry]) -> None:
        """Adds new messages and drops the oldest."""
        if self.paused:
            self._waiting += entries
            del self._waiting[: max(0, len(self._waiting) - MOST)]
            return
        for entry in entries:
            self._entries[self.heard] = entry
            self._decided.update((entry.key, decision.topic) for decision in entry.decisions)
            if matches(entry, self.filter):
                self.rows.extend(_places(self.heard, entry))
            self.heard += 1
        self._forget()

    def pause(self, on: bool) -> None:
        self.paused = on
        if not on:
            waiting, self._waiting = self._waiting, []
            self.add(waiting)

    def set_filter(self, text: str) -> None:
        self.filter = text
        self.rows = [
            place for number, entry in self._entries.items() if matches(entry, text) for place in _places(number, entry)
        ]

    def entry(self, place: StreamRow) -> LogEntry:
        return self._entries[place.number]

    def index(self, place: StreamRow) -> int:
        """Returns the index of a row, or of the nearest one left."""
        return min(bisect_left(self.rows, place), max(0, len(self.rows) - 1))

    def place_of(self, key: str) -> StreamRow | None:
        """Returns the row of the message `key`; None if it was dropped or the filter hides it."""
        places = (row for row in reversed(self.rows) if row.part < 0 and self._entries[row.number].key == key)
        return next(places, None)

    def judged(self, marks: Marks) -> tuple[int, int]:
        """Counts the judged decisions and all decisions, whatever the filter."""
        return sum(key in self._decided for key in marks), len(self._decided)

    def entries(self) -> tuple[LogEntry, ...]:
        """Returns every message in order, whatever the filter."""
        return tuple(self._entries.values())

    def _forget(self) -> None:
        over = len(self._entries) - MOST
        if over <= 0:
            return
        for number in list(self._entries)[:over]:
            gone = self._entries.pop(number)
            self._decided.difference_update((gone.key, decision.topic) for decision in gone.decisions)
        del self.rows[: bisect_left(self.rows, StreamRow(next(iter(self._entries))))]


class StreamRows:
    """Shows the rows of a stream in a list."""

    def __init__(self, stream: Stream, marks: Marks, *, wide: bool = False, dim: bool = False) -> None:
        """Takes `wide`, which shows what each stage let through, and `dim`, for messages of a past day."""
        self._stream, self._marks, self._wide, self._dim = stream, marks, wide, dim
        self._count = len(stream.rows)

    def __len__(self) -> int:
        return self._count

    def row(self, index: int) -> ListRow:
        if index >= len(self._stream.rows):  # the oldest went since it was shown
            return ListRow(())
        place = self._stream.rows[index]
        entry = self._stream.entry(place)
        if place.part < 0:
            return message_row(entry, wide=self._wide, dim=self._dim)
        if place.part < len(entry.decisions):
            decision = entry.decisions[place.part]
            return decision_row(decision, self._marks.get((entry.key, decision.topic)))
        return hint_row(entry.steered[place.part - len(entry.decisions)])


def matches(entry: LogEntry, text: str) -> bool:
    """Tells whether every word occurs in text, topic, rule or session; `is:active` and `gate:yes` work too."""
    if not (words := text.casefold().split()):
        return True
    facts = [entry.text, entry.session, entry.source, f"role:{entry.role}"]
    facts += [f"{each.topic} rule:{each.rule.value} gate:{each.gate.value}" for each in entry.decisions]
    facts += [f"hint:{each.verdict.value} {each.topic}" for each in entry.steered]
    facts += ["is:active"] * any(decision.activated for decision in entry.decisions) + ["is:injected"] * entry.injected
    whole = "\n".join(facts).casefold()
    return all(word in whole for word in words)


def _places(number: int, entry: LogEntry) -> Iterable[StreamRow]:
    return (StreamRow(number, part) for part in range(-1, len(entry.decisions) + len(entry.steered)))


def message_row(entry: LogEntry, *, wide: bool = False, dim: bool = False) -> ListRow:
    """Returns `18:46:02 user  can you review the PR?      stage 1: 2  stage 2: 1  gate: 1  ▶ 1`."""
    at = entry.said_at or entry.at
    when = f"{at:%H:%M:%S}" if at.date() == entry.at.date() else f"{at.day} {at:%b}"
    name, role = role_of(entry)
    text = safe(" ".join(entry.text[:_LONGEST].split())) or safe(
        ", ".join(f"[{call.name}]" for call in entry.tool_calls[:4])
    )
    words = Span(text, "muted" if entry.injected or dim else "text")
    return ListRow((Span(f"{when:<9}", "gutter"), Span(f"{name:<6}", role), words), _funnel(entry, wide=wide))


def _funnel(entry: LogEntry, *, wide: bool) -> Line:
    if entry.injected:
        return (Span("injected", "muted"),)
    if not entry.decisions:
        return ()
    funnel = entry.result.funnel
    woke = sum(decision.activated for decision in entry.decisions)
    came = Span(f"{WOKE.glyph} {woke}", WOKE.role) if woke else Span(f"{LOST.glyph} 0", LOST.role)
    tiers = f"stage 1: {funnel.tier1}  stage 2: {funnel.tier2}  topic gate: {funnel.gated or '–'}  "
    return (Span(tiers, "muted"), came) if wide else (came,)


def decision_row(decision: Decision, mark: Useful | None) -> ListRow:
    """Returns `   ▶ github-pr-review  high-sure  0.34           ✓ useful`."""
    sign = WOKE if decision.activated else LOST
    left: Line = (
        Span(_INDENT),
        Span(f"{sign.glyph} ", sign.role),
        Span(safe(decision.topic), "strong" if decision.activated else "muted"),
        Span(f"  {rule_words(decision.rule)}", "muted"),
    )
    if decision.score is not None:
        left += (Span(f"  {decision.score:.2f}", "muted"),)
    asked = decision.gate is not GateAnswer.NONE
    gate = Span(f"  topic gate {decision.gate.value}", "ok" if decision.gate is GateAnswer.YES else "muted")
    return ListRow(left, (MARKS[mark].span,) if mark is not None else (), (gate,) if asked else ())


def hint_row(steered: SteeringResult) -> ListRow:
    """Returns ` » code-quality told: Use Python 3 syntax`, or why the hint was held back."""
    given = steered.verdict is HintOutcome.GIVEN
    words = {
        HintOutcome.GIVEN: "told",
        HintOutcome.COOLDOWN: f"held back until {steered.until:%H:%M}" if steered.until else "held back",
        HintOutcome.CAP: "held back, enough for this turn",
        HintOutcome.REPEATED: "held back, one hint is enough",
    }[steered.verdict]
    return ListRow(
        (
            Span(_INDENT),
            Span("» ", "warn" if given else "muted"),
            Span(safe(steered.topic), "strong" if given else "muted"),
            Span(f"  {words}: ", "warn" if given else "muted"),
            Span(safe(steered.hint[:_LONGEST]), "text" if given else "muted"),
        )
    )
