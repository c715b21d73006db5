"""The gallery is whole, and every scene in it is drawn and held to what must be so on every picture.

`python -m tests.gallery` draws all of them at all sizes; here each is drawn at a size and in a theme of its own, and a
tenth of them at each commit (`tests/turn.py`).
"""

import ast
import pkgutil
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from zlib import crc32

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.screen import Screen
from textual.strip import Strip

import tui
from tests.gallery import checks
from tests.gallery.__main__ import main
from tests.gallery.checks import wrong
from tests.gallery.doors import DOORS
from tests.gallery.drawing import draw, tasks
from tests.gallery.scene import Scene, Size
from tests.gallery.scenes import SCENES
from tests.gallery.site import PICTURES, write_index
from tests.gallery.stage import app_of, played, stand, strips, words
from tests.turn import TURN
from tui.registry.screens import PLACES
from tui.toolkit.painter import BaseScreen
from tui.widgets import themes
from tui.widgets.text_pane import TextPane

SIZES: tuple[Size, ...] = ((80, 24), (120, 36), (200, 60))
THEMES = tuple(name for name in themes.names() if not themes.theme(name).ansi)
SHARES = 10
"""So many commits draw every scene that stands still."""
BY_NAME = {scene.name: scene for scene in SCENES}


def as_drawn(scene: Scene) -> tuple[Size, str]:
    """The size and theme that a scene is drawn at here: always the same, whatever scenes come and go."""
    number = crc32(scene.name.encode())
    return scene.at or SIZES[number % len(SIZES)], THEMES[number // 7 % len(THEMES)]


def campaign(scene: Scene) -> tuple[pytest.MarkDecorator, ...]:
    """A tenth of the scenes is drawn, another at each commit; those with work under way in the long campaign alone."""
    now = (crc32(scene.name.encode()) + TURN) % SHARES == 0 and not scene.busy
    return () if now else (pytest.mark.soak,)


@pytest.mark.parametrize("name", [pytest.param(scene.name, marks=campaign(scene)) for scene in SCENES])
async def test_a_scene_arrives_and_nothing_is_wrong_with_its_picture(name: str) -> None:
    scene = BY_NAME[name]
    size, theme = as_drawn(scene)
    async with played(scene, size, theme) as pilot:
        app = app_of(pilot)
        found = wrong(app, scene)
        assert not found, "\n".join([f"{size} in {theme}:", *found[:12], words(app)])


# Whether there is a scene for everything


def classes_over_the_pages() -> set[type]:
    """Every screen and dialog of the console that is not just there for others to build on."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.endswith(".__main__"):
            import_module(module.name)
    found: set[type] = set()
    todo: list[type] = [Screen]
    while todo:
        known = todo.pop()
        below: list[type] = known.__subclasses__()
        below = [one for one in below if one.__module__.startswith(("tui.", "textual."))]
        todo += below
        if known.__module__.startswith("tui.") and not below:
            found.add(known)
    return found


def test_every_screen_and_dialog_has_a_scene() -> None:
    shown: set[type] = {scene.on for scene in SCENES} | {under for scene in SCENES for under in scene.over}
    assert {one.__name__ for one in classes_over_the_pages() - shown - {BaseScreen}} == set(), "give each a scene"
    pages = {getattr(import_module(place.page.partition(":")[0]), place.page.partition(":")[2]) for place in PLACES}
    assert {one.__name__ for one in pages - shown} == set(), "give each page a scene"


def openers() -> Iterator[str]:
    """Every function of the console that lays something over the pages, as `module:name`."""
    root = Path(tui.__file__).parents[1]
    for path in sorted((root / "tui").rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        yield from (f"{module}:{name}" for name in _pushing(ast.parse(path.read_text("utf-8")), ""))


def _pushing(node: ast.AST, name: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _pushing(child, f"{name}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _pushing(child, f"{name}{child.name}.<locals>.")
        else:
            called = child.func if isinstance(child, ast.Call) else None
            if isinstance(called, ast.Attribute) and (
                called.attr == "push_screen" or re.search(r"\b_?(app|deck)\.ask$", ast.unparse(called))
            ):
                yield name.removesuffix(".<locals>.")
            yield from _pushing(child, name)


NOT_A_DOOR = {"tui.screen_host:ScreenHost.push_screen", "tui.screen_host:ScreenHost.ask"}
"""Where a screen is laid over the others for whoever asked."""


def test_every_function_that_opens_something_has_a_scene() -> None:
    there = set(openers())
    assert sorted(there - NOT_A_DOOR - set(DOORS.values())) == [], "give each a scene, and name it in DOORS"
    assert sorted(set(DOORS.values()) - there) == [], "these open nothing any more"
    assert sorted(set(DOORS) - set(BY_NAME)) == [], "there are no such scenes"


def test_scenes_have_names_of_their_own_that_can_be_files() -> None:
    assert [name for name, times in Counter(scene.name for scene in SCENES).items() if times > 1] == []
    assert [scene.name for scene in SCENES if not scene.name.replace("-", "a").isalnum()] == []
    assert all(scene.shows and not scene.shows.endswith(".") for scene in SCENES)


def test_scenes_are_drawn_at_all_sizes_and_in_all_themes() -> None:
    drawn = Counter(as_drawn(scene) for scene in SCENES)
    assert {(size, theme) for size in SIZES for theme in THEMES} <= set(drawn)


# Whether each check would find what it looks for


def line(text: str, style: str = "#ffffff on #000000") -> Strip:
    return Strip([Segment(text, Style.parse(style))])


def test_a_line_that_is_too_long_or_steers_or_names_this_machine_is_found() -> None:
    assert list(checks.odd_lines([line("abc"), line("日本")], 4, 2)) == ["line 0 takes 3 of 4 cells: 'abc'"]
    assert len(list(checks.odd_lines([line("abcd")], 4, 2))) == 1
    for text in ("\x1b[2J", "\u202egnp", "\u200b"):
        assert len(list(checks.steering([line(text)]))) == 1
    assert len(list(checks.steering([line("x", "link http://x")]))) == 1
    assert len(list(checks.foreign([line(f"{tempfile.gettempdir()}/x")]))) == 1
    plain = [line("日本", "#111111")]
    assert not [*checks.steering(plain), *checks.foreign(plain), *checks.odd_lines(plain, 4, 1)]


async def test_a_scene_that_does_not_arrive_is_found() -> None:
    async with played(BY_NAME["confirm-tier-c"], (80, 24), "night") as pilot:
        app, scene = app_of(pilot), BY_NAME["confirm"]
        assert wrong(app, scene) == []
        await pilot.press("escape")
        assert any("is in front, not ConfirmDialog" in found for found in checks.elsewhere(app, scene))
        app.doors = ()
        assert any("opened by" in found for found in checks.elsewhere(app, scene))


async def test_faint_words_broken_borders_and_a_lost_footer_are_found() -> None:
    async with played(BY_NAME["overview-fake"], (120, 36), "night") as pilot:
        app = app_of(pilot)
        lines = strips(app)
        assert not list(checks.faint(app, lines)) and not list(checks.broken_borders(app, lines))
        faint = [line("x" * 120, "#445566 on #222222"), *lines[1:]]
        assert any("has a contrast of" in found for found in checks.faint(app, faint))
        gap = [*lines[:20], line("x" * 120), *lines[21:]]
        assert any("the border of" in found for found in checks.broken_borders(app, gap))
        app.page.pane("since").styles.offset = (60, 0)
        await stand(pilot)
        assert any("the border of" in f or "out of the screen" in f for f in checks.broken_borders(app, strips(app)))
        app.query_one("#hints").styles.dock = "top"
        await stand(pilot)
        assert any("not the hints" in found for found in checks.no_footer(app, strips(app)))


async def test_a_box_without_a_word_and_a_text_at_its_border_are_found() -> None:
    async with played(BY_NAME["recall-nothing"], (120, 36), "night") as pilot:
        app = app_of(pilot)
        text = app.screen.query_one("#text", TextPane)
        assert not [*checks.empty_boxes(app, strips(app)), *checks.unindented(app, strips(app))]
        text.styles.padding = 0
        await stand(pilot)
        assert any("begins at its border" in found for found in checks.unindented(app, strips(app)))
        text.show(())
        await stand(pilot)
        assert any("is an empty box" in found for found in checks.empty_boxes(app, strips(app)))


async def test_a_dialog_that_reaches_out_of_the_screen_is_found() -> None:
    async with played(BY_NAME["reject"], (80, 24), "night") as pilot:
        app = app_of(pilot)
        assert not list(checks.broken_borders(app, strips(app)))
        app.screen.query_one("#box").styles.offset = (10, 4)
        await stand(pilot)
        assert any("reaches out of the screen" in found for found in checks.broken_borders(app, strips(app)))


@pytest.mark.parametrize("name", ["search-scores", "lanes-burst", "lanes"])
async def test_a_bar_in_the_row_under_the_cursor_is_seen_in_the_terminals_own_colours(name: str) -> None:
    """The row is reversed: a bar of full blocks was a hole in it, and one in the colour of letters was not seen."""
    async with played(BY_NAME[name], (120, 36), "terminal") as pilot:
        focused = app_of(pilot).focused
        assert focused is not None
        lines, drawn = strips(app_of(pilot)), focused.content_region
        rows = [lines[y].crop(drawn.x, drawn.right - 1) for y in drawn.line_range]
        under = [row for row in rows if any(part.style and part.style.reverse for part in row)]
        bars = [part.style for row in under for part in row if "█" in part.text]
        assert bars
        for style in bars:
            assert style is not None and bool(style.reverse) is (style.color is None or style.color.is_default)


async def test_the_thin_end_of_a_bar_is_no_hole_in_the_row_under_the_cursor() -> None:
    async with played(BY_NAME["search-scores"], (80, 24), "terminal") as pilot:
        ends = [part.style for row in strips(app_of(pilot)) for part in row if part.style and "▕" in part.text]
        assert len(ends) > 1 and sum(bool(style.reverse) for style in ends) == 1


# What `python -m tests.gallery` writes


def test_a_picture_per_size_and_theme_is_drawn_with_its_words_and_shown_on_one_page(tmp_path: Path) -> None:
    pictures = tmp_path / PICTURES
    pictures.mkdir()
    for task in tasks([BY_NAME["too-small"]], SIZES, ("night", "paper"), pictures):
        draw(task)
    names = {path.name for path in pictures.iterdir()}
    assert names == {"too-small-56x14.txt", "too-small-56x14-night.svg", "too-small-56x14-paper.svg"}
    odd = Scene("a<b", "<script>alert(1)</script>", BY_NAME["too-small"].engine, BY_NAME["too-small"].on, at=(56, 14))
    (pictures / "a<b-56x14-night.svg").write_text("")
    page = write_index(tmp_path, {"frame": (BY_NAME["too-small"], odd)}, SIZES, ("night", "paper")).read_text("utf-8")
    assert "pictures/too-small-56x14-paper.svg" in page and "a&lt;b" in page
    assert "<script" not in page and "://" not in page


def test_a_scene_size_or_theme_there_is_not_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["no-such-scene", "--into", str(tmp_path / "x")]) == 1
    assert "no-such-scene" in capsys.readouterr().err and not (tmp_path / "x").exists()
    for wrong_words in (["--sizes", "80"], ["--themes", "neon"]):
        with pytest.raises(SystemExit):
            main(wrong_words)
        assert wrong_words[1] in capsys.readouterr().err
