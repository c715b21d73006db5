"""Reads topic files; a faulty one is disabled and reported with its line (autopoiesis §2.2, D15, D37)."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from engine.errors import MemdeckError
from engine.text.canonical_json import sha256_hex
from engine.text.document import Document
from engine.text.limited_yaml import YamlProblem, load
from engine.topics.files.exemplars import exemplars_path, read_exemplars
from engine.topics.files.trigger_reader import read_trigger, similar
from engine.topics.files.yaml_lines import Place, lines
from engine.topics.topic import Activation, AnyTrigger, Priority, Topic, TopicProblem, TopicSet
from engine.workspace.paths import relative_path

FOLDER = "topics/"
MOST_TRIGGERS = 100  # triggers of one topic; with more, none is read, and the file is reported
MOST_SUBSCRIPTIONS = 100  # paths that one topic subscribes to
LONGEST_DESCRIPTION = 2_000  # characters of a description, which the gate and Tier 2 read
MOST_CONTEXT_KB = 1024.0  # kilobytes that a topic may ask for in the prompt

KEYS = {*Topic.__struct_fields__, "type", "updated", "tags"} - {"id", "path", "sha256", "instructions", "exemplars"}
_OWN_KEYS = ("similarity_threshold", "gate_cut", "activation", "priority", "similarity_only", "max_context_kb")
_YES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

Value = TypeVar("Value")


class ReadTopic(msgspec.Struct, frozen=True):
    """The result of reading one file: the topic, None if an error disabled it, and its problems."""

    topic: Topic | None
    problems: tuple[TopicProblem, ...] = ()


def topic_id(path: str) -> str:
    """Returns the path under `topics/` without `.md` (decision D37)."""
    return path.removeprefix(FOLDER).removesuffix(".md")


def is_topic_path(path: str) -> bool:
    """Tells whether a note's path is a topic's; `README.md` and names with `_` are none."""
    name = path.rpartition("/")[2]
    return path.startswith(FOLDER) and name.endswith(".md") and name != "README.md" and not name.startswith(("_", "."))


def read_topics(contents: Mapping[str, bytes]) -> TopicSet:
    """Reads topics from files by path, with their exemplars."""
    paths = sorted(filter(is_topic_path, contents))
    return gathered([read_topic(path, contents[path], contents.get(exemplars_path(path), b"")) for path in paths])


def gathered(reads: list[ReadTopic]) -> TopicSet:
    """Combines read files to one set."""
    topics = sorted((read.topic for read in reads if read.topic is not None), key=lambda topic: topic.id)
    return TopicSet(topics=tuple(topics), problems=tuple(problem for read in reads for problem in read.problems))


def read_topic(path: str, data: bytes, exemplars: bytes = b"") -> ReadTopic:
    """Reads one topic file and its exemplars. Never raises."""
    try:
        document = Document.from_bytes(data)
    except MemdeckError as error:
        return ReadTopic(None, (TopicProblem(topic=topic_id(path), path=path, line=1, message=error.message),))
    reader = _Reader(path, document)
    topic = reader.topic()
    if topic is not None and exemplars:
        # Both, since verdicts of the gate are kept by this hash (decision D19).
        both = sha256_hex(f"{topic.sha256} {sha256_hex(exemplars)}".encode())
        topic = msgspec.structs.replace(topic, sha256=both, exemplars=read_exemplars(exemplars))
    disabled = any(problem.error for problem in reader.problems)
    return ReadTopic(None if disabled else topic, tuple(sorted(reader.problems, key=lambda problem: problem.line)))


class _Reader:
    def __init__(self, path: str, document: Document) -> None:
        self._path, self._document = path, document
        self._lines: Mapping[Place, int] = {}
        self._written: dict[str, Any] = {}
        self.problems: list[TopicProblem] = []

    def topic(self) -> Topic | None:
        if not self._parse():
            return None
        body = self._document.body.strip("\r\n")
        title = self._text("title") or _title(body) or topic_id(self._path).rpartition("/")[2]
        for key in self._written:
            if key not in KEYS:
                self._add(self._line(key), f"a topic has no `{key[:40]}`{similar(key, KEYS)}", error=False)
        topic = Topic(
            id=topic_id(self._path),
            path=self._path,
            sha256=sha256_hex(self._document.data),
            title=title,
            description=self._text("description", LONGEST_DESCRIPTION) or _first_paragraph(body),
            instructions=body,
            triggers=tuple(self._triggers()),
            subscriptions=tuple(dict.fromkeys(self._subscriptions())),
            activation=self._choice("activation", Activation, Activation.GATED),
            priority=self._choice("priority", Priority, Priority.MEDIUM),
            max_context_kb=self._number("max_context_kb", 4.0, 0.0, MOST_CONTEXT_KB) or 0.0,
            similarity_threshold=self._number("similarity_threshold", None, 0.0, 1.0),
            gate_cut=self._number("gate_cut", None, 0.0, 1.0),
            similarity_only=self._flag("similarity_only", False),
            enabled=self._flag("enabled", True),
        )
        self._idle(topic)
        return topic

    def _parse(self) -> bool:
        block = self._document.frontmatter
        if block.start == block.end:
            problem = block.problem or "line 1: no frontmatter: a topic begins with `---` and its triggers"
            line, _, reason = problem.partition(": ")
            self._add(int(line.removeprefix("line ") or 1), reason)
            return False
        inside = self._document.data[block.start : block.end].decode("utf-8", "replace").replace("\r\n", "\n")
        # Without the two lines of dashes, which would be documents of their own.
        text = "\n".join(inside.split("\n")[1:]).rstrip("\n").removesuffix("---")
        try:
            self._written = load(text, first_line=2) or {}
        except YamlProblem as error:
            self._add(error.line, error.reason + self._misplaced(error.line))
            return False
        if not isinstance(self._written, dict):
            self._add(2, "the frontmatter is no list of `key: value` lines")
            return False
        self._lines = lines(text, first_line=2)
        kind = self._text("type")
        if kind != "topic":
            reason = f"`type` is `{kind[:40]}`, not `topic`" if kind else "`type: topic` is missing"
            self._add(self._line("type"), reason)
        return kind == "topic"

    def _misplaced(self, line: int) -> str:
        """Returns a hint if a topic's key is among the triggers, as in the specification's example; else nothing."""
        for text in self._document.lines[max(0, line - 3) : line + 1]:
            key = text.strip().partition(":")[0]
            if key in _OWN_KEYS and text[:1] in " \t":
                return f"; `{key}` belongs to the topic: write it at the margin, not among the triggers"
        return ""

    # ── fields ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _triggers(self) -> Iterator[AnyTrigger]:
        written = self._written.get("triggers") or []
        if not isinstance(written, list):
            self._add(self._line("triggers"), "`triggers` is a list: each begins with `- type:`")
            return
        if len(written) > MOST_TRIGGERS:
            self._add(self._line("triggers"), f"{len(written):,} triggers, more than {MOST_TRIGGERS}")
            return
        for at, item in enumerate(written):
            trigger, remarks = read_trigger(item, partial(self._line, "triggers", at))
            for line, message, error in remarks:
                self._add(line, message, error=error)
            if trigger is not None:
                yield trigger

    def _subscriptions(self) -> Iterator[str]:
        written = self._written.get("subscriptions") or []
        if not isinstance(written, list) or len(written) > MOST_SUBSCRIPTIONS:
            self._add(self._line("subscriptions"), f"`subscriptions` is a list of at most {MOST_SUBSCRIPTIONS} paths")
            return
        for at, path in enumerate(written):
            try:
                yield relative_path(path if isinstance(path, str) else "")
            except MemdeckError as error:
                where = self._line("subscriptions", at)
                self._add(where, f"a subscription stays inside the workspace: {error.message}: {str(path)[:80]}")

    def _choice(self, key: str, kind: Callable[[str], Value], default: Value) -> Value:
        if not (written := self._text(key)):
            return default
        try:
            return kind(written)
        except ValueError:
            known = [str(each) for each in kind]  # type: ignore[attr-defined]
            self._add(self._line(key), f"`{key}: {written[:40]}` is none of {', '.join(known)}")
            return default

    def _number(self, key: str, default: float | None, low: float, high: float) -> float | None:
        if not (written := self._text(key)):
            return default
        try:
            value = float(written)
        except ValueError:
            value = -1.0
        if not low <= value <= high:
            self._add(self._line(key), f"`{key}` is a number from {low:g} to {high:g}, not `{written[:40]}`")
            return default
        return value

    def _flag(self, key: str, default: bool) -> bool:
        written = self._text(key).lower()
        if written and written not in _YES:
            self._add(self._line(key), f"`{key}` is true or false, not `{written[:40]}`")
        return _YES.get(written, default)

    def _text(self, key: str, longest: int = 200) -> str:
        value = self._written.get(key, "")
        if not isinstance(value, str):
            self._add(self._line(key), f"`{key}` is one value, not a list or a map")
            return ""
        if len(value) > longest:
            self._add(self._line(key), f"`{key}` is longer than {longest:,} characters", error=False)
        return value.strip()[:longest]

    # ── what is to be said ─────────────────────────────────────────────────────────────────────────────────────────

    def _idle(self, topic: Topic) -> None:
        """Adds a remark if nothing can ever activate the topic."""
        by_hand = topic.activation is Activation.MANUAL
        if not (self._written.get("triggers") or topic.similarity_only or by_hand):
            self._add(1, "no triggers and not `similarity_only`: nothing will ever make it active", error=False)

    def _line(self, *place: str | int) -> int:
        return self._lines.get(place, 2 if not place[1:] else self._line(*place[:-1]))

    def _add(self, line: int, message: str, *, error: bool = True) -> None:
        topic = topic_id(self._path)
        self.problems.append(TopicProblem(topic=topic, path=self._path, line=line, message=message, error=error))


def _title(body: str) -> str:
    first = next((line for line in body.splitlines() if line.startswith("# ")), "")
    return first[2:].strip()[:200]


def _first_paragraph(body: str) -> str:
    """Returns the first text outside headings: a description for the gate."""
    for part in body.replace("\r\n", "\n").split("\n\n"):
        plain = "\n".join(line for line in part.split("\n") if not line.startswith("#")).strip()
        if plain:
            return plain[:LONGEST_DESCRIPTION]
    return ""
