"""A node against what it held before: by an operation, else by the newest commit that differs."""

from pathlib import Path

from engine.services.engine import Engine
from tests.engine.history.repos import git, make_repo, write

DAY = "memory/daily/2026-03-15.md"


def test_without_an_operation_the_newest_commit_that_differs_is_what_it_held(tmp_path: Path, own_home: Path) -> None:
    folder = make_repo(tmp_path / "agent", {DAY: "first\n"})
    with Engine.open(folder) as engine:
        assert engine.tree.compared(DAY) is None, "nobody kept anything else"
        write(folder, {DAY: "second\n"})
        git(folder, "commit", "-qam", "second")
        write(folder, {DAY: "second\nby hand\n"})
        found = engine.tree.compared(DAY)
        assert (
            found is not None
            and found.origin.startswith("commit ")
            and (found.diff.added, found.diff.removed) == (1, 0)
        )
        (folder / DAY).unlink()
        gone = engine.tree.compared(DAY)
        assert gone is not None and gone.diff.removed == 1
        assert engine.tree.compared("memory/daily/2026-03-16.md") is None
