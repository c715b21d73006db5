"""Probes for the front ends: asked of present memory, and of memory after a plan."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.compactor.semantic.entry import read_entries
from engine.context.platforms.platform import SessionKind
from engine.context.probes.file import MOST_BYTES, NAME, ReadProbes, Statement, read_probes, statements, suggestions
from engine.context.probes.probe import Probe, ProbeAnswer, ProbeChange, ProbePlace, judged, probe_note
from engine.errors import MemdeckError, Refused
from engine.plans.annotation import PROBES, ProbeNote
from engine.plans.plan import OPEN_STATES, Plan
from engine.plans.policy.file import is_inside
from engine.plans.prediction import contents_after
from engine.search.values import SearchMethod
from engine.services.context import NO_HISTORY, ContextService
from engine.services.open_workspace import OpenWorkspace
from engine.services.planned_workspace import PlannedServices, planned_workspace
from engine.services.search import SearchService
from engine.services.topics import TopicService
from engine.services.tree import TreeService
from engine.state.folder import config_home
from engine.state.private_files import refuse_foreign
from engine.text.document import Document
from engine.workspace.layout import MEMORY_MD_PATHS, TIER_FOLDERS
from engine.workspace.paths import FileMissing
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier

if TYPE_CHECKING:
    from engine.services.uses import UseService

FILES = 10  # files that search gives an agent: the answer must stand in one of them
_INDEXED = (SearchMethod.HYBRID, SearchMethod.LEXICAL)


class ProbeService:
    """Asks probes. Writes only the search index, and counts unanswered ones."""

    def __init__(
        self,
        opened: OpenWorkspace,
        search: SearchService,
        context: ContextService,
        tree: TreeService,
        topics: TopicService,
        uses: "UseService",
    ) -> None:
        self._opened, self._uses = opened, uses
        self._search, self._context, self._tree, self._topics = search, context, tree, topics

    def read(self) -> ReadProbes:
        """Gives the operator's probes for this workspace, then the workspace's own."""
        own, planted = self._own(), self._planted()
        return ReadProbes((*own.probes, *planted.probes), (*own.problems, *planted.problems))

    def ask(self) -> tuple[ProbeAnswer, ...]:
        """Asks each probe of present memory."""
        probes = self.read().probes
        answers = tuple(_asked(self._now(look=True), probes)) if probes else ()
        for answer in answers:
            if not (answer.held or answer.problem):
                self._uses.not_found(answer.probe.question, own=True)
        return answers

    def of_plan(self, plan: "Plan") -> tuple[ProbeChange, ...]:
        """Asks each probe before and after a plan; none without probes."""
        if not (probes := self.read().probes):
            return ()
        before = list(_asked(self._now(look=False), probes))
        try:
            after = contents_after(plan, self._opened.root.read)
        except MemdeckError:  # the plan cannot be applied as it is, which is told where it is queued
            return ()
        with planned_workspace(self._opened, after, self._search, self._topics) as planned:
            then = list(_asked(planned, probes))
        return tuple(ProbeChange(before=one, after=other) for one, other in zip(before, then, strict=True))

    def note(self, plan: "Plan") -> "ProbeNote | None":
        """Gives the probes' outcome for a plan; None without probes."""
        return self.note_of(self.of_plan(plan))

    def note_of(self, changes: Sequence[ProbeChange]) -> "ProbeNote | None":
        """Judges the probes' changes by the policy; None without any."""
        return probe_note(changes, block=self._opened.policy.probes.on_loss == "block") if changes else None

    def noted(self) -> dict[str, list[dict[str, str]]]:
        """Gives the probes' outcomes that are stored in open plans, by plan."""
        waiting = [one.id for one in self._opened.queue.entries() if one.state in OPEN_STATES and not one.damage]
        facts = {plan: self._opened.queue.load(plan).facts.get(PROBES) for plan in waiting}
        return {plan: noted for plan, noted in facts.items() if isinstance(noted, list)}

    def suggest(self, most: int) -> tuple[Probe, ...]:
        """Suggests probes that hold now, from semantic memory, MEMORY.md and ROOT, then other notes."""
        now = self._now(look=True)
        notes = (_statements(now.snapshot, path) for path in _lasting_first(now.snapshot.files))
        known = {(probe.question, probe.expect) for probe in self.read().probes}
        fresh = (one for one in suggestions(notes) if (one.question, one.expect) not in known)
        return tuple(islice((one for one in fresh if _answer(now, one).held), most))

    def _now(self, *, look: bool) -> PlannedServices:
        return PlannedServices(self._opened.fresh(look), self._search, self._context, self._tree)

    def _own(self) -> ReadProbes:
        """Reads the probes in the operator's folder; rejects a file that others could have written."""
        path = config_home(self._opened.env) / NAME
        workspace = self._opened.root.identity.path
        try:
            data = _own_bytes(path, Path(workspace))
        except (OSError, MemdeckError) as error:
            message = error.message if isinstance(error, MemdeckError) else (error.strerror or str(error))
            return ReadProbes().with_problem(str(path), message)
        return read_probes(data, str(path), workspace, own=True)

    def _planted(self) -> ReadProbes:
        root = self._opened.root
        try:
            return read_probes(root.read(NAME, MOST_BYTES), NAME, root.identity.path, own=False)
        except FileMissing:
            return ReadProbes()
        except MemdeckError as error:
            return ReadProbes().with_problem(NAME, error.message)


def _own_bytes(path: Path, workspace: Path) -> bytes:
    if not path.exists():
        return b""
    if is_inside(path, workspace):
        raise Refused("it lies inside the workspace, where the agent can write")
    with path.open("rb") as file:
        refuse_foreign(path, path.stat())
        return file.read(MOST_BYTES + 1)


# ── asking ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _asked(there: PlannedServices, probes: Sequence[Probe]) -> Iterator[ProbeAnswer]:
    for probe in probes:
        yield msgspec.structs.replace(_answer(there, probe), probe=probe.without_secrets())


def _answer(there: PlannedServices, probe: Probe) -> ProbeAnswer:
    """Gives a probe's answer in one state of memory; a probe that cannot be asked has a problem."""
    try:
        match probe.where:
            case ProbePlace.SEARCH:
                answer = there.search.find(probe.question, FILES, look=False, seconds=None)
                if answer.engine not in _INDEXED:
                    return ProbeAnswer(probe=probe, held=False, problem="; ".join(answer.degraded))
                paths = [path for hit in answer.hits for path in (hit.path, *(copy.path for copy in hit.copies))]
                return judged(probe, _texts(there.snapshot, paths))
            case ProbePlace.PROMPT:
                prompt = there.context.compile(probe.question, SessionKind.MAIN, history=NO_HISTORY, look=False)
                return judged(probe, [("the prompt", prompt.prompt[: prompt.items[-1].start])])
            case ProbePlace.TREE:
                return judged(probe, _texts(there.snapshot, there.tree.drilled(probe.question)))
    except MemdeckError as error:
        return ProbeAnswer(probe=probe, held=False, problem=error.message)


def _texts(snapshot: Snapshot, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in dict.fromkeys(paths):
        if path in snapshot.files:
            yield path, snapshot.reader(path).decode("utf-8", "replace")


# ── suggesting ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _lasting_first(paths: Iterable[str]) -> list[str]:
    semantic = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
    lasting = (*MEMORY_MD_PATHS, "memory/ROOT.md")

    def rank(path: str) -> int:
        return 0 if path.startswith(semantic) else 1 if path in lasting else 2

    return sorted((path for path in paths if not path.startswith(("archive/", "raw/", "topics/"))), key=rank)


def _statements(snapshot: Snapshot, path: str) -> "Iterator[Statement]":
    try:
        data = snapshot.reader(path)
        entries = read_entries(Document.from_bytes(data).body)[0] if path.startswith("memory/semantic/") else ()
    except MemdeckError:
        return iter(())
    return ((entry.title, entry.insight) for entry in entries) if entries else statements(data)
