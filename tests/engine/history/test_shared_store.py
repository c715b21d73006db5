"""A shared store names the files that it does not give: those that are no notes, and those that are held back."""

import os
from pathlib import Path

from engine.history.shared_store import SharedStore
from tests.engine.history.repos import git, make_repo

FOLDERS = "/".join(f"{number}".ljust(199, "x") for number in range(4))


def test_a_note_with_too_long_a_path_is_held_and_what_has_a_thousand_bytes_is_no_note(tmp_path: Path) -> None:
    held, left = (f"{FOLDERS}/{'n' * length}.md" for length in (196, 197))
    assert (len(held), len(left)) == (999, 1_000)
    team = make_repo(tmp_path / "team", {held: "# Deploy\n", left: "# Other\n"}, "-b", "main")
    (tmp_path / "ws").mkdir()
    environment = {**os.environ, "GIT_ALLOW_PROTOCOL": "file"}
    store = SharedStore(tmp_path / "state/shared/team.git", tmp_path / "ws", environment)
    assert store.fetch(str(team)) == git(team, "rev-parse", "HEAD")
    notes = store.notes(store.tip())
    assert (notes.notes, notes.left_out) == ({}, (left,))
    assert notes.held == {held: "its path is too long for a disk"}
