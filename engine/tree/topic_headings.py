"""Reads topics in headings and in the four spellings of `topics:`, and writes one spelling (decisions C15, C20)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import msgspec

from engine.text.pattern_file import PatternFile

KNOWN_TYPES = frozenset({"project", "user", "feedback", "reference"})
DEFAULT_TYPE = "project"
NEVER_SHRUNK = frozenset({"user", "feedback"})
"""Types that stay whole on every level (tree §Type-Aware Compaction Rules)."""
KEPT_WHOLE = NEVER_SHRUNK | {"reference"}
"""Types whose lines contain kept text instead of chosen phrases; of a reference its URL (C28)."""
LONGEST_TOPIC = 80  # characters of a topic's name

_TAG = re.compile(r"\s*\[([^\[\]]{0,60})\]\s*\Z")
_AGE = re.compile(r"([0-9]+)\s*d\Z")
_SPLIT = re.compile(r",(?![^\[\]]*\])")
_WORDS = PatternFile(__package__, "topic_headings.toml", "no_topic generic empty aside numbering edges behind_title")
_WORD = re.compile(r"[^\W\d_]{2,}|[\u3400-\u9fff\uac00-\ud7a3\u3040-\u30ff]")


class TreeTopic(msgspec.Struct, frozen=True, order=True):
    """A topic and its type. `done`: its project is completed (decision C25)."""

    name: str
    type: str = DEFAULT_TYPE
    done: bool = False

    @property
    def key(self) -> str:
        """The key that spellings of one topic share."""
        return " ".join(self.name.casefold().split())

    @property
    def known(self) -> bool:
        return self.type in KNOWN_TYPES

    def __str__(self) -> str:
        return f"{self.name} [{self.type}{', done' if self.done else ''}]"


class Heading(msgspec.Struct, frozen=True):
    """A heading: its words without the tag, its topic (empty for a mere time), and its tag."""

    text: str
    topic: str
    type: str | None


@lru_cache(maxsize=16384)
def read_heading(text: str) -> Heading:
    """Splits a heading into words, topic without times, and type, its last bracket (decision C20)."""
    bare = text.strip().strip("#").strip()
    found = _TAG.search(bare)
    if not found or not found[1].strip():
        return Heading(bare, topic_name(_without_aside(bare)), None)
    tag, bare = found[1].split(",")[0].strip().casefold(), bare[: found.start()].rstrip()
    # A tagged heading has a topic whatever its words: its tag where there are none (decision C29).
    without_times = " ".join(_WORDS["no_topic"].sub(" ", bare).split())
    named = topic_name(bare) or (tag and (clean_topic(without_times) or clean_topic(bare) or tag))
    return Heading(bare, named, tag)


def topic_name(text: str) -> str:
    """Returns a heading's topic: no times, dates, ids, numbers, or words such as "session" (C31). May be empty."""
    words = _WORDS["empty"].sub(" ", _WORDS["no_topic"].sub(" ", text))
    words = _WORDS["edges"].sub("", _WORDS["numbering"].sub("", " ".join(words.split())))
    if not _WORD.search(words) or not _tells(words):
        return ""
    before, *behind = _WORDS["behind_title"].split(words, 1)
    return clean_topic(behind[0] if behind and not _tells(before) and _tells(behind[0]) else words)


def _tells(words: str) -> bool:
    """Tells whether the words have one that is not common to all headings."""
    folded = words.casefold()
    return any(not word.isdigit() and word not in _WORDS.words("generic") for word in re.findall(r"\w+", folded))


def _without_aside(text: str) -> str:
    """Removes brackets at the end of a heading if words are left."""
    left = _WORDS["aside"].sub("", text)
    return left if _WORD.search(left) else text


def clean_topic(text: str) -> str:
    """Returns a name that is safe in our list: no commas, brackets or line ends, at most `LONGEST_TOPIC`."""
    return " ".join(re.sub(r"[,\[\]\r\n]+", " ", text).split())[:LONGEST_TOPIC].strip(" ,;:")


def read_topics(values: Mapping[str, str | list[str]]) -> tuple[TreeTopic, ...]:
    """Reads `topics:` in any spelling: `auth [project], timezone [user]`, `[auth, timezone]`, a block list, `[auth
    [project], timezone [user]]` (invalid YAML), or maps in a list."""
    return tuple({topic.key: topic for topic in _all_topics(values)}.values())


def _all_topics(values: Mapping[str, str | list[str]]) -> Iterator[TreeTopic]:
    stated = values.get("topics", "")
    parts = stated if isinstance(stated, list) else _SPLIT.split(_unwrapped(stated.strip()))
    yield from filter(None, map(_read_one, parts))
    for key, value in values.items():
        name = clean_topic(key.removeprefix("topics.")) if key.startswith("topics.") else ""
        if name and isinstance(value, str):
            yield TreeTopic(name, value.strip().casefold() or DEFAULT_TYPE)


def _unwrapped(text: str) -> str:
    """Removes brackets around the whole text; else returns it unchanged."""
    depth = 0
    for place, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if depth == 0:
            return text[1:-1] if char == "]" and place == len(text) - 1 else text
    return text


def _read_one(part: str) -> TreeTopic | None:
    part = part.strip().strip("\"'")
    if part.startswith("{"):
        return _read_map(part)
    found = _TAG.search(part)
    name = clean_topic(part[: found.start()] if found else part)
    type_, *more = [one.strip().casefold() for one in found[1].split(",")] if found else [""]
    if not name:
        return None
    return TreeTopic(name, type_ if type_ and not _AGE.match(type_) else DEFAULT_TYPE, "done" in more)


def _read_map(part: str) -> TreeTopic | None:
    try:
        value = msgspec.json.decode(part, type=dict[str, str])
    except msgspec.DecodeError:
        return None
    name = clean_topic(value.get("name") or value.get("topic") or next(iter(value), ""))
    type_ = value.get("type") or value.get(name) or DEFAULT_TYPE
    return TreeTopic(name, type_.casefold()) if name else None


def write_topics(topics: Iterable[TreeTopic]) -> str:
    """Writes topics: `auth [project], timezone [user]`, and `auth [project, done]` if completed."""
    return ", ".join(str(topic) for topic in topics)


def merged_type(one: str, other: str) -> str:
    """Returns the type of a topic that is tagged twice: one that never shrinks, else the later one."""
    return next((kept for kept in ("user", "feedback") if kept in (one, other)), other)
