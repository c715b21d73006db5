"""Reads YAML with limits: no anchors, aliases, tags or merge keys, no duplicate keys, depth 20. Agents write these
files, and YAML has traps: 254 bytes of aliases expand to megabytes, 500 brackets overflow the stack, `12:30:45` becomes
45045. Every scalar stays the written string (decision C16). The parser's events are checked, so that a document is
refused before it is built."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yaml import Event

MAX_DEPTH = 20  # levels of nesting, each of which takes a call: a file cannot exhaust the stack

Value = Any  # `str`, `list[Value]` or `dict[str, Value]`; written so because a recursive alias helps no caller


class YamlProblem(Exception):
    """A refused document. `line` counts from 1; `limit`: it broke a limit, not the grammar."""

    def __init__(self, reason: str, line: int, *, limit: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.limit = limit


def load(text: str, *, first_line: int = 1) -> Value:
    """Reads the only document in `text`; `""` if empty. Raises `YamlProblem`, with lines from `first_line`."""
    import yaml

    # PyYAML may be built without libyaml.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder(yaml.parse(text, Loader=loader), text, first_line).document()
    except yaml.YAMLError as error:
        raise _from_yaml_error(error, text, first_line) from None
    except UnicodeEncodeError as error:
        raise YamlProblem("a lone surrogate", first_line + text.count("\n", 0, error.start), limit=True) from None


def _from_yaml_error(error: Any, text: str, first_line: int) -> YamlProblem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return YamlProblem(error.problem or error.context, first_line + text.count("\n", 0, mark.index))
    return YamlProblem("a control character", first_line + text.encode()[: error.position].count(b"\n"), limit=True)


class _Builder:
    """Builds the value from parser events, checking every limit on the way."""

    def __init__(self, events: "Iterator[Event]", text: str, first_line: int) -> None:
        import yaml

        self._yaml = yaml
        self._events = events
        self._text = text
        self._first_line = first_line

    def document(self) -> Value:
        yaml = self._yaml
        value: Value = ""
        documents = 0
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._refuse("a second YAML document", event)
                # A directive can give any tag another meaning.
                if event.tags or event.version:
                    raise self._refuse("a YAML directive", event)
            elif isinstance(event, yaml.NodeEvent):
                value = self._value(event, 1)
        return value

    def _refuse(self, reason: str, event: Any) -> YamlProblem:
        return YamlProblem(reason, self._first_line + self._text.count("\n", 0, event.start_mark.index), limit=True)

    def _value(self, event: Any, depth: int) -> Value:
        yaml = self._yaml
        # Nine aliases of aliases make a gigabyte out of a few lines; depth and size would not show it.
        if isinstance(event, yaml.AliasEvent):
            raise self._refuse("an alias (`*name`) is not allowed", event)
        if event.anchor:
            raise self._refuse("an anchor (`&name`) is not allowed", event)
        # `!` alone only says that a scalar is text.
        if event.tag and event.tag != "!":
            raise self._refuse("a tag (`!name`) is not allowed", event)
        if isinstance(event, yaml.ScalarEvent):
            return event.value
        if depth > MAX_DEPTH:
            raise self._refuse(f"nested deeper than {MAX_DEPTH} levels", event)
        return self._mapping(depth) if isinstance(event, yaml.MappingStartEvent) else self._sequence(depth)

    def _sequence(self, depth: int) -> list[Value]:
        items = []
        for event in self._events:
            if isinstance(event, self._yaml.SequenceEndEvent):
                break
            items.append(self._value(event, depth + 1))
        return items

    def _mapping(self, depth: int) -> dict[str, Value]:
        result: dict[str, Value] = {}
        for event in self._events:
            if isinstance(event, self._yaml.MappingEndEvent):
                break
            key = self._key(event, depth)
            # YAML readers differ in which of two they take, so that we and another tool might read different values.
            if key in result:
                raise self._refuse(f"the key `{key[:60]}` a second time", event)
            result[key] = self._value(next(self._events), depth + 1)
        return result

    def _key(self, event: Any, depth: int) -> str:
        key = self._value(event, depth + 1)
        if not isinstance(key, str):
            raise self._refuse("a key that is not plain text", event)
        # Quoted, it is a key like any other.
        if key == "<<" and event.implicit[0]:
            raise self._refuse("a merge key (`<<`) is not allowed", event)
        return key
