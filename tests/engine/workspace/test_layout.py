"""Where things lie: names that count, names that do not, and the capabilities they make."""

import pytest

from engine.workspace import layout
from engine.workspace.values import Capability, MemoryTier


def found(folders: set[str], paths: set[str]) -> frozenset[Capability]:
    return layout.find_capabilities(folders.__contains__, paths)


@pytest.mark.parametrize(
    ("folders", "paths", "expected"),
    [
        (set(), set(), set()),
        ({"notes"}, {"notes/a.md", "README.md"}, set()),
        ({"memory"}, {"memory/notes.md"}, set()),
        ({"memory/working"}, set(), {Capability.COMPACTOR}),
        ({"memory/semantic"}, set(), {Capability.COMPACTOR}),
        ({"memory/archive"}, set(), set()),
        ({"memory"}, {"memory/2026-03-15.md"}, {Capability.TREE}),
        ({"memory"}, {"memory/2026-03-15-slug.md"}, {Capability.TREE}),
        ({"memory"}, {"memory/x/2026-03-15.md"}, set()),
        ({"memory/weekly"}, set(), {Capability.TREE}),
        (set(), {"memory/ROOT.md"}, {Capability.TREE}),
        ({"DailyLogs"}, set(), {Capability.WINDOW}),
        (set(), {"MEMORY.md"}, {Capability.WINDOW}),
        ({"knowledge"}, {"knowledge/memory/MEMORY.md"}, {Capability.AUTOPOIESIS}),
        ({"raw/conversations"}, set(), {Capability.AUTOPOIESIS}),
        ({"topics"}, set(), set()),
        ({"topics"}, {"topics/auth.md"}, {Capability.TOPICS}),
        (
            {"memory/working", "DailyLogs"},
            {"topics/a.md"},
            {Capability.COMPACTOR, Capability.WINDOW, Capability.TOPICS},
        ),
    ],
)
def test_g3_capabilities_are_what_is_on_disk(folders: set[str], paths: set[str], expected: set[Capability]) -> None:
    assert found(folders, paths) == expected


def test_only_names_that_star_md_matches_are_notes() -> None:
    assert [name for name in ("a.md", ".a.md", "a.MD", "a.md.bak", ".md", "md", "日記.md") if layout.is_note(name)] == [
        "a.md",
        "日記.md",
    ]


def test_hidden_folders_and_those_of_package_managers_are_closed() -> None:
    assert all(map(layout.is_closed_folder, (".git", ".memdeck", ".venv", ".obsidian", "node_modules", "venv")))
    assert not any(map(layout.is_closed_folder, ("memory", "git", "a.b")))


def test_tier_of_a_path() -> None:
    assert layout.tier_of("memory/working/a.md") is MemoryTier.WORKING
    assert layout.tier_of("memory/archive/2026/a.md") is MemoryTier.ARCHIVE
    assert layout.tier_of("memory/working") is None
    assert layout.tier_of("memory/workings/a.md") is None


def test_what_is_no_note_is_named_in_tier_folders_and_below_the_archive() -> None:
    assert layout.is_tier_folder("memory/working")
    assert layout.is_tier_folder("memory/archive/2026")
    assert not layout.is_tier_folder("memory/working/sub")
    assert not layout.is_tier_folder("memory")
