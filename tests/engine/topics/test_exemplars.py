"""Messages that called for a topic, in the file beside it."""

from datetime import timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engine.sessions.live_topics import LiveTopics
from engine.topics.files.exemplars import (
    LONGEST,
    MOST,
    exemplar_of,
    exemplars_file,
    exemplars_path,
    read_exemplars,
)
from engine.topics.files.topic_file import is_topic_path, read_topic, read_topics
from engine.workspace.paths import WorkspaceRoot
from tests.engine.topics.waking import NOON, NamingMatcher

FILE = b"---\ntype: topic\nsimilarity_only: true\n---\n# Payday\n\nSay when the wages come.\n"


def test_exemplars_stand_beside_their_topic_and_are_no_topic() -> None:
    assert exemplars_path("topics/work/payday.md") == "topics/work/_payday.exemplars.md"
    assert not is_topic_path(exemplars_path("topics/payday.md"))


def test_a_topic_has_its_exemplars_and_another_hash() -> None:
    path, beside = "topics/payday.md", exemplars_file("payday", ("when do i get paid", "is it payday yet"))
    alone, taught = read_topics({path: FILE}), read_topics({path: FILE, exemplars_path(path): beside})
    (plain,), (topic,) = alone.topics, taught.topics
    assert topic.exemplars == ("when do i get paid", "is it payday yet") and plain.exemplars == ()
    assert topic.sha256 != plain.sha256 and read_topic(path, FILE, beside).topic == topic
    assert not taught.problems


def test_an_exemplar_is_one_line_without_secrets_and_without_hidden_signs() -> None:
    key = "sk-ant-api03-" + "a1B2c3D4e5" * 9
    made = exemplar_of(f"pay me\n\n- now\u202e with {key}")
    assert "\n" not in made and key not in made and "\u202e" not in made and made.startswith("pay me")
    assert len(exemplar_of("x" * 5_000)) == LONGEST


@given(st.lists(st.text(max_size=400), max_size=60))
def test_what_is_written_is_read_again(messages: list[str]) -> None:
    exemplars = tuple(dict.fromkeys(made for each in messages if (made := exemplar_of(each))))
    assert read_exemplars(exemplars_file("t", exemplars)) == exemplars[-MOST:]


@given(st.binary(max_size=300))
def test_no_file_is_an_exception(data: bytes) -> None:
    assert all(len(each) <= LONGEST for each in read_exemplars(data))


def test_exemplars_that_change_are_read_again(tmp_path: Path) -> None:
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics/payday.md").write_bytes(FILE)
    live = LiveTopics(WorkspaceRoot.open(tmp_path), lambda topics, before: NamingMatcher())
    live.refresh(NOON)
    assert not live.topics["payday"].exemplars
    beside = tmp_path / exemplars_path("topics/payday.md")
    beside.write_bytes(exemplars_file("payday", ("when do i get paid",)))
    assert live.refresh(NOON + timedelta(seconds=2))
    assert list(live.topics["payday"].exemplars) == ["when do i get paid"]
    beside.unlink()
    assert live.refresh(NOON + timedelta(seconds=4))
    assert not live.topics["payday"].exemplars
