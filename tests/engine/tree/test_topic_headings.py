"""Topics: headings, the four spellings of `topics:` in use, and the one we write."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.frontmatter import read_frontmatter, write_frontmatter
from engine.tree.topic_headings import (
    TreeTopic,
    clean_topic,
    merged_type,
    read_heading,
    read_topics,
    topic_name,
    write_topics,
)

AUTH, ZONE = TreeTopic("auth", "project"), TreeTopic("timezone", "user")


@pytest.mark.parametrize(
    "spelling",
    [
        "topics: auth [project], timezone [user]",
        "topics: [auth [project], timezone [user]]",
        "topics:\n  - auth [project]\n  - timezone [user]",
        "topics:\n  - name: auth\n    type: project\n  - name: timezone\n    type: user",
        "topics:\n  auth: project\n  timezone: user",
        'topics: "auth [project, 5d], timezone [user, 12d]"',
    ],
)
def test_c15_every_spelling_of_topics_is_read(spelling: str) -> None:
    values = read_frontmatter(f"---\ntype: daily\n{spelling}\n---\nbody\n".encode()).values
    assert read_topics(values) == (AUTH, ZONE)


def test_c15_a_plain_list_has_the_default_type() -> None:
    values = read_frontmatter(b"---\ntopics: [auth, timezone]\n---\n").values
    assert read_topics(values) == (AUTH, TreeTopic("timezone", "project"))


def test_c15_one_spelling_is_written() -> None:
    assert write_topics([AUTH, ZONE]) == "auth [project], timezone [user]"


def test_c16_a_topic_that_looks_like_a_date_stays_a_string() -> None:
    values = read_frontmatter(b"---\ntopics: [2026-03-15, yes, 12:30:45]\nperiod: 2026-03-15\n---\n").values
    assert values["period"] == "2026-03-15"
    assert [topic.name for topic in read_topics(values)] == ["2026-03-15", "yes", "12:30:45"]


@given(
    st.lists(st.tuples(st.text(max_size=30), st.sampled_from(["project", "user", "feedback", "reference"])), max_size=6)
)
def test_what_is_written_is_read_again(found: list[tuple[str, str]]) -> None:
    topics = {}
    for text, type_ in found:
        name = clean_topic("".join(c for c in text if c.isprintable()))
        if name.strip("\"'{ ") == name and name:
            topics[TreeTopic(name).key] = TreeTopic(name, type_)
    wanted = tuple(topics.values())
    values = read_frontmatter(write_frontmatter({"topics": write_topics(wanted)}).encode()).values
    assert read_topics(values) == wanted


@pytest.mark.parametrize(
    ("heading", "topic", "tag"),
    [
        ("Login flow [project]", "Login flow", "project"),
        ("array[0] bug [feedback]", "array 0 bug", "feedback"),
        ("Notes on OAuth [Idea]", "Notes on OAuth", "idea"),
        ("plain", "plain", None),
        ("legal [reference, 45d, ?]", "legal", "reference"),
    ],
)
def test_c20_the_type_is_the_last_bracket_of_a_heading(heading: str, topic: str, tag: str | None) -> None:
    found = read_heading(heading)
    assert (found.topic, found.type) == (topic, tag)


@pytest.mark.parametrize(
    "heading",
    [
        "08:00 ses_893d54c65b",
        "14:30",
        "2026-03-15",
        "Session — 2026-03-15 10:00:00",
        "Session: 2026-02-23 10:01:20 UTC",
        "9:05 am",
    ],
)
def test_a_time_is_no_topic(heading: str) -> None:
    assert topic_name(heading) == ""


def test_a_time_beside_a_topic_is_left_out() -> None:
    assert topic_name("14:30 Deploy to staging") == "Deploy to staging"
    assert topic_name("09:00 张曼婷") == "张曼婷"


def test_what_never_shrinks_keeps_its_type() -> None:
    assert merged_type("feedback", "project") == "feedback"
    assert merged_type("project", "user") == "user"
    assert merged_type("project", "reference") == "reference"


def test_g2_no_layer_numbers_in_code_or_on_screen() -> None:
    """G2: the specifications use "Layer 1" in opposite senses; we say raw log, node and ROOT."""
    root = Path(__file__).parents[3]
    files = [*(root / "engine").rglob("*.py"), *(root / "tui").rglob("*.py")]
    assert files
    assert [file.name for file in files if re.search(r"(?i)\blayer [0-9]", file.read_text("utf-8"))] == []
