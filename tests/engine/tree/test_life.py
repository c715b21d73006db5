"""The life of a line: each rung that a file states, the likeliest where none does, and what there is not."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.services.engine import Engine
from engine.services.line_life import LifeRung, RungLink, likeness, line_life
from engine.tree.browse.browser import Browser
from engine.tree.levels import ROOT_PATH
from tests.ready_demo import Demo, copy, shared

RAW = "memory/2026-01-05.md"
SHARD = "memory/semantic/openclaw.md"
NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return copy(shared(tmp_path_factory), tmp_path_factory.mktemp("life-demo"))


def rungs(engine: Engine, path: str, line: int) -> dict[str, LifeRung]:
    return {rung.level: rung for rung in engine.tree.life(path, line).rungs}


def line_of(demo: Demo, path: str, words: str) -> int:
    texts = (demo.folder / path).read_text("utf-8").split("\n")
    return next(number for number, text in enumerate(texts, 1) if words in text)


def test_a_raw_line_is_found_word_for_word_on_every_level(demo: Demo) -> None:
    said = "every outgoing call has a timeout"
    with demo.open_today() as engine:
        found = rungs(engine, RAW, line_of(demo, RAW, said))
    assert list(found) == ["raw", "daily", "weekly", "monthly", "root", "semantic"]
    assert found["raw"].link is RungLink.ASKED
    for level in ("daily", "weekly", "monthly"):
        (line,) = found[level].lines
        assert found[level].link is RungLink.STATED and said in line.text
        assert (demo.folder / found[level].path).read_text("utf-8").split("\n")[line.number - 1] == line.text


def test_a_line_of_root_leads_down_to_its_raw_line(demo: Demo) -> None:
    texts = (demo.folder / ROOT_PATH).read_text("utf-8").split("\n")
    dated = re.compile(r"- \d{4}-\d\d-\d\d:\d+ ")
    number, day = next((at, text[2:12]) for at, text in enumerate(texts, 1) if dated.match(text))
    with demo.open_today() as engine:
        found = rungs(engine, ROOT_PATH, number)
    assert found["root"].link is RungLink.ASKED
    assert found["raw"].link is RungLink.STATED and day in found["raw"].path
    assert found["daily"].link is RungLink.STATED


def test_a_raw_line_leads_up_to_the_entry_that_says_the_same(demo: Demo) -> None:
    words = "your parcel is dead"
    raw = next(file for file in demo.folder.glob("memory/*-*-*.md") if words in file.read_text("utf-8"))
    path = raw.relative_to(demo.folder).as_posix()
    with demo.open_today() as engine:
        found = rungs(engine, path, line_of(demo, path, words))
    assert found["semantic"].link is RungLink.WORDS and found["semantic"].path == SHARD
    assert any("parcel was dead" in line.text for line in found["semantic"].lines)


def test_an_entry_leads_to_the_note_that_it_names_wherever_that_was_archived(demo: Demo) -> None:
    with demo.open_today() as engine:
        found = rungs(engine, SHARD, line_of(demo, SHARD, "checks must ask for progress"))
    assert found["semantic"].link is RungLink.ASKED
    note = found["note"]
    assert note.link is RungLink.STATED and note.path.startswith("memory/archive/2026-01-05-depot-sync-stalls")
    assert "checks must ask for progress" in note.lines[0].text


def test_a_note_leads_to_the_entry_that_names_it(demo: Demo) -> None:
    with demo.open_today() as engine:
        note = rungs(engine, SHARD, line_of(demo, SHARD, "checks must ask for progress"))["note"]
        found = rungs(engine, note.path, note.lines[0].number)
    assert found["note"].link is RungLink.ASKED
    assert found["semantic"].link is RungLink.STATED and found["semantic"].lines[0].text.startswith("Title: ")


def test_where_a_level_says_nothing_it_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "silas"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/2026-03-10.md").write_text("# 2026-03-10\n\n## Bot [project]\n- alpha beta gamma delta\n")
    env = {"XDG_STATE_HOME": f"{tmp_path}/state", "XDG_CONFIG_HOME": f"{tmp_path}/config", "HOME": str(tmp_path)}
    with Engine.open(folder, env=env, clock=lambda: NOW) as engine:
        found = rungs(engine, "memory/2026-03-10.md", 4)
    assert [found[level].link for level in ("daily", "weekly", "monthly", "root")] == [RungLink.MISSING] * 4
    assert found["semantic"].link is RungLink.NONE


@pytest.mark.parametrize("path, line", [("memory/none.md", 1), (RAW, 0), (RAW, 99_999), ("../../etc/passwd", 1)])
def test_what_there_is_not_is_refused(demo: Demo, path: str, line: int) -> None:
    with demo.open_today() as engine, pytest.raises(UsageError):
        engine.tree.life(path, line)


def test_every_line_of_a_shard_a_note_and_root_has_a_ladder(demo: Demo) -> None:
    with demo.open_today() as engine:
        browser: Browser = engine.tree.browse()
        working = next(path for path in browser.survey.snapshot.files if path.startswith("memory/working/"))
        for path in (SHARD, working, ROOT_PATH):
            count = len((demo.folder / path).read_text("utf-8").splitlines())
            for line in range(1, count + 1, 7):
                found = line_life(browser, path, line).rungs
                assert sum(rung.link is RungLink.ASKED for rung in found) == 1, (path, line)


@given(st.text(max_size=80), st.text(max_size=80))
def test_likeness_is_a_share_and_goes_both_ways(one: str, other: str) -> None:
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, other) == likeness(other, one)
