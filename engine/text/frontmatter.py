"""Reads a note's frontmatter with limits, without ever raising (design §3, decisions C9, C16); and writes it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from engine.text.limited_yaml import YamlProblem, load

if TYPE_CHECKING:
    from frontmatter.default_handlers import BaseHandler
    from yaml import ScalarNode, SequenceNode

MAX_BYTES = 64 * 1024  # the longest block that is read, fences included

_BOM = b"\xef\xbb\xbf"
_OPEN = re.compile(rb"---[ \t]*\r?(?:\n|\Z)")
_CLOSE = re.compile(rb"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_EMPTY_CLOSE = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*?---[ \t]*\r?(?:\n|\Z)")
# A block whose first line is no `key:` is a thematic break with prose below it, not metadata.
_KEY_LINE = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[^\s:#-][^\n]*?:(?:[ \t\r\n]|\Z)")

# The simple spelling that nearly all notes use is read without YAML, in a tenth of the time; anything else takes the
# long way. A property test holds both ways together. No character below means anything to YAML where it is allowed.
_CHAR = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
_FIRST = rf"{_CHAR} \-!\"#%&'*,:>?@\[\\\]`{{|}}]"
_PLAIN = rf"{_FIRST}(?:{_CHAR}:#]|:(?![ ]|\Z)|(?<! )#)*"
_ITEM = rf"{_FIRST}{_CHAR}:#,?\[\]{{}}'\"]*"
_KEY = r"[A-Za-z_][A-Za-z0-9_.-]{0,99}"
# These are compiled where they are first asked for: together they take as long as a fifth of Python's start.
_SIMPLE = (
    rf"({_KEY}):(?:\ +(?:({_PLAIN})|\"({_CHAR}\"\\]*)\"|'({_CHAR}']*)'|\[\ *((?:{_ITEM}(?:,\ *{_ITEM})*)?)\]))?\ *\Z"
)
_SIMPLE_LENGTH = 500  # longer lines are rare, and patterns must not be given room to backtrack
_SIMPLE_ITEM = rf"(\ *)-\ (?:({_PLAIN})|\"({_CHAR}\"\\]*)\"\ *|'({_CHAR}']*)'\ *)\Z"
_SKIPPED = rf"\ *\Z|#{_CHAR}]*\Z"
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENTRY = re.compile(r"([^\s#:\-][^:\n]*):(?:\s+(.*))?\Z", re.DOTALL)

Values = dict[str, str | list[str]]


class Frontmatter(msgspec.Struct, frozen=True):
    """The metadata of a note, nested maps flattened (`metadata.type`), maps in lists as JSON. `start`, `end`: byte
    offsets of the block with fences, equal if there is none; `body_line`: the body's first line, from 1. `problem`: the
    fault with its line; entries that are valid alone are still in `values` (C15)."""

    values: Values
    start: int
    end: int
    problem: str | None
    body_line: int


def read_frontmatter(data: bytes) -> Frontmatter:
    """Reads the frontmatter at the top of `data`, with the limits of design §3; never raises."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    opening = _OPEN.match(data, start)
    if opening is None or not _KEY_LINE.match(data, opening.end(), start + MAX_BYTES):
        return _empty_block(data, start, opening)
    closing = _CLOSE.search(data, opening.end(), start + MAX_BYTES)
    if closing is None:
        reason = "never ends" if len(data) - start <= MAX_BYTES else f"does not end within {MAX_BYTES // 1024} KB"
        return Frontmatter({}, start, start, f"line 1: the frontmatter that starts here {reason}", 1)
    block = data[opening.end() : closing.start()]
    values, problem = _read_block(block)
    return Frontmatter(values, start, closing.end(), problem, block.count(b"\n") + 3)


def _empty_block(data: bytes, start: int, opening: re.Match[bytes] | None) -> Frontmatter:
    """Returns an empty frontmatter, for no block or for fences around blank lines and comments."""
    if opening is not None:
        closing = _EMPTY_CLOSE.match(data, opening.end(), start + MAX_BYTES)
        if closing:
            line = data.count(b"\n", start, closing.end()) + 1
            return Frontmatter({}, start, closing.end(), None, line if closing[0].endswith(b"\n") else line + 1)
    return Frontmatter({}, start, start, None, 1)


def _read_block(block: bytes) -> tuple[Values, str | None]:
    try:
        text = block.decode()
    except UnicodeDecodeError as error:
        line = 2 + block.count(b"\n", 0, error.start)
        return {}, f"line {line}: not UTF-8"
    if (simple := read_simple(text)) is not None:
        return simple, None
    try:
        return read_yaml(text), None
    except YamlProblem as problem:
        return {} if problem.limit else _entries_alone(text), f"line {problem.line}: {problem.reason}"


def read_simple(text: str) -> Values | None:
    """Reads a block in the simple spelling; None if it needs YAML."""
    values: Values = {}
    items: list[str] | None = None
    indent = ""
    for raw in text.split("\n"):
        line = raw[:-1] if raw.endswith("\r") else raw
        if len(line) > _SIMPLE_LENGTH:
            return None
        if (entry := re.match(_SIMPLE, line)) is not None:
            key, plain, double, single, flow = entry.groups()
            if key in values:
                return None
            values[key] = value = _simple_value(plain, double, single, flow)
            items = None if value or line.rstrip(" ") != key + ":" else []
        elif not re.match(_SKIPPED, line):
            item = re.match(_SIMPLE_ITEM, line)
            if item is None or items is None or (items and item[1] != indent):
                return None
            indent = item[1]
            items.append((item[2] or "").rstrip(" ") or item[3] or item[4] or "")
            values[next(reversed(values))] = items
    return values


def _simple_value(plain: str | None, double: str | None, single: str | None, flow: str | None) -> str | list[str]:
    if plain is not None:
        return plain.rstrip(" ")
    if flow is not None:
        return [item.strip(" ") for item in flow.split(",")] if flow else []
    return double or single or ""


def read_yaml(text: str) -> Values:
    """Reads a block as YAML, counting lines from the fence above; raises `YamlProblem`."""
    tree = load(text, first_line=2)
    if tree == "":
        return {}
    if not isinstance(tree, dict):
        raise YamlProblem("not a list of `key: value` lines", 2)
    values: Values = {}
    for key, value in _flat(tree, ""):
        if key in values:
            raise YamlProblem(f"the key `{key[:60]}` a second time, nested and with a dot", 2, limit=True)
        values[key] = value
    return values


def _flat(tree: dict[str, Any], prefix: str) -> Iterator[tuple[str, str | list[str]]]:
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            yield prefix + key, [_text(item) for item in value]
        else:
            yield prefix + key, _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _entries_alone(text: str) -> Values:
    """Reads an invalid block entry by entry; an invalid entry keeps its text."""
    values: Values = {}
    for entry in _top_level(text):
        found = _ENTRY.match(entry)
        if found is None or found[1].rstrip() in values:
            continue
        try:
            values.update(read_yaml(entry))
        except YamlProblem as problem:
            if not problem.limit and "\n" not in entry:
                values[found[1].rstrip()] = (found[2] or "").strip()
    return values


def _top_level(text: str) -> Iterator[str]:
    """Yields the entries of a block: each unindented line with the indented lines below."""
    entry: list[str] = []
    for line in text.splitlines():
        if entry and line[:1] not in (" ", "\t", "-", ""):
            yield "\n".join(entry).rstrip("\n")
            entry = []
        entry.append(line)
    if entry:
        yield "\n".join(entry).rstrip("\n")


def write_frontmatter(values: Mapping[str, str | Sequence[str]]) -> str:
    """Writes a fenced block for `read_frontmatter`; `ValueError` for a bad key. Lone surrogates become U+FFFD."""
    for key in values:
        if not re.fullmatch(_KEY, key):
            raise ValueError(f"not a key for frontmatter: {key!r}")
    entries = (_entry(key, value if isinstance(value, str) else tuple(value)) for key, value in values.items())
    return "".join(("---\n", *entries, "---\n"))


_BARE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]*")  # a path, a date or a hash: text that YAML writes as it is


@lru_cache(maxsize=2048)
def _entry(key: str, value: str | tuple[str, ...]) -> str:
    """Writes one entry, cached, since a tree is rewritten with few changed entries."""
    # The library writes these alike in 0.2 ms, which was a fifth of the time of planning a compaction.
    if isinstance(value, str) and _BARE.fullmatch(value):
        return f"{key}: {value}\n"
    return _handler().export({key: value}) + "\n"


@cache
def _handler() -> "BaseHandler":
    """Returns the YAML handler for strings only, which quotes no value for looking like a date or number."""
    from frontmatter.default_handlers import YAMLHandler
    from yaml import SafeDumper  # not the one in C: its bytes are other ones for the same values

    class Strings(SafeDumper):
        """Writes plain text plainly, everything else in double quotes, and a list on one line (decision C15)."""

        def ignore_aliases(self, data: object) -> bool:
            return True  # one list under two keys would become an anchor, which nobody here reads

    def text(dumper: Strings, value: str, plain: str = _PLAIN) -> "ScalarNode":
        said = _SURROGATE.sub("\ufffd", value)
        fits = said == said.strip() and re.fullmatch(plain, said)
        return dumper.represent_scalar("tag:yaml.org,2002:str", said, style=None if fits else '"')

    def texts(dumper: Strings, values: Sequence[str]) -> "SequenceNode":
        found = dumper.represent_sequence("tag:yaml.org,2002:seq", (), flow_style=True)
        found.value = [text(dumper, value, _ITEM) for value in values]
        return found

    Strings.yaml_implicit_resolvers = {}
    Strings.add_representer(str, text)
    for kind in (list, tuple):
        Strings.add_representer(kind, texts)

    class Handler(YAMLHandler):
        def export(self, metadata: dict[str, object], **_: object) -> str:
            return super().export(metadata, Dumper=Strings, sort_keys=False, width=float("inf"))

    return Handler()
