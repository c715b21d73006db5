"""Each task of the specification's phases names the test that shows it (autopoiesis §11)."""

# ruff: noqa: E501  (names of tests are long)

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SPECIFICATION = TESTS.parents[1] / "shared" / "spec" / "autopoiesis.md"

SHOWN = {
    # Phase 1
    "Conversation serializer": "engine/lifecycle/test_capture.py::test_d42_a_session_becomes_the_transcript_of_the_specification",
    "Directory structure setup": "engine/lifecycle/test_setup.py::test_an_empty_folder_becomes_a_workspace_with_a_repository",
    "Auto-commit on session end": "engine/test_diagrams.py::test_10_1_a_new_conversation",
    "30-minute batch commit": "engine/monitoring/test_agent_commits.py::test_d34_an_open_console_commits_every_half_hour_and_no_more_often",
    "Pre-commit hook": "engine/lifecycle/test_setup.py::test_d23_memory_md_is_held_to_its_lines_as_staged",
    "Identity file injection": "engine/context/test_compiler.py::test_d1_identity_over_its_budget_is_told_loudly_and_leaves_the_floors_alone",
    "Journal system": "engine/lifecycle/test_condense.py::test_d27_a_session_after_eleven_at_night_reaches_the_journals_of_both_its_days",
    "Basic `search()` via ripgrep wrapper": "engine/search/test_plain.py::test_ripgrep_searches_with_words_as_they_are",
    "Git introspection tools": "tui/cli/test_recall.py::test_blame_shows_some_lines_with_their_origin",
    # Phase 2
    "Context compiler": "engine/context/test_compiler.py::test_d39_slots_stand_in_their_order_and_the_prefix_is_the_same_for_every_message",
    "Topic file format": "engine/topics/test_files.py::test_d15_every_type_of_trigger_is_read_with_its_line",
    "Tier 1: Pattern matcher": "engine/test_diagrams.py::test_10_2_a_topic_is_activated_tier_by_tier",
    "Tier 2: TF-IDF similarity scorer": "engine/test_diagrams.py::test_10_2_a_topic_is_activated_tier_by_tier",
    "Tier 3: Gated activator": "engine/topics/test_gate.py::test_d17_critical_skips_the_gate_with_a_tier_1_match_alone",
    "SQLite FTS5 index": "engine/search/test_searcher.py::test_d9_a_changed_file_leaves_nothing_of_its_old_text",
    "sqlite-vec embedding index": "engine/search/test_bits.py::test_the_blocks_of_sqlite_vec_hold_what_its_rows_hold",
    "Hybrid search merge": "engine/search/test_merge.py::test_d8_the_specifications_weights_stay_available",
    "Output-triggered steering": "engine/topics/test_files.py::test_d15_scope_is_input_and_thresholds_are_the_tables_unless_the_file_says_otherwise",
    "Pre-compaction memory flush": "engine/flush/test_plan.py::test_b17_with_daily_logs_lasting_items_go_to_memory_and_the_rest_to_the_log",
    # Phase 3
    "Knowledge extractor framework": "engine/lifecycle/test_extract.py::test_d44_every_quote_occurs_in_its_turn",
    "Decision extractor": "engine/lifecycle/test_extract.py::test_d45_what_is_said_twice_is_one_entry_and_what_is_decided_again_another",
    "Journal extractor": "engine/lifecycle/test_condense.py::test_each_row_of_a_journal_resolves_to_the_line_of_the_turn_that_says_it",
    "Lesson extractor": "engine/lifecycle/test_extract.py::test_precision_and_recall_on_labelled_turns",
    "People extractor": "engine/lifecycle/test_extract.py::test_precision_and_recall_on_labelled_turns",
    "Daily condensation": "engine/test_diagrams.py::test_10_3_memory_is_condensed_each_day_each_sunday_and_the_old_journals_go",
    "Weekly rollup": "engine/lifecycle/test_condense.py::test_d43_a_decision_of_no_project_goes_to_key_decisions_with_its_day_and_a_projects_own_stays",
    "Memory pruner": "engine/lifecycle/test_prune.py::test_d23_d25_entries_go_until_there_is_room_and_each_stands_word_for_word_in_the_archive",
    "Journal archiver": "engine/test_diagrams.py::test_10_3_memory_is_condensed_each_day_each_sunday_and_the_old_journals_go",
    "AI-generated commit messages": "engine/plans/test_commit_text.py::test_d30_the_model_of_the_role_writes_what_the_lines_of_the_diff_hold",
    "Daily/weekly git tags": "engine/history/test_tags.py::test_each_day_and_week_that_is_over_gets_its_last_commit",
    # Phase 4
    "Knowledge reconstruction": "engine/test_diagrams.py::test_10_4_knowledge_is_reconstructed_compared_and_merged_as_a_plan",
    "A/B testing on extract branches": "engine/lifecycle/test_replay.py::test_the_blind_comparison_says_no_side_and_counts_the_wins",
    "Git-crypt": "engine/lifecycle/test_encryption.py::test_d22_private_folders_are_encrypted_by_the_operators_git_crypt",
    "Gate decision logging": "engine/tuning/test_tuning.py::test_a_gate_that_always_says_yes_to_what_is_right_is_bypassed",
    "Multi-agent shared knowledge": "engine/lifecycle/test_share.py::test_shared_knowledge_comes_in_as_a_plan_and_is_pinned_as_a_submodule",
    "Sparse checkout for sub-agents": "engine/lifecycle/test_share.py::test_a_sub_agent_gets_the_named_folders_and_nothing_of_the_others",
    "Wikilinks between files": "engine/lifecycle/test_moved_links.py::test_an_archived_note_keeps_its_links_by_name_and_takes_its_links_by_path_along",
}  # fmt: skip
"""By the first words of a task the test that shows it."""


def _tasks() -> list[str]:
    if not SPECIFICATION.is_file():
        return []
    section = SPECIFICATION.read_text("utf-8").partition("## 11. ")[2].partition("\n## 12. ")[0]
    return re.findall(r"(?m)^\| (.+?) \| P\d \|", section)


def test_every_task_of_the_phases_names_its_test() -> None:
    tasks = _tasks()
    if not tasks:
        pytest.skip(f"the specification is not at {SPECIFICATION}")
    assert len(tasks) == len(SHOWN)
    assert [task for task in tasks if not task.startswith(tuple(SHOWN))] == []


@pytest.mark.parametrize("place", sorted(set(SHOWN.values())))
def test_the_test_of_a_task_is_there(place: str) -> None:
    file, _, name = place.partition("::")
    assert re.search(rf"(?m)^(?:async )?def {name}\(", (TESTS / file).read_text("utf-8"))
