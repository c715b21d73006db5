"""Finds the files that a workspace's platforms load, so that learnt entries go there (decision D60)."""

from engine.context.load.simulation import load
from engine.context.platforms import catalog
from engine.context.platforms.platform import SessionKind
from engine.context.platforms.project import MEMORY_FOLDER
from engine.lifecycle.extract.destinations import Homes
from engine.plans.planning import Planning
from engine.text.frontmatter import read_frontmatter
from engine.workspace.paths import WorkspaceRoot

_TYPES = frozenset({"user", "feedback", "project", "reference"})  # the types of topics in Claude Code's memory


def platform_homes(root: WorkspaceRoot, planning: Planning) -> Homes:
    """Gives the files, with imports, that a main session loads on each platform in use."""
    folder = root.identity.path
    loads = (
        load(platform, SessionKind.MAIN, root.read_or_none, folder, planning.counter)
        for platform in catalog.platforms(planning.policy)
    )
    loaded = {one.platform.title: frozenset(file.path for file in one.files if file.path) for one in loads if one.used}
    return Homes(loaded, _is_memory_folder(folder, planning))


def _is_memory_folder(folder: str, planning: Planning) -> bool:
    """Tells whether a workspace is Claude Code's own memory, by its place or its topics' types."""
    files = planning.snapshot.files
    if any(path.startswith("knowledge/") for path in files):
        return False
    if MEMORY_FOLDER.search(folder):  # also before the tool wrote its first line there
        return True
    if "MEMORY.md" not in files:
        return False
    topics = [path for path in files if "/" not in path and path.endswith(".md") and path != "MEMORY.md"]
    heads = (read_frontmatter(planning.snapshot.content(path)).values for path in topics)
    return 0 < sum(str(head.get("type", "")) in _TYPES for head in heads) == len(topics)
