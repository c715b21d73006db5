"""Steers the agent's output: which hints it gets, how often, and that no hint triggers itself (decision D20)."""

import re
from collections import OrderedDict
from collections.abc import Collection, Container, Iterable
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from engine.topics.decision import Correction
from engine.topics.messages import Direction, Message

COOLDOWN = timedelta(minutes=10)  # after a hint of a topic was given in a session, the next of that topic waits so long
MOST_PER_TURN = 2  # hints in one turn of the agent, which lasts until the user speaks
MOST_SESSIONS = 500  # sessions remembered; the one that was silent longest goes first
MOST_LINES = 1_000  # injected lines remembered per session, the newest
MOST_HINTS = 50  # hints remembered per session, the newest: they are looked for inside of lines too
_SHORTEST_LINE = 12  # characters below which a line is everybody's: it is never taken for one of ours
_EDGES = " \t>*-#`\"'_“”"


class HintOutcome(StrEnum):
    """The outcome of a hint."""

    GIVEN = "given"
    COOLDOWN = "cooldown"
    CAP = "cap"
    REPEATED = "repeated"  # the topic has another hint for the same message, which was given


class SteeringResult(msgspec.Struct, frozen=True, gc=False):
    """A hint of an output trigger and its outcome; `until`: the end of its cooldown."""

    topic: str
    hint: str
    verdict: HintOutcome
    until: datetime | None = None


class _Session(msgspec.Struct):
    given_at: dict[str, datetime] = {}
    this_turn: int = 0
    lines: OrderedDict[str, None] = msgspec.field(default_factory=OrderedDict)
    hints: OrderedDict[str, None] = msgspec.field(default_factory=OrderedDict)


class Steering:
    """Keeps cooldowns, hints of the turn, and injected text, for each session."""

    def __init__(self, cooldown: timedelta = COOLDOWN, most_per_turn: int = MOST_PER_TURN) -> None:
        self._cooldown = cooldown
        self._most = most_per_turn
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def hear(self, message: Message) -> Message:
        """Blanks injected text in a message, keeping its length. A user's message ends the agent's turn."""
        # Our own text never triggers, or two topics would wake each other for ever (decision D20).
        if message.injected:
            return message
        session = self._session(message.session)
        if message.direction is Direction.INPUT:
            session.this_turn = 0
        own = message.direction is Direction.INPUT and "\n" not in message.text.strip()
        # What is injected comes with other lines; one line alone is the user's, who may well name a topic's.
        text = blanked(message.text, () if own else session.lines, session.hints)
        return message if text == message.text else msgspec.structs.replace(message, text=text)

    def steer(self, message: Message, corrections: Iterable[Correction], now: datetime) -> tuple[SteeringResult, ...]:
        """Selects the hints to give now, and remembers them as injected."""
        session = self._session(message.session)
        steered: list[SteeringResult] = []
        topics: set[str] = set()
        for correction in corrections:
            one = self._verdict(session, correction, topics, now)
            steered.append(one)
            if one.verdict is HintOutcome.GIVEN:
                topics.add(correction.topic)
                session.given_at[correction.topic] = now
                session.this_turn += 1
                _remember(session.hints, correction.hint, MOST_HINTS)
        return tuple(steered)

    def inject(self, session: str, text: str) -> None:
        """Remembers a text that enters a session's context, line by line."""
        _remember(self._session(session).lines, text, MOST_LINES)

    def _verdict(self, session: _Session, correction: Correction, topics: set[str], now: datetime) -> SteeringResult:
        topic, hint = correction.topic, correction.hint
        if topic in topics:
            return SteeringResult(topic, hint, HintOutcome.REPEATED)
        last = session.given_at.get(topic)
        # A clock that went back ends the cooldown rather than lengthening it.
        if last is not None and last <= now < last + self._cooldown:
            return SteeringResult(topic, hint, HintOutcome.COOLDOWN, last + self._cooldown)
        # Counted over all topics: ten that each have their cooldown would still flood one answer (decision D20).
        if session.this_turn >= self._most:
            return SteeringResult(topic, hint, HintOutcome.CAP)
        return SteeringResult(topic, hint, HintOutcome.GIVEN)

    def _session(self, name: str) -> _Session:
        session = self._sessions.pop(name, None) or _Session()
        self._sessions[name] = session
        if len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return session


def blanked(text: str, lines: Container[str], hints: Collection[str]) -> str:
    """Replaces injected lines and hints by spaces, keeping the text's length."""
    return "".join(_blank_line(line, lines, hints) for line in text.splitlines(keepends=True))


def _blank_line(line: str, lines: Container[str], hints: Collection[str]) -> str:
    plain = _plain(line)
    # Blanked, not cut out: places of matches are shown in the message as it was said.
    if plain in lines or plain in hints:
        return re.sub(r"\S", " ", line)
    folded = line.casefold()
    if len(folded) != len(line):  # a character that folds into several: its place in the line would be lost
        return line
    for hint in hints:
        start = folded.find(hint)
        while start >= 0:
            line = f"{line[:start]}{' ' * len(hint)}{line[start + len(hint) :]}"
            start = folded.find(hint, start + len(hint))
    return line


def _remember(known: OrderedDict[str, None], text: str, most: int) -> None:
    for line in text.splitlines():
        if len(plain := _plain(line)) >= _SHORTEST_LINE:
            known[plain] = None
            known.move_to_end(plain)
    while len(known) > most:
        known.popitem(last=False)


def _plain(line: str) -> str:
    """Returns a line for comparing: without marks of quotes and lists, case folded, single spaces."""
    return " ".join(line.strip(_EDGES).casefold().split())
