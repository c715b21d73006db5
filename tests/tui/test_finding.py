"""`/` finds in the focused pane, `n` and `N` go on, `esc` ends: in lists, texts and diffs, whatever they hide."""

from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from engine.plans.diff import FileDiff, line_diff
from tests.prepared import three_plans
from tests.tui.conftest import console_of, deck, screen_text, settled
from tui.present.sought_text import SoughtText
from tui.present.spans import Span, plain
from tui.present.words import safe
from tui.widgets import themes
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList
from tui.widgets.searchable_pane import SearchablePane
from tui.widgets.text_pane import TextPane


class TestFinding:
    async def test_slash_finds_and_n_goes_on(self) -> None:
        async with deck(three_plans()) as pilot:
            lines = pilot.app.query_one("#triggers", LineList)
            await pilot.press("slash", *"too", "enter")
            first = lines.cursor
            assert "too" in lines.text_at(first)
            await pilot.press("n")
            assert lines.cursor != first and "too" in lines.text_at(lines.cursor)
            await pilot.press("N")
            assert lines.cursor == first

    async def test_escape_goes_back_to_where_one_was(self) -> None:
        async with deck(three_plans()) as pilot:
            lines = pilot.app.query_one("#triggers", LineList)
            await pilot.press("j", "slash", *"others")
            assert lines.cursor == 3
            await pilot.press("escape")
            assert lines.cursor == 1 and lines.wanted is None

    async def test_every_place_is_marked_and_counted_until_escape(self) -> None:
        async with deck(three_plans()) as pilot:
            lines = pilot.app.query_one("#triggers", LineList)
            await pilot.press("slash", *"too")
            assert "1 of 2 lines" in screen_text(pilot)
            await pilot.press("enter", "n")
            assert "/too  2 of 2 lines" in screen_text(pilot)
            assert marks_of(lines) == ["too", "too"]
            await pilot.press("escape")
            assert "/too" not in screen_text(pilot) and marks_of(lines) == []
            assert console_of(pilot).page.current == "triggers", "the next esc leads out, not this one"

    async def test_the_marks_are_in_one_pane_alone(self) -> None:
        async with deck(three_plans()) as pilot:
            first = pilot.app.query_one("#triggers", LineList)
            await pilot.press("slash", *"too", "enter", "tab", "slash", *"md", "enter")
            assert first.wanted is None

    async def test_what_is_not_there_is_said_and_leaves_no_marks(self) -> None:
        async with deck(three_plans()) as pilot:
            lines = pilot.app.query_one("#triggers", LineList)
            await pilot.press("slash", *"w")
            assert lines.cursor > 0
            await pilot.press(*"ebra")
            assert "not here" in screen_text(pilot) and lines.cursor == 0, "back where one was, not at a first guess"
            await pilot.press("enter")
            assert lines.wanted is None and lines.cursor == 0
            assert [note.message for note in pilot.app._notifications] == ["'webra' is not in this pane"]

    async def test_n_in_a_diff_goes_to_the_next_difference_until_a_text_is_looked_for(self) -> None:
        async with deck(three_plans()) as pilot:
            await pilot.press("2", "j", "tab", "tab", "tab")
            await settled(pilot)
            view = pilot.app.query_one("#diff", DiffView)
            await pilot.press("slash", *"compiled", "enter")
            assert "compiled" in view.text_at(view.at).casefold()
            assert not pilot.app.query_one("#filter").has_class("shown"), "`/` finds here, and filters in the queue"
            places = set()
            for _ in view.hits:
                places.add(view.at)
                await pilot.press("n")
            assert places == set(view.hits)
            await pilot.press("escape", "n")
            assert view.wanted is None and console_of(pilot).page.current == "diff"

    async def test_a_match_that_is_folded_away_is_shown(self) -> None:
        view = DiffView()
        old, new = ("\n".join((*(f"word {n}." for n in range(60)), end)) for end in ("old", "new"))
        diff = FileDiff(path="a.md", to=None, rows=line_diff(old, new), added=1, removed=1)
        async with Holding(view).run_test(size=(60, 20)) as pilot:
            view.focus()
            view.show(diff, ((Span("preface with word 7."),),), {})
            await pilot.pause()
            view.look_for(SoughtText("word 7."))
            assert [view.text_at(at) for at in view.hits] == ["preface with word 7.", "word 7."]
            assert view.visit(1) and view.text_at(view.at) == "word 7."
            await pilot.pause()
            assert marks_of(view) == ["word 7.", "word 7."], "in the preface and below it"

    async def test_a_report_can_be_looked_through_and_escape_ends_that_first(self) -> None:
        async with deck(three_plans()) as pilot:
            await pilot.press("2", "i")
            await settled(pilot)
            pane = pilot.app.screen.query_one(TextPane)
            await pilot.press("slash", *"e", "enter")
            assert pane.hits and marks_of(pane)
            await pilot.press("escape")
            assert pane.wanted is None and console_of(pilot).in_dialog
            await pilot.press("escape")
            assert not console_of(pilot).in_dialog

    async def test_a_match_over_the_edge_of_a_wrapped_line_is_found_and_marked_on_both(self) -> None:
        pane = TextPane()
        async with Holding(pane).run_test(size=(20, 10)) as pilot:
            pane.show(((Span("first"),), (Span("the queue was drained before the migration"),)))
            await pilot.pause()
            pane.look_for(SoughtText("drained before the"))
            assert pane.hits == (1,)
            await pilot.pause()
            assert "".join(marks_of(pane)).replace(" ", "") == "drainedbeforethe"


class Holding(App[None]):
    """A widget alone, in one of our themes."""

    def __init__(self, widget: SearchablePane) -> None:
        super().__init__()
        self._widget = widget
        self.register_theme(themes.theme("night"))
        self.theme = "night"

    def compose(self) -> ComposeResult:
        yield self._widget


def marks_of(pane: SearchablePane) -> list[str]:
    """What is marked as found in a pane on screen."""
    ground = themes.styles("night")["match"].bgcolor
    lines = (pane.render_line(y) for y in range(pane.scrollable_content_region.height))
    return [segment.text for line in lines for segment in line if segment.style and segment.style.bgcolor == ground]


_HOSTILE = st.text("ab\u200b\u202e\x1b\t\ud800ß⟨U+", max_size=12)


class TestWanted:
    @given(_HOSTILE, _HOSTILE, st.integers(1, 5))
    def test_marking_changes_no_letter_and_marks_where_it_holds(self, text: str, wanted: str, cut: int) -> None:
        shown = safe(text)
        line = tuple(Span(shown[at : at + cut], "added") for at in range(0, len(shown), cut))
        found = SoughtText(wanted)
        marked = found.marked(line)
        assert plain(marked) == shown
        assert any(span.role == "match" for span in marked) == found.holds(shown)

    @given(st.text("abc \u200b", max_size=20), st.text("abc", min_size=1, max_size=3))
    def test_hidden_characters_hide_no_match(self, text: str, wanted: str) -> None:
        if wanted in text.replace("\u200b", ""):
            assert SoughtText(wanted).holds(safe(text))

    def test_a_hidden_character_can_be_looked_for_and_keeps_its_look(self) -> None:
        shown = safe("ban\u200bana")
        assert SoughtText("u+200b").holds(shown) and SoughtText("BANANA").holds(shown)
        marked = SoughtText("banana").marked((Span("ban"), Span("⟨U+200B⟩", "hidden"), Span("ana")))
        assert [(span.text, span.role) for span in marked] == [
            ("ban", "match"),
            ("⟨U+200B⟩", "hidden"),
            ("ana", "match"),
        ]

    def test_a_line_of_nothing_but_hidden_characters_takes_no_quadratic_time(self) -> None:
        assert not SoughtText("␛␛x").holds("␛" * 20_000)

    def test_what_is_typed_is_no_pattern(self) -> None:
        assert not SoughtText("a.c").holds("abc") and SoughtText("a.c[").holds("xA.C[x")
