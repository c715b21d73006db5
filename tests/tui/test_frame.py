"""The lines around the screens: at every width one sees where one is, and every screen's key."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.safe_text import cell_width
from engine.workspace.values import Progress
from tests.values import a_status
from tui.present import header_hints as frame
from tui.present.spans import Span, plain
from tui.registry.screens import PLACES, ScreenEntry

EIGHT = tuple(
    ScreenEntry(str(number), title.casefold(), title, title[:4], "")
    for number, title in enumerate(
        ("Overview", "Approvals", "Tree", "Topics", "Context", "Search", "History", "Lifecycle"), 1
    )
)


def test_header_names_screens_and_badges() -> None:
    row = frame.header("~/agents/silas", "overview", frame.Badges(3, True, "2026-03-15 03:00"), places=EIGHT[:2])
    assert plain(row.left) == "memdeck  ~/agents/silas     1 Overview   2 Approvals ⟨3⟩"
    assert plain(row.right) == " WHAT-IF 2026-03-15 03:00   READ-ONLY "
    assert frame.place_at(row, plain(row.left).index("Appr")) == "approvals"
    assert frame.place_at(row, 0) is None


def test_a_narrow_header_gives_up_the_workspace_before_any_screen() -> None:
    row = frame.header("~/agents/silas", "history", frame.Badges(3), 60, places=(*EIGHT[:2], EIGHT[6]))
    assert plain(row.left) == "memdeck  1 Overview  2 Approvals ⟨3⟩   7 History "


def test_at_eighty_columns_eight_screens_keep_their_names() -> None:
    row = frame.header("~/agents/silas", "overview", frame.Badges(3), 78, places=EIGHT)
    assert plain(row.left) == " 1 Overview 2 Approvals⟨3⟩ 3 Tree 4 Topics 5 Context 6 Search 7 History 8 Life"


@given(
    st.integers(58, 300),
    st.integers(0, 99),
    st.booleans(),
    st.sampled_from(EIGHT),
    st.sampled_from(("", "2026-03-15 03:00")),
)
def test_every_screen_stays_in_the_header(
    width: int, waiting: int, read_only: bool, here: ScreenEntry, clock: str
) -> None:
    row = frame.header("~/agents/silas", here.id, frame.Badges(waiting, read_only, clock), width, places=EIGHT)
    text = plain(row.left)
    assert len(text) + len(plain(row.right)) <= width
    assert f" {here.key} {here.title} " in text
    assert [key for key in "12345678" if key not in text] == []
    assert not waiting or f"⟨{waiting}⟩" in text
    assert ("READ-ONLY" in plain(row.right)) is read_only


def test_a_click_finds_the_screen_under_it() -> None:
    row = frame.header("~/agents/silas", "overview", frame.Badges(), 80)
    for place in PLACES:
        assert frame.place_at(row, plain(row.left).index(place.title)) == place.id


def test_a_click_finds_the_hint_under_it() -> None:
    row = frame.hints(
        [
            [frame.Hint("enter", "Open"), frame.Hint("e", "Edit", "no entry")],
            [frame.Hint("?", "Keys")],
        ],
        60,
    )
    text = plain(row.left)
    for key, label in (("enter", "Open"), ("e", "Edit"), ("?", "Keys")):
        assert frame.hint_at(row, text.index(f"{key} {label}")) == key
        assert frame.hint_at(row, text.index(f"{key} {label}") + len(f"{key} {label}") - 1) == key
    assert frame.hint_at(row, text.index("│")) is None
    assert frame.hint_at(row, 59) is None


def test_hints_come_in_groups_and_keep_the_help_key_when_room_is_short() -> None:
    pane, everywhere = (
        [frame.Hint("d", "Dry run")],
        [frame.Hint("z", "Undo", "read-only"), frame.Hint("?", "Keys")],
    )
    assert plain(frame.hints([pane, [], everywhere], 80).left) == "d Dry run │ z Undo   ? Keys"
    assert plain(frame.hints([pane, [], everywhere], 22).left) == "d Dry run │ ? Keys"
    assert plain(frame.hints([pane, [], everywhere], 6).left) == "? Keys"


@given(st.lists(st.lists(st.text("abcdefgh ", min_size=1, max_size=20), max_size=6), max_size=3), st.integers(6, 200))
def test_hints_fit_and_never_lose_the_help_key(words: list[list[str]], width: int) -> None:
    groups = [[frame.Hint("x", word) for word in group] for group in words]
    text = plain(frame.hints([*groups, [frame.Hint("?", "Keys")]], width).left)
    assert len(text) <= width
    assert text.endswith("? Keys")


def test_crumbs_keep_where_one_is_and_give_up_what_is_far() -> None:
    trail = ("~/agents/silas", "Tree", "2026-03", "W12", "03-17")
    assert plain(frame.crumbs(trail, (), 80).left) == "~/agents/silas › Tree › 2026-03 › W12 › 03-17"
    assert plain(frame.crumbs(trail, (), 30).left) == "~/agents/silas › W12 › 03-17"
    assert plain(frame.crumbs(trail, (), 12).left) == "W12 › 03-17"


def test_names_give_up_their_gaps_only_after_the_name_in_front_of_them() -> None:
    row = frame.header("", "overview", frame.Badges(waiting=1, new=1), 96)
    assert plain(row.left).startswith(" 1 Overview   2 Approvals ⟨1⟩+1  3 Tree") and len(plain(row.left)) <= 96


def test_two_badges_leave_names_their_room() -> None:
    row = frame.header("", "overview", frame.Badges(read_only=True, what_if="2026-03-22 12:00"), 78)
    assert plain(row.right) == " WHAT-IF READ-ONLY " and "2 Appr 3 Tree 4 Tops" in plain(row.left)


@pytest.mark.parametrize("here", PLACES)
def test_no_key_stands_without_a_word_beside_two_badges(here: ScreenEntry) -> None:
    badges = frame.Badges(3, read_only=True, what_if="2026-03-22 12:00", new=1)
    row = frame.header("", here.id, badges, 78)
    assert len(plain(row.left)) + len(plain(row.right)) <= 78
    assert re.findall(r"(\d) [A-Z][a-z]{2}", plain(row.left)) == [place.key for place in PLACES]


def test_crumbs_cut_a_long_path_before_anything_gives_way_to_it() -> None:
    facts = (Span("o200k_base · git ✓"),)
    for name in ("silas", "記憶の仕事場"):
        trail = ("~/" + "a-long-folder-name/" * 8 + name, "Overview", "Due")
        for width in (60, 80, 120):
            row = frame.crumbs(trail, facts, width)
            assert plain(row.left).endswith(f"…/{name} › Overview › Due") and row.right == facts
            assert cell_width(plain(row.left)) + len(plain(facts)) < width
        assert plain(frame.crumbs(trail, facts, 40).left).endswith(" › Overview › Due")


def test_what_is_shared_stands_beside_git() -> None:
    status = a_status(git=True, shared=("team", "tools"))
    assert plain(frame.facts(status)).endswith("· git ✓ · 2 shared · offline model")


def test_a_new_plan_adds_to_the_badge() -> None:
    row = frame.header("", "overview", frame.Badges(waiting=4, new=1), 120)
    assert "2 Approvals ⟨4⟩+1" in plain(row.left)


def test_progress_with_and_without_a_total() -> None:
    row = frame.progress("dry run", Progress("summarising", 30, 120), cancelling=False)
    assert plain(row.left).endswith("◐ dry run  summarising 30/120   25 %"), "what is done is said without the bar, too"
    assert plain(row.extra).strip() == f"▕{'█' * 6}{' ' * 18}▏"
    assert plain(row.right) == "esc cancel"
    assert plain(frame.progress("x", Progress("reading", 7), cancelling=True).right) == "stopping…"


def test_progress_says_how_long_the_rest_takes_until_it_is_cancelled() -> None:
    step = Progress("applying", 30, 120)
    row = frame.progress("apply", step, cancelling=False, rest=" · 12/s · 7 s left")
    assert plain(row.left).endswith("applying 30/120   25 % · 12/s · 7 s left")
    assert "left" not in plain(frame.progress("apply", step, cancelling=True, rest=" · 12/s · 7 s left").left)


def test_work_that_cannot_be_cancelled_offers_no_key_and_says_so_to_who_pressed_it() -> None:
    step = Progress("applying", 30, 120, stoppable=False)
    assert plain(frame.progress("apply", step, cancelling=False).right) == ""
    late = frame.progress("apply", step, cancelling=True, rest=" · 7 s left")
    assert (plain(late.right), plain(late.left).endswith("7 s left")) == ("too late to cancel", True)
