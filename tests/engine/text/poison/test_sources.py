"""Sources that a text names are looked for inside the workspace, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.poison.missing_sources import find_missing_sources

THERE = {"memory/2026-03-01.md", "knowledge/projects/atlas/context.md", "notes.md"}


def missing(text: str) -> list[str]:
    return [text[found.start : found.end] for found in find_missing_sources(text, THERE.__contains__)]


@pytest.mark.parametrize(
    "text",
    [
        "memory/2026-02-20.md:4-4",
        "[[../../../../etc/passwd]]",
        "<!-- from memory/2026-02-20.md:4-4 -->",
        "<!-- source memory/archive/x.md -->",
        "[plan](../outside.md)",
        "[plan](file:///etc/passwd)",
        "[[/etc/passwd]]",
        "memory/../../x.md",
        "[plan](%2e%2e/outside.md)",
    ],
)
def test_a_source_that_is_missing_or_outside_is_found(text: str) -> None:
    assert missing(f"Decided so, see {text}")


@pytest.mark.parametrize(
    "text",
    [
        "memory/2026-03-01.md:4-9",
        "<!-- from memory/2026-03-01.md:1-40 -->",
        "[[notes]] and [[notes|the notes]] and [[notes#top]]",
        "[page](https://example.org/a.md)",
        "[top](#top)",
        "https://example.org/memory/2026-02-20.md",
    ],
)
def test_a_source_that_exists_and_an_address_of_the_web_are_not(text: str) -> None:
    assert missing(f"Decided so, see {text}") == []


@given(st.text("ab/.[]()<>!-%2e: \n", max_size=200))
def test_only_paths_inside_are_asked_for(text: str) -> None:
    asked: list[str] = []

    def exists(path: str) -> bool:
        asked.append(path)
        return True

    find_missing_sources(text, exists)
    assert not any(path.startswith(("/", "../")) or path == ".." for path in asked)
