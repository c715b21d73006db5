"""Reads JSON with comments, trailing commas or JSON5, with the place of each value, and edits its text."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine.errors import Damaged

Insertions = list[tuple[int, str]]
"""Insertions, each with its offset in the text after the earlier ones."""
DEEPEST = 200  # levels of a document; a deeper one is no settings file
_BLANK = re.compile(r"(?:\s|﻿|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.DOTALL)
_WORD = re.compile(r"[^\s,:\[\]{}\"'/]+")
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None}


class JsonNode(NamedTuple):
    """A value with its place in the text. `parts`: the members of an object or list; `names`: those of an object."""

    start: int
    end: int
    value: Any
    parts: "tuple[JsonNode, ...]" = ()
    names: tuple[str, ...] = ()
    begins: tuple[int, ...] = ()  # the offsets at which the parts begin, their names included

    def at(self, name: str) -> "JsonNode | None":
        """The value of that name in an object; the last of several."""
        found = [part for part_name, part in zip(self.names, self.parts, strict=False) if part_name == name]
        return found[-1] if found else None


def read_json(text: str, where: str) -> JsonNode:
    """Parses a text. Raises `Damaged` if it is not JSON."""
    reader = _Reader(text, where)
    node = reader.value(reader.blank(0), 0)
    if reader.blank(node.end) != len(text):
        raise reader.wrong(node.end)
    return node


class _Reader:
    def __init__(self, text: str, where: str) -> None:
        self._text, self._where = text, where

    def wrong(self, at: int) -> Damaged:
        line = self._text.count("\n", 0, at) + 1
        return Damaged(f"line {line} is no JSON that memdeck can read", where=self._where)

    def blank(self, at: int) -> int:
        """The offset after white space and comments."""
        match = _BLANK.match(self._text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> JsonNode:
        opening = self._text[at : at + 1]
        if depth > DEEPEST:
            raise self.wrong(at)
        if opening in ("{", "["):
            return self._group(at, depth, closing="}" if opening == "{" else "]")
        return self._scalar(at, self._word)

    def _group(self, at: int, depth: int, closing: str) -> JsonNode:
        parts: list[JsonNode] = []
        names: list[str] = []
        begins: list[int] = []
        place = self.blank(at + 1)
        while self._text[place : place + 1] != closing:
            begins.append(place)
            if closing == "}":
                name = self._scalar(place, lambda word, _: word)
                names.append(name.value)
                place = self.blank(name.end)
                if self._text[place : place + 1] != ":":
                    raise self.wrong(place)
                place = self.blank(place + 1)
            parts.append(self.value(place, depth + 1))
            place = self.blank(parts[-1].end)
            if self._text[place : place + 1] == ",":
                place = self.blank(place + 1)
            elif self._text[place : place + 1] != closing:
                raise self.wrong(place)
        values = [part.value for part in parts]
        value = dict(zip(names, values, strict=True)) if closing == "}" else values
        return JsonNode(at, place + 1, value, tuple(parts), tuple(names), tuple(begins))

    def _scalar(self, at: int, read: Callable[[str, int], Any]) -> JsonNode:
        """A string, or a word as converted by `read`."""
        if (string := _STRING.match(self._text, at)) is not None:
            return JsonNode(at, string.end(), self._string(string[0], at))
        if (word := _WORD.match(self._text, at)) is None:
            raise self.wrong(at)
        return JsonNode(at, word.end(), read(word[0], at))

    def _string(self, token: str, at: int) -> str:
        inside = token[1:-1].replace("\\\n", "")
        if token[0] == "'":
            inside = inside.replace("\\'", "'").replace('"', '\\"')
        try:
            return str(json.loads(f'"{inside}"', strict=False))
        except ValueError as error:
            raise self.wrong(at) from error

    def _word(self, token: str, at: int) -> Any:
        if token in _CONSTANTS:
            return _CONSTANTS[token]
        try:
            return json.loads(token.removeprefix("+"))
        except ValueError as error:
            # Numbers of JSON5 (`.5`, `0x1F`, `Infinity`) stay as they are written: nobody here reckons with them.
            if re.fullmatch(r"[+-]?(?:\.?\d[\w.+-]*|Infinity|NaN)", token):
                return token
            raise self.wrong(at) from error


def add_to(text: str, group: JsonNode, value: Any, name: str = "") -> Insertions:
    """Inserts a value after all others of an object or list, in their layout."""
    outer = _indent(text, group.start)
    step = _step(text)
    first = group.begins[0] if group.begins else 0
    own_line = group.begins and not text[text.rfind("\n", 0, first) + 1 : first].strip()
    inner = _indent(text, first) if own_line else outer + step
    body = json.dumps(value, indent=step, ensure_ascii=False).replace("\n", f"\n{inner}")
    body = f"\n{inner}{json.dumps(name, ensure_ascii=False)}: {body}" if name else f"\n{inner}{body}"
    close = group.end - 1
    last = group.parts[-1].end if group.parts else group.start + 1
    gap = text[last:close]
    behind = last + len(gap.rstrip())
    if "\n" not in text[behind:close]:
        body += f"\n{outer}"
    if not group.parts or "," in re.sub(r"//[^\n]*|/\*.*?\*/", "", gap, flags=re.DOTALL):
        return [(behind, body)]
    # A comment behind the last value stays beside it.
    return [(last, f",{body}")] if behind == last else [(last, ","), (behind + 1, body)]


def take_from(text: str, group: JsonNode, at: int) -> str:
    """Removes one member of an object or list, with its comma."""
    begin, end = group.begins[at], group.parts[at].end
    begin -= len(text[:begin]) - len(text[:begin].rstrip())
    before, after = text[:begin], text[end:]
    comma = _Reader(after, "").blank(0)
    if after[comma : comma + 1] == ",":
        return before + after[:comma] + after[comma + 1 :]
    if at:
        place = _Reader(text, "").blank(group.parts[at - 1].end)
        before = before[:place] + before[place + 1 :]
    return before + after


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str) -> str:
    found = re.search(r"\n([ \t]+)[\"'\w]", text)
    return found[1] if found else "  "


def applied(text: str, insertions: Sequence[tuple[int, str]]) -> str:
    """The text after the insertions, made one after the other."""
    for at, more in insertions:
        text = text[:at] + more + text[at:]
    return text


def taken_back(text: str, insertions: Sequence[tuple[int, str]]) -> str | None:
    """The text before the insertions; None if the text is not their result."""
    for at, more in reversed(insertions):
        if text[at : at + len(more)] != more:
            return None
        text = text[:at] + text[at + len(more) :]
    return text
