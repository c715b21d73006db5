"""Without an index: ripgrep where there is one, else Python; both right, and the answer says which."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from engine.search.values import Category, SearchMethod
from tests.engine.search.place import SearchPlace

RIPGREP = """#!/usr/bin/env python3
# Stands in for ripgrep: the same options, the same answer, and a note of how it was called.
import pathlib, sys
words = sys.stdin.read().split("\\n")[:-1]
pathlib.Path(sys.argv[0]).with_name("called").write_text(repr((sys.argv[1:], words)))
out = sys.stdout.buffer
for path in sorted(pathlib.Path(sys.argv[-1]).rglob("*.md")):
    if any(word in path.read_text("utf-8", "replace").lower() for word in words):
        out.write(str(path).encode() + b"\\0")
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
    monkeypatch.setattr("engine.search.plain_search.find_program", lambda *_: None)


def check(place: SearchPlace, engine: SearchMethod, how: str) -> None:
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
    check(without_index, SearchMethod.PYTHON, "searched file by file")


def test_ripgrep_searches_with_words_as_they_are(without_index: SearchPlace, ripgrep: Path) -> None:
    check(without_index, SearchMethod.RIPGREP, "searched with ripgrep")
    without_index.search("--files -e .* zebra")
    called = ripgrep.read_text("utf-8")
    assert "'-F'" in called and "'--no-config'" in called and "'--files'" not in called


def test_a_ripgrep_that_fails_is_replaced(without_index: SearchPlace, ripgrep: Path) -> None:
    (ripgrep.parent / "rg").write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")
    check(without_index, SearchMethod.PYTHON, "searched file by file")


def test_links_out_of_the_workspace_are_not_searched(
    without_index: SearchPlace, no_ripgrep: None, tmp_path: Path
) -> None:
    (tmp_path / "outside.md").write_text("zebra secret giraffe zoo", encoding="utf-8")
    (without_index.folder / "link.md").symlink_to(tmp_path / "outside.md")
    assert "link.md" not in {hit.path for hit in without_index.search("zebra").hits}


QUERIES = (
    *("zebra", "--pre=evil", "-rf", "$(touch owned)", "斑马", "straße", "strasse", "root:x", "a.*b", "zebra\nroot"),
    *("-f /etc/passwd", "--files", "[z]ebra", "über"),
)


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
def test_the_real_ripgrep_finds_what_python_finds_and_believes_nothing_in_its_way(
    place: SearchPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a configuration file, nor a preprocessor, an ignore file, a name or a word of the query is an order."""
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\n", encoding="utf-8")
    evil.chmod(0o700)
    (tmp_path / "rc").write_text(f"--pre={evil}\n--invert-match\n", encoding="utf-8")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    place.database.mkdir()
    (place.database / "full").touch()
    for name in (".ignore", ".rgignore", ".gitignore"):
        place.write(name, "*.md\n")
    notes = {
        "a.md": "zebra one\n--pre=evil line\n",
        "-rf.md": "zebra dash\n",
        "c d;$(touch owned).md": "zebra odd\n",
        "z/ü中.md": "斑马 zebra u\u0308ber\n",
        "crlf.md": "zebra crlf\r\nnext\r\n",
        "long.md": "x" * 5_000 + " zebra " + "y" * 5_000,
        "wide.md": "ＺＥＢＲＡ STRASSE Straße Über\n",
    }
    for path, text in notes.items():
        place.write(path, text)
    for query in QUERIES:
        real = place.search(query)
        with monkeypatch.context() as patch:
            patch.setattr("engine.search.plain_search.find_program", lambda *_: None)
            python = place.search(query)
        assert (real.engine, python.engine) == (SearchMethod.RIPGREP, SearchMethod.PYTHON), query
        assert real.hits == python.hits, query
    assert not (tmp_path / "owned").exists()
