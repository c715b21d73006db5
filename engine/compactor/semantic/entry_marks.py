"""The marks around a semantic entry: they are no claims of the entry's own text."""

from engine.compactor.semantic.entry import comment_safe, read_entries
from engine.plans.plan import Append, Change, Create
from engine.text.document import split_lines
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.values import MemoryTier

_FOLDER = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
_DRAFTS = TIER_FOLDERS[MemoryTier.EPISODIC] + "/"


def field_lines(path: str, text: str) -> frozenset[int]:
    """Numbers of the lines where a field of an entry begins: in a shard, and in an episodic file that drafts one. There
    it is the schema, whoever wrote it; anywhere else it is a claim."""
    if not path.startswith((_FOLDER, _DRAFTS)):
        return frozenset()
    return frozenset(number for entry in read_entries(text)[0] for number in entry.lines.values())


def own_marks(change: Change) -> frozenset[int]:
    """Numbers of the lines where a field of the one entry begins, and of the last where it names a source."""
    if not isinstance(change, Create | Append) or not change.path.startswith(_FOLDER):
        return frozenset()
    entries, _ = read_entries(change.content)
    fields = frozenset(entries[0].lines.values()) if len(entries) == 1 else frozenset[int]()
    lines = split_lines(change.content)
    starts = tuple(f"<!-- from {comment_safe(source.path)}:" for source in change.sources)
    return fields | ({len(lines)} if lines and starts and lines[-1].startswith(starts) else frozenset())
