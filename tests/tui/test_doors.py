"""Every door leads where it says: what "opens" a file opens it at its line, a number key leaves what is in front."""

import pytest

from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, holds, settled, shows
from tui.dialogs.text_reader import TextReader
from tui.widgets.text_pane import TextPane

_OVER = {
    "the digest": "2 R",
    "a report": "2 i",
    "why": "5 escape a",
    "the past": "7 r",
    "what holds": "7 O",
    "agent changes": "1 enter",
}
_OUTSIDE = "memory/semantic/openclaw.md"


@pytest.mark.parametrize("keys", list(_OVER.values()), ids=list(_OVER))
async def test_a_number_key_leaves_what_is_in_front(demo: Demo, keys: str) -> None:
    """In the digest and the agent's changes they changed the screen beneath, unseen."""
    async with deck(demo.open_today()) as pilot:
        for key in keys.split():
            await pilot.press(key)
            await settled(pilot)
        await pilot.press("3")
        await holds(pilot, lambda: len(pilot.app.screen_stack) == 1, "the page itself")
        assert console_of(pilot).page.id == "tree"


@pytest.mark.parametrize(("path", "line"), [(_OUTSIDE, 50), ("MEMORY.md", 2)])
async def test_a_file_that_the_tree_does_not_know_opens_at_its_line_where_one_is(
    demo: Demo, path: str, line: int
) -> None:
    """A line of a shard opened whatever the tree showed last."""
    engine = demo.open_today()
    text = (engine.workspace / path).read_text().split("\n")[line - 1]
    async with deck(engine) as pilot:
        app = console_of(pilot)
        await app.open_file(path, line)
        await holds(pilot, lambda: isinstance(app.screen, TextReader), "the file")
        await shows(pilot, path, f"{line}  {text[:30]}".rstrip())
        assert app.page.id == "overview"
        assert app.screen.query_one(TextPane).at == line - 1


async def test_a_node_opens_in_the_tree(demo: Demo) -> None:
    engine = demo.open_today()
    weekly = min((engine.workspace / "memory/weekly").iterdir())
    async with deck(engine) as pilot:
        app = console_of(pilot)
        await app.open_file(f"memory/weekly/{weekly.name}", 1)
        await settled(pilot)
        assert app.page.id == "tree" and app.page.crumbs()[-1] == weekly.stem.partition("-")[2]
