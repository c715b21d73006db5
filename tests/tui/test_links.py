"""The links of a note in the console and as a command."""

import json
from pathlib import Path

import pytest

from engine.services.engine import Engine
from tests.tui.conftest import deck, screen_text, settled
from tui.cli.main import main
from tui.dialogs.picker import Picker
from tui.dialogs.text_reader import TextReader

NOTES = {
    "knowledge/reference/queue.md": "# The queue\n\nAsk [[ana]], see [[atlas#Now|Atlas]] or [[old-queue]].\n",
    "knowledge/people/ana.md": "# Ana\n\n- keeps [the queue](../reference/queue.md#night) \x1b[31m\n",
    "knowledge/projects/atlas.md": "# Atlas\n\n- `[[queue]]` is code, and so no link\n",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_links_and_backlinks_are_listed_with_their_lines(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-w", str(place), "links", "queue"]) == 0
    out = capsys.readouterr().out
    assert "knowledge/reference/queue.md: 3 links" in out and "leads to no note" in out and "\x1b[31m" not in out
    assert "1 backlink\n  knowledge/people/ana.md:3" in out
    assert main(["-w", str(place), "--json", "links", "knowledge/people/ana.md"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["path"] for one in found["links"]] == ["knowledge/reference/queue.md"]
    assert [(one["source"], one["line"]) for one in found["backlinks"]] == [("knowledge/reference/queue.md", 3)]
    assert main(["-w", str(place), "links", "nobody"]) == 2
    assert "there is no such note" in capsys.readouterr().err


async def test_a_note_of_the_search_shows_its_links_and_goes_where_one_leads(place: Path) -> None:
    with Engine.open(place) as engine:
        async with deck(engine) as pilot:
            await pilot.press("6", *"queue", "enter")
            await settled(pilot)
            await pilot.press("b")
            await settled(pilot)
            assert isinstance(pilot.app.screen, Picker)
            text = screen_text(pilot)
            assert "1 backlink" in text and "3 links" in text and "knowledge/people/ana.md:3" in text
            await pilot.press("enter")
            await settled(pilot)
            assert isinstance(pilot.app.screen, TextReader) and "keeps [the queue]" in screen_text(pilot)
