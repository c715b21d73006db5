"""The services for an agent's program, which may search, read and propose, never approve. Answers have no secrets,
no private folders, and MEMORY.md only in a main session (D4); workspace text is fenced (D40)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.context.compile.fenced_pieces import fenced, flags_of, note_text, trust_of
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError, Refused
from engine.monitoring.feedback import ABOUT
from engine.plans.flags import rule_words
from engine.plans.plan import Flag, QueueEntry
from engine.plans.trust_label import Trust
from engine.services.feedback import told
from engine.services.proposals import NoteProposal
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.text.document import shown_text
from engine.text.safe_text import visible
from engine.text.secrets.detector import redact
from engine.workspace.layout import is_memory_md
from engine.workspace.values import Tick

if TYPE_CHECKING:
    from engine.services.engine import Engine

LONGEST_QUERY = 2_000  # characters of an agent's question that are read
LONGEST_ANSWER = 24_000  # characters of a note in one answer; the rest is asked for by its offset
MOST_HITS = 20  # notes in one answer to an agent
MOST_TOKENS = 16_000  # tokens of a prompt that an agent may ask for


@dataclass(frozen=True)
class FoundNote:
    """A note that matches a query, with its best lines between fences. `fetch` takes its `id`."""

    id: str
    title: str
    path: str
    line: int
    score: float
    text: str
    flags: list[str] = field(default_factory=list)
    """The poison rules that its lines break: such text has the lowest trust (decision G30)."""


@dataclass(frozen=True)
class FoundNotes:
    """The notes that match a query, best first, and the reasons why the answer may be incomplete."""

    results: list[FoundNote]
    degraded: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class NotePiece:
    """A part of a note. `sha256` is that of the whole note; `next_offset` is -1 at its end."""

    id: str
    title: str
    path: str
    text: str
    sha256: str
    characters: int
    next_offset: int
    flags: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ContextText:
    """A prompt for a message within a token budget, and the notes in it."""

    text: str
    tokens: int
    budget: int
    paths: list[str]
    warnings: list[str]
    flags: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ProposalAnswer:
    """A proposal in the operator's queue; only the operator changes its state."""

    id: str
    path: str
    state: str
    risk_tier: str
    reason: str


@dataclass(frozen=True)
class ProposalAnswers:
    proposals: list[ProposalAnswer]


@dataclass(frozen=True)
class MemoryFigures:
    """The sizes of the memory, the trigger that fired, and the number of plans that wait for the operator."""

    files: dict[str, int]
    tokens: dict[str, int]
    trigger: str
    waiting: int
    tokenizer: str
    degraded: list[str]


class AgentService:
    """The answers to one agent. `agent` is the name it gives itself; `session` is its kind of session."""

    def __init__(self, engine: "Engine", agent: str, session: SessionKind = SessionKind.MAIN) -> None:
        self._engine, self.agent, self._session = engine, agent, session

    def search(self, query: str, limit: int = 10, tick: Tick | None = None) -> FoundNotes:
        answer = self._engine.search.find(query[:LONGEST_QUERY], max(1, min(limit, MOST_HITS)), tick=tick)
        if not (hits := [hit for hit in answer.hits if self.serves(hit.path)]):
            self._engine.uses.not_found(query[:LONGEST_QUERY])
        return FoundNotes(
            [
                FoundNote(
                    id=hit.path,
                    title=redact(visible(hit.title)),
                    path=hit.path,
                    line=hit.line,
                    score=hit.score,
                    text=_between(hit.snippet, hit.path, trust_of(hit.snippet)),
                    flags=_words(hit.path, flags_of([hit.snippet])[0], hit.line),
                )
                for hit in hits
            ],
            [*answer.degraded],
        )

    def read(self, path: str, offset: int = 0) -> NotePiece:
        """Reads a note from an offset on, without secrets; `Refused` for a note that is missing or not served."""
        if not self.serves(path):
            raise Refused("there is no such note", where=path[:200])
        try:
            data = self._engine.proposals.note(path)
        except MemdeckError as error:
            raise Refused("there is no such note", where=path[:200]) from error
        self._engine.references.opened(path)
        # Before it is cut into pieces: half a secret is not known as one.
        text, flags = redact(shown_text(data), keep_lines=True), self._engine.flags.of(path, data)
        start = max(0, min(offset, len(text)))
        end = min(start + LONGEST_ANSWER, len(text))
        return NotePiece(
            id=path,
            title=path.rpartition("/")[2].removesuffix(".md"),
            path=path,
            text=_between(text[start:end], path, note_text(data, flags).trust),
            sha256=sha256_hex(data),
            characters=len(text),
            next_offset=end if end < len(text) else -1,
            flags=_words(path, flags),
        )

    def context(self, message: str, budget: int = 0) -> ContextText:
        """Compiles the prompt for a message, without text that this agent may not see."""
        asked = max(0, min(budget, MOST_TOKENS))
        said = redact(message, keep_lines=True)[:LONGEST_QUERY]
        made = self._engine.context.compile(
            said, budget=asked or None, session=self._session, history="none", client=self.agent
        )
        self._engine.references.compiled(made)
        text, kept = made.prompt, []
        # From the end, so that the places of the earlier ones stay right.
        for item in sorted(made.items, key=lambda one: one.start, reverse=True):
            if item.path and item.end and not self.serves(item.path):
                text = text[: item.start] + text[item.end :]
            elif item.path and item.end:
                kept.append(item.path)
        flags = [words for item in made.items if item.path in kept for words in _words(item.path, item.flags)]
        return ContextText(redact(text, keep_lines=True), made.tokens, made.budget, kept[::-1], [*made.warnings], flags)

    def propose(
        self, path: str, action: str, content: str, reason: str, base_sha256: str = "", to: str = ""
    ) -> ProposalAnswer:
        """Queues a proposal for the operator; `Refused` with the reason where it is not allowed."""
        asked = NoteProposal(path=path, action=action, content=content, reason=reason, base=base_sha256, to=to)
        if any(self._engine.proposals.serves(one) and not self.serves(one) for one in (path, to)):
            raise Refused("only a main session proposes this", where=path)
        return _answer(self._engine.proposals.propose(asked, self.agent))

    def proposals(self) -> ProposalAnswers:
        """Gives this agent's proposals with their state."""
        return ProposalAnswers([_answer(entry) for entry in self._engine.proposals.of_agent(self.agent)[:100]])

    def status(self, tick: Tick | None = None) -> MemoryFigures:
        """Gives the sizes of the memory and the trigger that fired."""
        status = self._engine.status.read(tick)
        tiers = {name: getattr(status.memory_tiers, name) for name in status.memory_tiers.__struct_fields__}
        return MemoryFigures(
            files={name: tier.files for name, tier in tiers.items()},
            tokens={name: tier.tokens for name, tier in tiers.items()},
            trigger=status.primary_trigger or "",
            waiting=status.queue.pending,
            tokenizer=status.tokenizer,
            degraded=[redact(f"{notice.what}") for notice in status.degraded],
        )

    def systems(self) -> str:
        """Describes what the operator can plan as JSON: systems, commands and options. An agent can run none."""
        from engine.services.systems import described

        return canonical_json(described()).decode()

    def feedback(self) -> str:
        """Gives the operator's last refusals, edits and comments; quoted text is fenced."""
        rows = told(self._engine.comments.all_feedback(), self.serves)
        return "\n".join((ABOUT, "", *rows)) if rows else "nothing was refused yet"

    def serves(self, path: str) -> bool:
        """Tells whether this agent may see a path."""
        # MEMORY.md is for main sessions alone (decision D4).
        return self._engine.proposals.serves(path) and (self._session is SessionKind.MAIN or not is_memory_md(path))


def _between(text: str, source: str, trust: Trust) -> str:
    return fenced(redact(text, keep_lines=True), "memory", source, trust)


def _words(path: str, flags: Iterable[Flag], first: int = 1) -> list[str]:
    return [f"{path}:{first - 1 + flag.line}: {rule_words((flag.rule,))}" for flag in flags]


def _answer(entry: QueueEntry) -> ProposalAnswer:
    path = next((path for path in entry.targets), "")
    return ProposalAnswer(entry.id, path, entry.state.value, entry.risk_tier.value, redact(entry.state_reason))
