"""What an operator expects of a console such as lazygit, k9s or btop: each expectation, and the tests that hold it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.prepared import three_plans
from tests.tui.conftest import console_of, deck, settled

TESTS = Path(__file__).parents[1]
FEATURES: dict[str, tuple[str, ...]] = {
    "1 the first paint waits for nothing heavy": (
        "tui/cli/test_speed.py::test_the_console_loads_nothing_heavy_before_its_first_paint",
    ),
    "2 never freezes, with progress and cancel": (
        "engine/test_progress.py::test_a_cancel_leaves_nothing_half_done_and_the_work_can_be_done_again",
        "engine/test_progress.py::test_no_third_of_long_work_goes_by_at_the_end_of_a_bar",
        "tui/test_console.py::test_escape_cancels_a_dry_run",
    ),
    "3 a footer of grouped keys": (
        "tui/test_frame.py::test_hints_come_in_groups_and_keep_the_help_key_when_room_is_short",
    ),
    "4 all keys of the focused pane with ?": (
        "tui/test_keys.py::test_the_card_tells_every_key_and_can_be_searched",
        "tui/test_console.py::test_keys_are_listed_searched_and_run",
    ),
    "5 palette and command line": (
        "tui/test_commands.py::test_the_palette_lists_commands_too",
        "tui/test_commands.py::test_every_command_of_the_shell_can_be_typed_or_says_where",
    ),
    "6 number keys, and a key for every pane and gauge": (
        "tui/test_console.py::test_number_keys_change_screens",
        "tui/test_around.py::test_a_letter_leads_to_a_pane_and_to_a_screen",
        "tui/test_chart.py::test_tab_and_jump_reach_the_gauges_too",
    ),
    "7 hjkl, g and G in every list": (
        "tui/test_console.py::test_keys_move_in_lists_as_in_lazygit",
        "tui/test_choosing.py::test_letters_move_in_a_list_to_choose_from_as_in_every_list",
    ),
    "8 filter with /, n, N and esc": (
        "tui/test_finding.py::test_slash_finds_and_n_goes_on",
        "tui/test_console.py::test_the_filter_narrows_the_queue_and_escape_clears_it",
    ),
    "9 breadcrumbs, in, out and back": (
        "tui/test_whereabouts.py::test_approvals_names_the_plan_and_the_change_on_the_way_in_and_out",
        "tui/test_whereabouts.py::test_the_last_place_is_the_plan_the_change_and_the_pane",
    ),
    "10 safe approvals": (
        "tui/test_approving.py::test_tier_c_takes_the_word_exactly_and_then_enter",
        "tui/test_approving.py::test_no_yes_counts_until_every_change_was_on_screen",
        "tui/test_approving.py::test_a_paste_is_refused_and_said",
        "pty/test_console.py::test_a_bracketed_paste_approves_nothing",
    ),
    "11 a read-only mode": ("tui/test_approving.py::test_read_only_says_why_it_does_nothing",),
    "12 what is disabled says why": ("tui/test_dialogs.py::test_a_click_on_a_dim_hint_says_why_it_does_nothing",),
    "13 an operation log": ("tui/test_features.py::test_the_operation_log_is_one_key_away",),
    "14 undo": ("tui/test_approving.py::test_undo_shows_the_reverse_diff_and_takes_one_yes_g20",),
    "15 zoom a pane": ("tui/test_history.py::test_zoom_gives_a_pane_the_screen_and_esc_takes_it_back",),
    "16 fits every size": (
        "tui/test_console.py::test_every_size_shows_where_one_is_and_how_to_get_help",
        "tui/test_console.py::test_below_sixty_by_sixteen_there_is_a_notice",
    ),
    "17 themes, light, high contrast and one's own": (
        "tui/test_looks.py::test_there_are_dark_light_high_contrast_colour_blind_safe_and_terminal_themes",
        "tui/test_looks.py::test_a_theme_of_ones_own_says_only_what_differs",
    ),
    "18 never colour alone": (
        "tui/test_looks.py::test_a_state_is_a_single_cell_glyph_and_a_word_never_colour_alone",
        "tui/test_looks.py::test_in_ascii_too_no_two_states_have_the_same_sign",
    ),
    "19 NO_COLOR, 256 and 16 colours": (
        "tui/test_looks.py::test_no_color_is_usable",
        "tui/test_looks.py::test_a_terminal_of_sixteen_colours_gets_its_own",
    ),
    "20 copy over SSH and tmux": ("tui/test_around.py::test_y_copies_the_line_under_the_cursor",),
    "21 keys can be rebound, and quit always works": (
        "tui/test_keys.py::test_a_rebound_key_works_and_stands_in_footer_and_help",
        "tui/test_keys.py::test_quit_works_whatever_is_configured",
    ),
    "22 typed settings that name a mistake": (
        "tui/test_settings.py::test_a_mistake_names_file_line_and_what_to_write",
    ),
    "23 a command for each action": (
        "tui/cli/test_main.py::test_every_promised_command_is_there_and_says_what_it_does",
    ),
    "24 a live monitor with pause and lag": (
        "tui/test_topics.py::test_a_pause_holds_the_stream_and_loses_nothing",
        "tui/test_topics.py::test_lag_is_shown",
    ),
    "25 a dumb terminal gets the commands": (
        "pty/test_console.py::test_a_dumb_terminal_is_refused_with_what_to_use_instead",
    ),
    "26 the mouse, if wanted": (
        "tui/test_dialogs.py::test_a_click_on_a_hint_does_what_its_key_does",
        "tui/test_settings.py::test_what_is_written_holds",
    ),
    "27 no animations where none are wanted": ("tui/test_features.py::test_animations_can_be_turned_off",),
    "28 a hang-up leaves nothing half done": (
        "pty/test_console.py::test_hang_up_ends_it_at_once",
        "pty/test_cli_apply.py::test_a_hang_up_writes_nothing",
    ),
    "29 a bundle for a bug report": (
        "tui/cli/test_bug_report.py::test_the_bundle_names_versions_settings_and_errors_and_holds_no_content",
    ),
}


def test_there_are_twenty_nine_and_each_is_held() -> None:
    assert [int(name.split()[0]) for name in FEATURES] == list(range(1, 30))
    assert all(FEATURES.values())


@pytest.mark.parametrize("node", sorted({node for nodes in FEATURES.values() for node in nodes}))
def test_a_test_that_holds_a_feature_is_there_and_asserts(node: str) -> None:
    file, _, name = node.partition("::")
    found = [
        one
        for one in ast.walk(ast.parse((TESTS / file).read_text("utf-8")))
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name
    ]
    (test,) = found
    calls = {ast.unparse(one.func).rpartition(".")[2] for one in ast.walk(test) if isinstance(one, ast.Call)}
    asserts = any(isinstance(one, ast.Assert) for one in ast.walk(test))
    assert asserts or calls & {"shows", "until", "holds", "raises", "gone"}, "it holds nothing"


async def test_the_operation_log_is_one_key_away() -> None:
    async with deck(three_plans()) as pilot:
        await pilot.press("at")
        await settled(pilot)
        assert console_of(pilot).page.id == "history"


@pytest.mark.parametrize("level", ["none", "basic", "full"])
def test_animations_can_be_turned_off(level: str) -> None:
    """The toolkit reads the variable as it starts, so another process is asked."""
    code = "import tui.app; from textual.app import App; print(App().animation_level)"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TEXTUAL_ANIMATIONS": level},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == level
