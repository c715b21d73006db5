"""Edits one span of a topic file's frontmatter and leaves all other bytes as they are (decision G14)."""

import re
from collections.abc import Sequence
from typing import assert_never

import msgspec

from engine.text.frontmatter import read_frontmatter

_SCALAR = re.compile(
    rb"(?P<key>[a-z_]+:[ \t]*)(?P<value>\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^#\r\n]*?)"
    rb"(?P<rest>[ \t]*(?:#[^\r\n]*)?\r?\n?)\Z"
)


class SetKey(msgspec.Struct, frozen=True, tag="set"):
    """Sets a top-level key; a key that is missing is added at the end."""

    key: str
    value: str


class SetPattern(msgspec.Struct, frozen=True, tag="pattern"):
    """Replaces the pattern of the trigger on `line`, counted from 1 in the file."""

    line: int
    old: str
    new: str


class AddKeywords(msgspec.Struct, frozen=True, tag="keywords"):
    """Adds a trigger of these words after the others."""

    words: tuple[str, ...]


Edit = SetKey | SetPattern | AddKeywords


def edited(data: bytes, edit: Edit) -> bytes | None:
    """Gives the file with the edit; None where no single span can be changed for it."""
    block = read_frontmatter(data)
    if block.problem is not None or block.start == block.end:
        return None
    lines = data[block.start : block.end].splitlines(keepends=True)
    done: list[bytes] | None
    match edit:
        case SetKey():
            done = _set_key(lines, edit.key.encode(), edit.value.encode())
        case SetPattern():
            done = _set_pattern(lines, edit)
        case AddKeywords():
            done = _add_keywords(lines, edit.words)
        case _:
            assert_never(edit)
    return None if done is None else data[: block.start] + b"".join(done) + data[block.end :]


def quoted(text: str) -> str:
    """Gives a text in single quotes for YAML."""
    return "'" + text.replace("'", "''") + "'"


def _set_key(lines: list[bytes], key: bytes, value: bytes) -> list[bytes] | None:
    at = next((n for n, line in enumerate(lines) if line.startswith(key + b":")), None)
    if at is None:
        return [*lines[:-1], key + b": " + value + _end(lines), lines[-1]]
    found = _SCALAR.match(lines[at])
    if found is None or not found["value"]:
        return None
    gap = found["key"] if found["key"][-1:] in b" \t" else found["key"] + b" "
    return [*lines[:at], gap + value + found["rest"], *lines[at + 1 :]]


def _set_pattern(lines: list[bytes], edit: SetPattern) -> list[bytes] | None:
    start = edit.line - 1
    if not 0 < start < len(lines) - 1:
        return None
    for at in range(start, _item_end(lines, start)):
        bare = lines[at].lstrip(b" \t")
        indent = lines[at][: len(lines[at]) - len(bare)]
        if bare.startswith(b"- "):
            indent, bare = indent + b"- ", bare[2:]
        found = _SCALAR.match(bare) if bare.startswith((b"match:", b"pattern:")) else None
        if found is not None and found["value"]:
            return [*lines[:at], indent + found["key"] + quoted(edit.new).encode() + found["rest"], *lines[at + 1 :]]
    return None


def _add_keywords(lines: list[bytes], words: Sequence[str]) -> list[bytes] | None:
    end = _end(lines)
    listed = b", ".join(quoted(word).encode() for word in words)
    at = next((n for n, line in enumerate(lines) if line.startswith(b"triggers:")), None)
    if at is None:
        new = [b"triggers:", b"  - type: keywords", b"    words: [" + listed + b"]"]
        return [*lines[:-1], *(line + end for line in new), lines[-1]]
    first = next((n for n in range(at + 1, len(lines) - 1) if lines[n].lstrip().startswith(b"- ")), None)
    if lines[at].partition(b":")[2].strip() or first is None:
        return None
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip(b" "))]
    behind = first
    while behind < len(lines) - 1 and (behind == first or lines[behind].startswith((indent + b"- ", indent + b" "))):
        behind += 1
    new = [indent + b"- type: keywords", indent + b"  words: [" + listed + b"]"]
    return [*lines[:behind], *(line + end for line in new), *lines[behind:]]


def _item_end(lines: list[bytes], start: int) -> int:
    """Gives the index of the first line after the list item that begins on line `start`."""
    indent = lines[start][: len(lines[start]) - len(lines[start].lstrip(b" "))]
    end = start + 1
    while end < len(lines) - 1 and lines[end].startswith(indent + b" "):
        end += 1
    return end


def _end(lines: list[bytes]) -> bytes:
    return b"\r\n" if lines[0].endswith(b"\r\n") else b"\n"
