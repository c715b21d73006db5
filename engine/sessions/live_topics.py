"""Keeps the topics in force while sessions are followed, reading only changed files again (hot reload)."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from engine import __version__
from engine.errors import MemdeckError
from engine.sessions.folder import SessionFolder
from engine.topics.files.exemplars import exemplars_path
from engine.topics.files.topic_file import FOLDER, ReadTopic, gathered, is_topic_path, read_topic
from engine.topics.matcher import Matching
from engine.topics.topic import Topic, TopicProblem, TopicSet
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.system_calls import read_cached, write_cached

LOOK_EVERY = timedelta(seconds=1)
"""Least time between two checks of the topic files, since a check walks through their folder."""
MatcherOf = Callable[[TopicSet, Matching | None], Matching]
"""Makes a matcher for topics; takes the previous one, so that only changes are rebuilt."""
_File = tuple[int, int, int]
_Seen = tuple[_File, _File | None]
_Kept = tuple[str, dict[str, _Seen], dict[str, ReadTopic]]  # the topics that were read, with the version that read them


class LiveTopics:
    """The topics of one workspace, with their matcher."""

    def __init__(self, root: WorkspaceRoot, matcher_of: MatcherOf, cache: Path | None = None) -> None:
        """`cache`: the file that stores read topics for the next process, which loads them ten times faster."""
        self._root, self._cache = root, cache
        self._place = SessionFolder(root, FOLDER.rstrip("/"))
        self._matcher_of = matcher_of
        self._seen: dict[str, _Seen] = {}
        self._reads: dict[str, ReadTopic] = {}
        self._looked_at: datetime | None = None
        self._matcher: Matching | None = None
        self.set = TopicSet()
        self.topics: Mapping[str, Topic] = {}

    @property
    def matcher(self) -> Matching:
        """The matcher of the topics in force, made on first use."""
        if self._matcher is None:
            self._matcher = self._matcher_of(self.set, None)
        return self._matcher

    def refresh(self, now: datetime) -> bool:
        """Checks the topic files, at most once a second; returns whether any changed."""
        if self._looked_at is not None and self._looked_at <= now < self._looked_at + LOOK_EVERY:
            return False
        is_first, self._looked_at = self._looked_at is None, now
        if is_first and self._cache is not None:
            with suppress(msgspec.DecodeError):
                version, *kept = msgspec.msgpack.decode(read_cached(self._cache), type=_Kept)
                self._seen, self._reads = kept if version == __version__ else ({}, {})
        found = {file.path: (file.inode, file.size, file.modified) for file in self._place.list().files}
        seen = {path: (found[path], found.get(exemplars_path(path))) for path in found if is_topic_path(path)}
        if seen == self._seen and not (is_first and seen):
            return False
        for path in [path for path in seen if seen[path] != self._seen.get(path)]:
            self._reads[path] = self._read(path, exemplars=seen[path][1] is not None)
        for path in [path for path in self._reads if path not in seen]:
            del self._reads[path]
        if self._cache is not None and seen != self._seen:
            with suppress(OSError):
                write_cached(self._cache, msgspec.msgpack.encode((__version__, seen, self._reads)))
        self._seen = seen
        self.set = gathered([self._reads[path] for path in sorted(self._reads)])
        self.topics = {topic.id: topic for topic in self.set.topics}
        if self._matcher is not None:
            self._matcher = self._matcher_of(self.set, self._matcher)
        return True

    def _read(self, path: str, *, exemplars: bool) -> ReadTopic:
        try:
            beside = self._root.read(exemplars_path(path)) if exemplars else b""
            return read_topic(path, self._root.read(path), beside)
        except MemdeckError as error:
            topic = path.removeprefix(FOLDER).removesuffix(".md")
            return ReadTopic(None, (TopicProblem(topic=topic, path=path, line=1, message=error.message),))
