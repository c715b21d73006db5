"""Tables of patterns as data: each pattern is one, and what is wrong with a file is told with its table (D59)."""

import re
import sys
from pathlib import Path

import pytest

from engine.errors import MemdeckError
from engine.extraction import words
from engine.models import cue_matcher
from engine.text.pattern_file import WordTables

SECTIONS = {"doubt": ("play", "but")}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the languages of a package `spoken`."""
    folder = tmp_path / "spoken" / "languages"
    folder.mkdir(parents=True)
    (tmp_path / "spoken" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "spoken", raising=False)
    return folder


def test_the_tables_of_all_languages_are_one(package: Path) -> None:
    (package / "en.toml").write_text(
        "[classes]\nKIN = 'wife|son'\n\n[doubt]\nplay = '''\nmy (?:<KIN>)\nlet's \\\n  go\n'''\n"
    )
    (package / "zh.toml").write_text("edges = false\n[doubt]\nplay = '故事'\n")
    tables = WordTables("spoken", SECTIONS)
    assert tables.lines("doubt.play") == ("my (?:wife|son)", "let's go", "故事")
    assert tables.lines("doubt.play", edges=False) == ("故事",) and tables.lines("doubt.but") == ()
    assert tables.compiled("doubt.play").search("das 故事") is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[doubt]\nplay = 'a", "en.toml"),
        ("[doubt]\nplays = 'a'", "en.toml, doubt.plays: no such table; one of: play, but"),
        ("[doubts]\nplay = 'a'", "en.toml, doubts: no such section; one of: classes, doubt"),
        ("[doubt]\nplay = 3", "en.toml, doubt.play: it is no text"),
        ("[doubt]\nplay = 'a <KIN>'", "en.toml, doubt.play: there is no class <KIN>"),
        ("[doubt]\nplay = '''\nplain\n(open\n'''", r"en.toml, doubt.play: missing ), unterminated subpattern"),
    ],
)
def test_a_fault_is_told_with_its_file_and_its_table(package: Path, text: str, told: str) -> None:
    (package / "en.toml").write_text(text)
    with pytest.raises(MemdeckError) as raised:
        WordTables("spoken", SECTIONS).compiled("doubt.play")
    assert f"spoken/languages/{told}" in raised.value.line() and "correct the file" in raised.value.line()


@pytest.mark.parametrize("tables", [words.TABLES, cue_matcher.TABLES], ids=["extraction", "models"])
def test_every_pattern_can_match_and_none_matches_nothing(tables: WordTables) -> None:
    for key in tables.keys:
        if not key.startswith("cues."):  # those are of RE2
            for line in tables.lines(key):
                made = words.compiled(line) if tables is words.TABLES else re.compile(line)
                assert made.search("") is None, (key, line)
