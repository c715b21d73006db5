"""The tools of an agent's program: search, read, write and edit as proposals; the index (§7, §9.1, §9.2)."""

import asyncio

import msgspec

from engine.errors import Refused
from engine.plans.plan import Plan
from engine.search.naming import safe_name
from engine.search.values import Category, IndexReport, category_of
from engine.services.engine import Engine
from engine.services.proposals import NoteProposal
from engine.services.runtime.memory_view import utf8_text
from engine.text.canonical_json import sha256_hex
from engine.text.document import shown_text, split_lines
from engine.text.secrets.detector import redact
from engine.workspace.paths import FileMissing


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """A file that matches a query. `score` is comparable within one search only; `snippet` is safe to show."""

    path: str
    snippet: str
    score: float
    category: Category


class AgentTools:
    """The four tools of §9.1 for one agent. None changes a note: `write` and `edit` give a plan."""

    def __init__(self, engine: Engine, agent: str) -> None:
        self._engine, self._agent = engine, agent

    async def search(self, query: str, limit: int = 10, category: str | None = None) -> list[SearchResult]:
        """Finds notes and conversations by words and meaning, best first; `ValueError` for an unknown category."""
        return await asyncio.to_thread(found, self._engine, query, limit, category)

    async def read(self, path: str, offset: int = 0, limit: int | None = None) -> str:
        """Reads `limit` lines of a note after the first `offset`, without secrets; `Refused` where it is not served."""
        data = await asyncio.to_thread(self._engine.proposals.note, path)
        await asyncio.to_thread(self._engine.references.opened, path)
        lines = split_lines(redact(shown_text(data), keep_lines=True))
        start = max(0, offset)
        return "\n".join(lines[start:] if limit is None else lines[start : start + max(0, limit)])

    async def write(self, path: str, content: str, reason: str = "written by a program") -> Plan:
        """Proposes a note's whole content; gives the open plan."""
        return await asyncio.to_thread(self._written, path, content, reason)

    async def edit(self, path: str, old_text: str, new_text: str, reason: str = "edited by a program") -> Plan:
        """Proposes to replace a passage that is in a note exactly once; `Refused` otherwise."""
        return await asyncio.to_thread(self._edited, path, old_text, new_text, reason)

    def _written(self, path: str, content: str, reason: str) -> Plan:
        try:
            base = sha256_hex(self._engine.proposals.note(path))
        except (FileMissing, Refused):  # a path that is not served is refused with the reason when it is proposed
            base = ""
        return self._proposed(path, content, reason, base)

    def _edited(self, path: str, old_text: str, new_text: str, reason: str) -> Plan:
        data = self._engine.proposals.note(path)
        text = utf8_text(path, data)
        if redact(text, keep_lines=True) != text:  # counting passages would tell of the secret, character by character
            raise Refused("it holds a secret, so the operator alone edits it", where=path)
        times = text.count(old_text) if old_text else 0
        if times != 1:
            raise Refused(f"the passage stands in it {times} times, not once", where=path)
        return self._proposed(path, text.replace(old_text, new_text), reason, sha256_hex(data))

    def _proposed(self, path: str, content: str, reason: str, base: str) -> Plan:
        action = "replace" if base else "create"
        proposal = NoteProposal(path=path, action=action, content=content, reason=reason, base=base)
        return self._engine.plans.load(self._engine.proposals.propose(proposal, self._agent).id)


class SearchIndex:
    """The index of the workspace's notes, with nothing but their content."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def index_file(self, path: str, content: str, category: str) -> IndexReport:
        """Indexes a written note; `Refused` where its content or category differs."""
        if category_of(path) is not Category(category):
            raise Refused(f"its place makes it {category_of(path).value}, not {category}", where=path)
        if await asyncio.to_thread(self._engine.proposals.note, path) != content.encode("utf-8"):
            raise Refused("the note says something else: the index holds notes alone", where=path)
        return await asyncio.to_thread(self._engine.search.index)

    def remove_file(self, path: str) -> IndexReport:
        """Removes a missing note from the index; `Refused` while it exists."""
        if self._engine.history.is_there(path):
            raise Refused("the note is there, so it stays in the index", where=path)
        return self._engine.search.index()

    async def search(self, query: str, limit: int = 10, category: str | None = None) -> list[SearchResult]:
        """Finds notes and conversations, best first."""
        return await asyncio.to_thread(found, self._engine, query, limit, category)

    async def rebuild_full(self) -> IndexReport:
        """Rebuilds the index from all notes and conversations."""
        return await asyncio.to_thread(lambda: self._engine.search.index(rebuild=True))


def found(engine: Engine, query: str, limit: int, category: str | None) -> list[SearchResult]:
    """Gives the results of a search that an agent's program may see."""
    hits = engine.search.find(query, limit, Category(category) if category is not None else None).hits
    return [
        SearchResult(path=safe_name(hit.path), snippet=hit.snippet, score=hit.score, category=hit.category)
        for hit in hits
        if engine.proposals.serves(hit.path)
    ]
