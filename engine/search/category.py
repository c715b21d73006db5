"""Maps a file's path to its category (autopoiesis §2, §7.2)."""

import re

from engine.search.values import Category
from engine.workspace.layout import IDENTITY_FILES, tier_of

_IDENTITY = frozenset({*IDENTITY_FILES, "CLAUDE.md", "HEARTBEAT.md"})
_FOLDERS: tuple[tuple[str, Category], ...] = (
    ("raw/conversations/", Category.CONVERSATION),
    ("knowledge/identity/", Category.IDENTITY),
    ("knowledge/memory/", Category.MEMORY),
    ("knowledge/journal/", Category.JOURNAL),
    ("knowledge/projects/", Category.PROJECT),
    ("knowledge/people/", Category.PERSON),
    ("knowledge/procedures/", Category.PROCEDURE),
    ("knowledge/reference/", Category.REFERENCE),
    ("topics/", Category.TOPIC),
    ("DailyLogs/", Category.JOURNAL),
    ("archive/", Category.REFERENCE),
)
_NODE = re.compile(r"memory/(?:daily|weekly|monthly)/|memory/ROOT\.md$")


def category_of(path: str) -> Category:
    """The category of a workspace-relative path. What no rule names is `reference`."""
    if path in _IDENTITY:
        return Category.IDENTITY
    if path == "MEMORY.md":
        return Category.MEMORY
    for folder, category in _FOLDERS:
        if path.startswith(folder):
            return category
    if tier_of(path) is not None:
        return Category.TIER
    if _NODE.match(path):
        return Category.NODE
    return Category.MEMORY if path.startswith("memory/") else Category.REFERENCE
