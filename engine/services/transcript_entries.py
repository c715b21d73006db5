"""Finds the entries of closed transcripts for an extraction; caches what the rules found (D30)."""

from collections.abc import Sequence

from engine.extraction.entry import LocatedEntry, located_entries
from engine.extraction.extraction_task import EntryFinder, FoundEntries, PartEntries
from engine.extraction.judge import VERSION
from engine.models.model_task import RuleModel, TextModel
from engine.plans.planning import Planning
from engine.services.file_answers import FileAnswers
from engine.services.open_workspace import OpenWorkspace
from engine.services.transcripts import closed_transcripts, transcript_turns
from engine.workspace.paths import WorkspaceRoot

_FORMAT = 3  # raised whenever the same bytes and rules would give other entries
_STEP = "transcripts"


def found_entries(opened: OpenWorkspace, planning: Planning, paths: Sequence[str], model: TextModel) -> FoundEntries:
    """Gives the entries of these closed transcripts, in order, without transcripts that have no turn."""
    if isinstance(model, RuleModel):
        return _by_rules(opened, planning, paths)
    sessions = [turns for path in paths if (turns := transcript_turns(opened.root, path))]
    return FoundEntries(EntryFinder(model).found(sessions, lambda done, of: planning.report(_STEP, done, of)))


def _by_rules(opened: OpenWorkspace, planning: Planning, paths: Sequence[str]) -> FoundEntries:
    snapshot = planning.snapshot
    cache = FileAnswers(opened, "transcript-entries", f"{_FORMAT} {VERSION}", tuple[int, tuple[LocatedEntry, ...]])
    sessions, lines = list[tuple[PartEntries, ...]](), dict[tuple[str, int, str], int]()
    for done, path in enumerate(paths):
        planning.report(_STEP, done, len(paths))
        sha256 = snapshot.files[path].sha256
        if (read := cache.found(path, sha256)) is None:
            read = _read(opened.root, planning, path)
            cache.keep(path, sha256, read)
        turns, entries = read
        if turns:
            sessions.append((PartEntries(tuple(entry.entry for entry in entries)),))
            lines |= {(path, located.entry.turn.line, located.entry.quote): located.line for located in entries}
    cache.write(closed_transcripts(snapshot))
    return FoundEntries(sessions, lines)


def _read(root: WorkspaceRoot, planning: Planning, path: str) -> tuple[int, tuple[LocatedEntry, ...]]:
    """Gives the number of turns in a transcript, and its entries."""
    turns = transcript_turns(root, path)
    (found,) = EntryFinder(RuleModel()).found([turns], lambda _done, _of: None) if turns else ([],)
    # Its hash is looked at behind the turns: what is kept belongs to these bytes.
    data = planning.snapshot.content(path)
    return len(turns), located_entries(data, (entry for part in found for entry in part.entries))
