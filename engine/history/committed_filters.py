"""Finds the filters of paths by the attributes on the disk and by those of a commit, without its index (D22)."""

import stat
from collections.abc import Sequence
from pathlib import Path

from engine.history.git import read_regular
from engine.history.git_filters import filters_of
from engine.history.git_index import index_lines
from engine.history.new_objects import NewObjects
from engine.history.repository import Repository
from engine.history.trees import Folders, PathEntry, TreeEntry, above, entry_at

_RULES = ".gitattributes"


def committed_filters(repository: Repository, paths: Sequence[str], folders: Folders, index: Path) -> dict[str, str]:
    """The filter of each path that has one; `folders` are those of the commit, `index` is a file to fill. Where the
    same attributes are on the disk, those of the commit answer for both: no change on the disk comes between."""
    if not paths:
        return {}
    rules = sorted({f"{one}/{_RULES}" if one else _RULES for path in paths for one in above(path)})
    committed = {path: entry for path in rules if (entry := entry_at(folders, path)) is not None}
    entries = [PathEntry(path, entry.file_mode, entry.id) for path, entry in committed.items()]
    if entries:
        lines = index_lines(entries, len(entries[0].blob or ""))
        repository.git.run("update-index", "-z", "--index-info", stdin=lines, index=index)
    same = all(_is_as_committed(repository.git.top / path, committed.get(path)) for path in rules)
    return filters_of(repository, paths, index, as_committed=same)


def _is_as_committed(file: Path, entry: TreeEntry | None) -> bool:
    """Tells whether the file has on the disk what is committed of it, or is in neither place."""
    try:
        data = read_regular(file) if stat.S_ISREG(file.lstat().st_mode) else None
    except FileNotFoundError:
        return entry is None
    except OSError:
        return False
    if entry is None or data is None or not entry.mode.startswith("100"):
        return False
    return NewObjects(long=len(entry.id) == 64).id_of("blob", data) == entry.id
