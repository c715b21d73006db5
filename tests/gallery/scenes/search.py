"""Search: hits, why they were found, and the note."""

from tests.gallery import worlds
from tests.gallery.engines import queues
from tests.gallery.scene import At
from tui.dialogs.line_input import AskLine
from tui.dialogs.picker import Picker
from tui.screens.search.page import SearchPage

_at = At(SearchPage, "6", queues.three_plans)
_ASKED = (*"deploy", "enter")
_SAVED = ("s", *"back", "enter")

SCENES = (
    _at("search", "nothing is asked yet"),
    _at("search-typed", "hits that come while one types", *"deploy"),
    _at("search-hits", "the cursor on the hits", *"rollback", "enter", engine=worlds.demo),
    _at("search-scores", "the parts of each score", *_ASKED, "w"),
    _at("search-note", "the cursor in the note", *_ASKED, "tab"),
    _at("search-alike", "notes like the one under the cursor", *_ASKED, "m"),
    _at("search-nothing", "a query that finds nothing", *"zzzzqq", "enter", engine=worlds.demo),
    _at("search-narrowed", "one kind of file alone", *_ASKED, "c", "down", "enter"),
    _at("search-narrowed-days", "some days alone", *_ASKED, "f", *"2026-03", "enter"),
    _at("search-wrong-days", "days that are none", *_ASKED, "f", *"soon", "enter", on=AskLine),
    _at("search-saved", "a query that was saved", *_ASKED, *_SAVED),
    _at("search-empty", "a folder without any memory", *"mail", "enter", engine=worlds.empty),
    _at("search-hostile", "hits in hostile text", *"click", "enter", engine=worlds.hostile),
    _at("category", "asks for a kind of file", *_ASKED, "c", on=Picker),
    _at("days", "asks for days", *_ASKED, "f", on=AskLine),
    _at("save-search", "asks for a name", *_ASKED, "s", on=AskLine),
    _at("saved-searches", "the searches that were saved", *_ASKED, *_SAVED, "S", on=Picker),
    _at("links", "links of a note and to it", *"queue", "enter", "b", engine=worlds.linked, on=Picker),
    _at("forget-search", "asks which search to forget", *_ASKED, *_SAVED, "X", on=Picker),
)
