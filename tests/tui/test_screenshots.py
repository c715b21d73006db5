"""The pictures in `screenshots/` show what the console shows: every screen, in a dark and a light theme."""

import json

from screenshots.make import DRAWN, FOLDER, PICTURES, THEMES, draw, pictures
from tests.gallery import worlds
from tui.registry.screens import PLACES


def test_there_is_a_picture_of_every_screen_in_two_themes() -> None:
    names = {picture.name for picture in PICTURES}
    assert {f"{place.id}-{theme}" for place in PLACES for theme in THEMES} <= names
    assert [name for name in names if not (FOLDER / f"{name}.svg").is_file()] == [], "make screenshots"


def test_no_picture_loads_anything_from_elsewhere() -> None:
    for path in FOLDER.glob("*.svg"):
        text = path.read_text("utf-8")
        assert "@font-face" not in text and "<script" not in text and "<image" not in text, path


def test_what_a_scene_left_in_a_workspace_is_in_no_picture() -> None:
    """`draw` forgets them first."""
    used = worlds.demo().workspace
    assert worlds.demo().workspace == used
    worlds.forget()
    assert worlds.demo().workspace != used


def test_the_pictures_are_up_to_date() -> None:
    """`make screenshots` draws them anew."""
    written = json.loads(DRAWN.read_text("utf-8"))
    assert set(written) == {picture.name for picture in PICTURES}
    drawn = draw(pictures(THEMES[0]))
    outdated = {name: picture.text for name, picture in drawn.items() if picture.digest != written[name]}
    assert not outdated, "make screenshots\n" + "\n".join(outdated.values())
