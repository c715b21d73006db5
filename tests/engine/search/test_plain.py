"""Without an index: ripgrep where there is one, else Python; both right, and the answer says which."""

import os
import stat
from pathlib import Path

import pytest

from engine.search.values import Category, Engine
from tests.engine.search.place import SearchPlace

RIPGREP = """#!/usr/bin/env python3
# Stands in for ripgrep: the same options, the same answer, and a note of how it was called.
import pathlib, sys
words = sys.stdin.read().split("\\n")[:-1]
pathlib.Path(sys.argv[0]).with_name("called").write_text(repr((sys.argv[1:], words)))
out = sys.stdout.buffer
for path in sorted(pathlib.Path(".").rglob("*.md")):
    for number, line in enumerate(path.read_text("utf-8", "replace").split("\\n"), 1):
        if any(word in line.lower() for word in words):
            out.write(b"./" + str(path).encode() + b"\\0" + f"{number}:{line}\\n".encode())
"""


@pytest.fixture
def without_index(place: SearchPlace) -> SearchPlace:
    """A folder stands where the index would be."""
    place.database.mkdir()
    (place.database / "full").touch()
    place.write("knowledge/people/ann.md", "# Ann\n\nlikes C++ and the zebra\n")
    place.write("memory/2026-01-01.md", "# Day\n\nwent on\nsaw a zebra and a giraffe at the zoo\n")
    place.write("other.md", "nothing of that kind\n")
    return place


@pytest.fixture
def ripgrep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "rg"
    program.write_text(RIPGREP, encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder / "called"


@pytest.fixture
def no_ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.search.plain.shutil.which", lambda name: None)


def check(place: SearchPlace, engine: Engine, how: str) -> None:
    answer = place.search("zebra giraffe")
    assert [(hit.path, hit.line) for hit in answer.hits] == [
        ("memory/2026-01-01.md", 4),
        ("knowledge/people/ann.md", 3),
    ]
    assert answer.engine is engine and any(remark.startswith(how) for remark in answer.degraded)
    assert answer.hits[0].score == 1.0 and answer.hits[0].title == "2026-01-01"
    assert [hit.path for hit in place.search("c++").hits] == ["knowledge/people/ann.md"]
    assert [hit.path for hit in place.search("zebra", category=Category.PERSON).hits] == ["knowledge/people/ann.md"]


def test_python_searches_file_by_file(without_index: SearchPlace, no_ripgrep: None) -> None:
    check(without_index, Engine.PYTHON, "searched file by file")


def test_ripgrep_searches_with_words_as_they_are(without_index: SearchPlace, ripgrep: Path) -> None:
    check(without_index, Engine.RIPGREP, "searched with ripgrep")
    without_index.search("--files -e .* zebra")
    called = ripgrep.read_text("utf-8")
    assert "'-F'" in called and "'--no-config'" in called and "'--files'" not in called


def test_a_ripgrep_that_fails_is_replaced(without_index: SearchPlace, ripgrep: Path) -> None:
    (ripgrep.parent / "rg").write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")
    check(without_index, Engine.PYTHON, "searched file by file")


def test_links_out_of_the_workspace_are_not_searched(
    without_index: SearchPlace, no_ripgrep: None, tmp_path: Path
) -> None:
    (tmp_path / "outside.md").write_text("zebra secret giraffe zoo", encoding="utf-8")
    (without_index.folder / "link.md").symlink_to(tmp_path / "outside.md")
    assert "link.md" not in {hit.path for hit in without_index.search("zebra").hits}
