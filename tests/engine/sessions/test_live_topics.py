"""Topics are read again while sessions are followed; a bad one is disabled, the others go on."""

from datetime import timedelta
from pathlib import Path

from engine.sessions.live_topics import LiveTopics
from engine.topics.matcher import Matching
from engine.topics.topic import TopicSet
from engine.workspace.paths import WorkspaceRoot
from tests.engine.sessions.rig import START
from tests.engine.topics.waking import NamingMatcher

GOOD = "---\ntype: topic\ntriggers:\n  - type: pattern\n    match: mail\n---\n# Mail\n\nSort it.\n"


class Made:
    """Counts the matchers that were made, and from which one."""

    def __init__(self, folder: Path) -> None:
        self.sets: list[tuple[TopicSet, Matching | None]] = []
        self.live = LiveTopics(WorkspaceRoot.open(folder), self._make)
        self.now = START

    def _make(self, topics: TopicSet, before: Matching | None) -> Matching:
        self.sets.append((topics, before))
        return NamingMatcher()

    def refresh(self) -> bool:
        self.now += timedelta(seconds=2)
        return self.live.refresh(self.now)


def test_a_file_that_changes_comes_or_goes_is_seen(tmp_path: Path) -> None:
    made = Made(tmp_path)
    assert not made.refresh() and made.live.set == TopicSet()
    (tmp_path / "topics/deep").mkdir(parents=True)
    (tmp_path / "topics/mail.md").write_text(GOOD)
    (tmp_path / "topics/deep/more.md").write_text(GOOD)
    assert made.refresh() and sorted(made.live.topics) == ["deep/more", "mail"]
    assert not made.refresh()
    (tmp_path / "topics/mail.md").write_text(GOOD.replace("# Mail", "# Post"))
    assert made.refresh() and made.live.topics["mail"].title == "Post"
    (tmp_path / "topics/mail.md").unlink()
    assert made.refresh() and list(made.live.topics) == ["deep/more"]


def test_a_bad_topic_is_disabled_and_named_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics/mail.md").write_text(GOOD)
    (tmp_path / "topics/bad.md").write_text(GOOD.replace("match: mail", 'match: "ma(il"'))
    (tmp_path / "topics/link.md").symlink_to(tmp_path / "topics/mail.md")
    (tmp_path / "topics/binary.md").write_bytes(b"\x00\xff")
    made = Made(tmp_path)
    made.refresh()
    assert list(made.live.topics) == ["mail"]
    assert {one.path for one in made.live.set.problems if one.error} == {"topics/bad.md", "topics/binary.md"}


def test_the_matcher_is_made_once_and_takes_over_from_the_last_one(tmp_path: Path) -> None:
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics/mail.md").write_text(GOOD)
    made = Made(tmp_path)
    made.refresh()
    assert made.sets == []
    first = made.live.matcher
    assert made.live.matcher is first and len(made.sets) == 1
    (tmp_path / "topics/more.md").write_text(GOOD)
    made.refresh()
    assert made.sets[1][1] is first and made.live.matcher is not first
    assert [topic.id for topic in made.sets[1][0].topics] == ["mail", "more"]


def test_within_a_second_nothing_is_looked_at_again(tmp_path: Path) -> None:
    made = Made(tmp_path)
    made.refresh()
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics/mail.md").write_text(GOOD)
    assert not made.live.refresh(made.now + timedelta(milliseconds=500))
    assert made.refresh()
