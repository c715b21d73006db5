"""Finds the sources of an agent's answer: "why did it say that?" (autopoiesis §6)."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from engine.compactor.semantic.entry import read_entries
from engine.context.compile.prompt import CompiledPrompt, PromptItem
from engine.context.origins.shared_words import SharedLine, shared_lines
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError, UsageError
from engine.services.context import NO_HISTORY, ContextService
from engine.services.line_life import LineLife, line_life
from engine.services.open_workspace import OpenWorkspace
from engine.services.tree import TreeService
from engine.text.document import Document
from engine.text.markdown import heading_of
from engine.text.secrets.detector import redact
from engine.tree.browse.browser import Browser
from engine.workspace.layout import tier_of
from engine.workspace.values import LineSpan, MemoryTier

if TYPE_CHECKING:
    from engine.services.sessions import SessionService
    from engine.topics.messages import SessionTurn

MOST = 8  # lines that are named for one answer
_AGENT, _USER = "agent", "user"


class AnswerOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the prompt that an answer may rest on. `line` counts from 1 in `path`, 0 if it is not there; `entry`
    is the heading above; `raw` is the turn of a raw log behind it, with its first line."""

    slot: str
    label: str
    path: str
    line: int
    entry: str
    text: str
    words: tuple[str, ...]
    share: float
    raw: LineSpan | None = None
    raw_text: str = ""


class AnswerOrigins(msgspec.Struct, frozen=True, kw_only=True):
    """The prompt's lines that an answer may rest on, the likeliest first."""

    answer: str
    message: str
    origins: tuple[AnswerOrigin, ...]
    tokens: int


class OriginService:
    """Compiles a message's prompt and compares an answer with its lines. Writes only the search index."""

    def __init__(
        self, opened: OpenWorkspace, context: ContextService, tree: TreeService, sessions: "SessionService"
    ) -> None:
        self._opened, self._context, self._tree, self._sessions = opened, context, tree, sessions

    def of_answer(
        self, answer: str, session: SessionKind, *, message: str = "", history: str | None = NO_HISTORY
    ) -> AnswerOrigins:
        """Gives the origins of a pasted answer to `message`. `history` as in `context.compile`."""
        if not answer.strip():
            raise UsageError("no answer to look into", where="why", hint="memdeck why TEXT, or --file -")
        return self._origins(answer, self._context.compile(message, session, history=history))

    def of_turn(self, source: str, session: SessionKind, number: int | None = None) -> AnswerOrigins:
        """Gives the origins of an agent's turn: the last one, or turn `number` (from 1) of the session `source`."""
        turns = self._context.turns(source)
        answers = [turn for turn in self.answers(source) if number is None or turn.number == number]
        if not answers:
            what = f"turn {number} is none of the agent's" if number is not None else "the agent said nothing in it"
            raise UsageError(what, where=source, hint="memdeck why --of SOURCE takes the last answer")
        answer = answers[0]
        asked = next((turn for turn in reversed(turns[: answer.number - 1]) if turn.role == _USER), None)
        message = asked.text if asked is not None else ""
        before = asked.number if asked is not None else answer.number
        return self._origins(answer.text, self._context.compile(message, session, history=source, before=before))

    def answers(self, source: str = "") -> "Sequence[SessionTurn]":
        """Gives the agent's turns with a text, newest first, of a session, by default the newest."""
        source = source or next((info.source for info in self._sessions.files()), "")
        return [turn for turn in reversed(self._context.turns(source)) if turn.role == _AGENT and turn.text.strip()]

    def _origins(self, answer: str, prompt: CompiledPrompt) -> AnswerOrigins:
        places = _Places(self._opened, self._tree)
        found = tuple(places.origin(shared) for shared in shared_lines(answer, prompt, MOST))
        return AnswerOrigins(answer=redact(answer), message=prompt.message, origins=found, tokens=prompt.tokens)


class _Places:
    """Finds the prompt's lines in their files."""

    def __init__(self, opened: OpenWorkspace, tree: TreeService) -> None:
        self._opened, self._tree = opened, tree
        self._files: dict[str, Sequence[str]] = {}

    @cached_property
    def _browser(self) -> Browser:
        return self._tree.browse()

    def origin(self, shared: SharedLine) -> AnswerOrigin:
        item = shared.item
        lines = self._lines(item.path)
        line = _line_of(shared.text, item, lines)
        life = self._life(item.path, line)
        raw = next((rung for rung in life.rungs if rung.level == "raw" and rung.lines), None) if life else None
        return AnswerOrigin(
            slot=item.slot.value,
            label=item.label,
            path=item.path,
            line=line,
            entry=_entry_above(lines, line, item.path),
            text=redact(shared.text),
            words=shared.words,
            share=shared.share,
            raw=raw.span if raw is not None else None,
            raw_text=redact(raw.lines[0].text) if raw is not None else "",
        )

    def _lines(self, path: str) -> Sequence[str]:
        if path not in self._files:
            snapshot = self._opened.fresh(look=False)
            try:
                found = Document.from_bytes(snapshot.content(path)).lines if path in snapshot.files else ()
            except MemdeckError:
                found = ()
            self._files[path] = found
        return self._files[path]

    def _life(self, path: str, line: int) -> LineLife | None:
        if not line or not self._lines(path):
            return None
        try:
            return line_life(self._browser, path, line)
        except MemdeckError:
            return None


def _line_of(text: str, item: PromptItem, lines: Sequence[str]) -> int:
    """Gives the line's number in its file, from the item's line on if possible; the item's own where it is missing."""
    wanted = text.strip()
    numbers = [number for number, line in enumerate(lines, 1) if line.strip() == wanted]
    return next((number for number in numbers if number >= item.line), next(iter(numbers), 0)) or item.line


def _entry_above(lines: Sequence[str], line: int, path: str) -> str:
    """Gives the title of the line's semantic entry, or the heading above it; empty if there is none."""
    if tier_of(path) is MemoryTier.SEMANTIC:
        entries = read_entries("\n".join(lines))[0]
        if above := [entry for entry in entries if min(entry.lines.values(), default=line + 1) <= line]:
            return above[-1].title
    return next((found.text for text in reversed(lines[:line]) if (found := heading_of(text)) is not None), "")
