"""The Tree: from years to the line, and back."""

from engine.tree.levels import ROOT_PATH
from tests.gallery import worlds
from tests.gallery.scene import At, Step
from tui.app import MemdeckApp
from tui.dialogs.line_input import AskLine
from tui.dialogs.picker import Picker
from tui.screens.tree.line_life import LifeScreen
from tui.screens.tree.page import TreePage
from tui.widgets.searchable_pane import LinePlace


def _line(path: str, line: int) -> Step:
    """Goes to a line of a node or log, and waits until its text is there."""

    def go(app: MemdeckApp) -> bool:
        page = app.page
        if not isinstance(page, TreePage):
            return False
        pane = page.text_pane
        arrived = pane.text is not None and pane.text.path == path and pane.cursor == line - 1
        if not arrived:
            page.show(LinePlace(path, line))
        return arrived

    return go


_FORGET = "forget Ana decides on Friday. Jonas pays the difference."
_at = At(TreePage, "3", worlds.demo)

SCENES = (
    _at("tree", "the tree of the demonstration and the node under the cursor"),
    _at("tree-root", "ROOT", "g"),
    _at("tree-day", "a day of an open week", "g", "j", "right", "j", "right", "j"),
    _at("tree-text", "the cursor in the text of a node", "tab", *"jjjjjj"),
    _at("tree-followed", "the source of a line", "tab", *"jjjjjjjj", "enter"),
    _at("tree-raw", "a raw log", "tab", "R"),
    _at("tree-gaps", "days without a node", "!"),
    _at("tree-topics", "the topics of the tree", "t"),
    _at("tree-topic", "where a topic is told of", "t", "j", "enter"),
    _at("tree-ahead", "when days become fixed", "f"),
    _at("tree-versions", "a node beside its version of before", "g", "v"),
    _at("tree-filter", "the field of the filter", "/"),
    _at("tree-filtered", "the nodes that tell of a word", "/", *"rollback", "enter"),
    _at("tree-filter-nothing", "a word that no node has", "/", *"zzzz", "enter"),
    _at("tree-calendar", "the tree as a calendar, the cursor on today", "c"),
    _at("tree-calendar-gap", "the next day that wants doing", "c", "g", "n"),
    _at("tree-calendar-empty", "no day at all", "c", engine=worlds.empty),
    _at("tree-calendar-ten-years", "a log about every third week", "c", "g", engine=worlds.ten_years),
    _at("life", "a line of ROOT from its raw log up", _line(ROOT_PATH, 37), "L", on=LifeScreen),
    _at("life-raw", "a raw line up to ROOT", _line("memory/2026-01-05.md", 5), "L", on=LifeScreen),
    _at("life-hostile", "the ladder of a hostile line", "tab", *"jjjj", "L", on=LifeScreen, engine=worlds.hostile),
    _at("forget-fact", "asks which fact of a text is forgotten", ":", *_FORGET, "enter", on=Picker),
    _at("forget-line", "asks how far a line is forgotten", _line(ROOT_PATH, 37), "x", on=Picker),
    _at("correct-line", "asks what holds in a line's place", _line(ROOT_PATH, 37), "E", on=AskLine),
    _at("tree-read-only", "a dry run is refused", "d", read_only=True),
    _at("tree-empty", "a folder without any memory", engine=worlds.empty),
    _at("tree-empty-gaps", "no days that could have gaps", "!", engine=worlds.empty),
    _at("tree-ten-years", "the end of ten years", "g", "tab", "G", engine=worlds.ten_years),
    _at(
        "tree-ten-years-open",
        "an old month, opened",
        "g",
        *"jjjj",
        "right",
        "j",
        "right",
        "j",
        "right",
        engine=worlds.ten_years,
    ),
    _at("tree-hostile", "nodes of hostile text", engine=worlds.hostile),
    _at("tree-hostile-text", "the cursor in hostile text", "tab", *"jjjj", engine=worlds.hostile),
)
