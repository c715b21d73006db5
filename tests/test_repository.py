"""What the repository holds: no file that it says to ignore, and no folder deeper than three."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DEEPEST = 3
"""Folders below `engine` or `tui`."""


def test_nothing_that_is_ignored_is_part_of_it() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("these files are in no repository")
    assert listed.stdout.split() == []


def test_no_folder_of_code_is_deeper_than_three() -> None:
    folders = {file.parent.relative_to(ROOT) for code in ("engine", "tui") for file in (ROOT / code).rglob("*.py")}
    assert [str(folder) for folder in sorted(folders) if len(folder.parts) > DEEPEST + 1] == []
