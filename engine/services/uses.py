"""Lists unused memory for the front ends, each with a step to take, and counts the uses."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING

import msgspec

from engine.context.origins.shared_words import words_of
from engine.context.platforms.platform import SessionKind
from engine.errors import UsageError
from engine.lifecycle.prune.memory_entries import MemoryEntry, memory_entries
from engine.lifecycle.prune.old_files import RetiredFile, evicted_files
from engine.lifecycle.references.reference_days import (
    ENTRY,
    QUESTION,
    ReferenceDays,
    ReferenceKind,
    text_key,
    used_entries,
)
from engine.monitoring.queue_rules import WITHIN, PlanKind, QueueRule, QueueRules, refused_often
from engine.plans.memory_status import UseCounts
from engine.plans.plan import QueueEntry
from engine.services.open_workspace import OpenWorkspace
from engine.services.proposals import NoteProposal, ProposalService
from engine.services.references import new_messages
from engine.state.private_files import write_private
from engine.text.secrets.detector import redact
from engine.workspace.layout import MEMORY_MD_PATHS

if TYPE_CHECKING:
    from engine.services.context import ContextService

ANSWER = "knowledge/reference/answer-{}.md"  # the note into which the answer to a question goes
LONGEST = 200  # characters of a question of the operator that are kept
SWEEP = "uses"  # the name under which the last look at the sessions is remembered


class RefusedKind(msgspec.Struct, frozen=True):
    """Plans of one kind that were refused often, with the rule for them, if any."""

    id: str
    kind: PlanKind
    count: int
    rule: QueueRule | None


class Question(msgspec.Struct, frozen=True):
    """A question that found nothing on `days` days; its words only where the operator asked it."""

    id: str
    days: int
    said: str


class UseLists(msgspec.Struct, frozen=True):
    """The four lists: idle entries with the days on which they were loaded, unused files, questions, plans."""

    idle: tuple[tuple[MemoryEntry, int], ...]
    never_used: tuple[RetiredFile, ...]
    not_found: tuple[Question, ...]
    refused: tuple[RefusedKind, ...]


class UseService:
    """Counts uses in the operator's state; nothing under a what-if time."""

    def __init__(self, opened: OpenWorkspace, context: "ContextService", proposals: ProposalService) -> None:
        self._opened, self._context, self._proposals = opened, context, proposals
        self._days, self._rules = ReferenceDays(opened.database), QueueRules(opened.database)

    def lists(self) -> UseLists:
        """Makes the four lists, after reading new sessions; `status` shows their lengths."""
        from engine.services.planners import in_use

        loaded, planning, idle = self.look(), self._opened.planning(self._opened.fresh(look=False)), self._days.idle()
        files = evicted_files(planning.snapshot, planning.today, in_use(self._opened, planning))
        made = UseLists(
            tuple((one, idle[key]) for key, one in loaded.items() if key in idle),
            tuple(retired for retired in files if not retired.stays),
            tuple(one for one in self._questions().values() if ANSWER.format(one.id) not in planning.snapshot.files),
            tuple(self._refused()),
        )
        if self._opened.what_if is None and not self._opened.database.read_only:
            unruled = sum(kind.rule is None for kind in made.refused)
            counts = UseCounts(len(made.idle), len(made.never_used), len(made.not_found), unruled)
            write_private(self._opened.state.use_counts, msgspec.json.encode(counts))
        return made

    def not_found(self, asked: str, *, own: bool = False) -> None:
        """Counts a question that found nothing; keeps the words only where the operator asked (`own`)."""
        if self._opened.what_if is None:
            said = " ".join(asked.split())
            key = QUESTION + text_key(said.casefold()) + (f" {redact(said)[:LONGEST]}" if own else "")
            self._days.add(ReferenceKind.ASKED, (key,), self._day(self._opened.real_clock()))

    def _questions(self) -> Mapping[str, Question]:
        """Gives the unanswered questions of the last 90 days by id, with their words if the operator asked them."""
        first = self._day(self._opened.now() - WITHIN).isoformat()
        known = self._days.questions().items()
        asked = sorted((key.removeprefix(QUESTION).partition(" "), days) for key, days in known)
        return {name: Question(name, len(days), said) for (name, _, said), days in asked if max(days) >= first}

    def write_down(self, question: str, text: str) -> QueueEntry:
        """Queues a plan that writes down the answer to a question."""
        if (asked := self._questions().get(question)) is None:
            raise UsageError("no such question", where=question, hint="memdeck uses lists them")
        path, content = ANSWER.format(question), f"# {asked.said or 'An answer'}\n\n{text}\n"
        made = NoteProposal(path=path, action="create", content=content, reason="it was asked for and not found")
        return self._proposals.propose(made, "you")

    def rule(self, kind: str, *, refuse: bool, until: datetime, times: int) -> None:
        """Adds a rule for plans that are refused often, for the next `times` unattended ones; 0 ends the rule."""
        found = next((refused_kind for refused_kind in self._refused() if refused_kind.id == kind), None)
        if found is None:
            raise UsageError("nothing of that id is refused often", where=kind, hint="memdeck uses lists them")
        self._rules.put(QueueRule(found.kind, refuse, until, times), self._opened.real_clock())

    def _refused(self) -> Iterator[RefusedKind]:
        now = self._opened.real_clock()
        rules, often = self._rules.all(now), refused_often(self._opened.queue.entries(), now)
        for kind in dict.fromkeys((*often, *rules)):
            yield RefusedKind(text_key("\n".join((kind[0], *kind[1]))), kind, often.get(kind, 0), rules.get(kind))

    # ── counting ───────────────────────────────────────────────────────────────────────────────────────────────────

    def look(self) -> Mapping[str, MemoryEntry]:
        """Counts what sessions loaded and used since the last look; gives the loaded entries by key."""
        opened, now, entries = self._opened, self._opened.real_clock(), self._loaded()
        if opened.what_if is None and not opened.database.read_only:
            words, keys = [words_of(entry.text) for entry in entries.values()], list(entries)
            since = opened.last_runs.all().get(SWEEP, now - WITHIN)
            for at, one, is_first in new_messages(opened, since):
                if since < at <= now:
                    said = words_of(one.message.text) if one.role == "agent" else frozenset[str]()
                    self._days.add(ReferenceKind.LOADED, keys if is_first else (), self._day(at))
                    self._days.add(ReferenceKind.CITED, [keys[n] for n in used_entries(said, words)], self._day(at))
            self._days.keep_only(keys)
            opened.last_runs.record(SWEEP, now)
        return entries

    def _loaded(self) -> dict[str, MemoryEntry]:
        """Gives the entries of MEMORY.md that a platform loads, without those that are kept for ever."""
        snapshot, found = self._opened.fresh(look=True), dict[str, MemoryEntry]()
        used = (load for load in self._context.loads(SessionKind.MAIN) if load.used)
        for file in (file for load in used for file in load.files if file.path in MEMORY_MD_PATHS):
            fallen = {line.line for line in file.fallen}
            entries = memory_entries(file.path, snapshot.text(file.path))
            found |= {ENTRY + text_key(one.text): one for one in entries if not (one.kept or one.start in fallen)}
        return found

    def _day(self, at: datetime) -> date:
        return at.astimezone(self._opened.policy.time_zone).date()
