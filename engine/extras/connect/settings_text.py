"""Inserts values into a settings file (JSON, TOML, YAML) and removes them, leaving every other byte as it was."""

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import yaml

from engine.errors import Damaged, Refused
from engine.extras.connect.json_text import Insertions, JsonNode, add_to, applied, read_json, take_from
from engine.extras.connect.tool_data import Format

_OURS = re.compile(
    r"(?:memdeck|tui\.cli)\b.*\b(?:hook (?:prompt|start|stop|compact|loaded)|hooks \S+ --event|plan tree --scheduled)\b"
)
"""Commands of memdeck, including those of earlier versions."""


class Wanted(NamedTuple):
    """A value for a place in a settings file. `item`: as an item of the list there."""

    place: tuple[str, ...]
    value: Any
    item: bool


class EditedText(NamedTuple):
    """The edited text, the insertions that lead to it, and the containers that were new."""

    text: str
    steps: Insertions
    brought: tuple[tuple[str, ...], ...]


def with_values(text: str, form: Format, wanted: Sequence[Wanted], where: str) -> EditedText:
    """Inserts the wanted values, unless they are there already. Raises `Refused` for an unknown form."""
    steps: Insertions = []
    brought: list[tuple[str, ...]] = []
    for entry in wanted:
        try:
            value = _value_of(text, form, where)
            if _holds(value, entry):
                continue
            brought += [place for place in _containers(entry) if not _is_there(value, place) and place not in brought]
            more = _FORMS[form](text, entry, where)
            text = applied(text, more)
            if not _holds(_value_of(text, form, where), entry):
                raise _unknown(where, entry.place)
        except (yaml.YAMLError, ValueError, Damaged) as error:
            raise _unknown(where, entry.place, str(error).splitlines()[0][:200]) from error
        steps += more
    return EditedText(text, steps, tuple(brought))


def without_values(text: str, form: Format, wanted: Sequence[Wanted], steps: Insertions, where: str) -> str:
    """Removes our values from a file that was changed since. `steps` are the insertions."""
    if form == "json":
        for entry in wanted:
            text = _without(text, entry, where)
        return text
    for _, made in reversed(steps):
        text = text.replace(made, "", 1) if text.count(made) == 1 else text
    return text


def without_empty(text: str, brought: Sequence[tuple[str, ...]], where: str) -> str:
    """Removes from JSON those containers that memdeck added and that are empty now."""
    for place in sorted(brought, key=len, reverse=True):
        path = _nodes(read_json(text, where), place)
        if len(path) > len(place) and not path[-1].parts:
            text = take_from(text, path[-2], path[-2].names.index(place[-1]))
    return text


def holds_all(text: str, form: Format, wanted: Sequence[Wanted], where: str) -> bool:
    """Tells whether a text contains all wanted values. An unreadable text contains none."""
    try:
        value = _value_of(text, form, where)
    except (yaml.YAMLError, ValueError, Damaged):
        return False
    return all(_holds(value, entry) for entry in wanted)


def _containers(wanted: Wanted) -> list[tuple[str, ...]]:
    most = len(wanted.place) if wanted.item else len(wanted.place) - 1
    return [wanted.place[:depth] for depth in range(1, most + 1)]


def _is_there(value: Any, place: Sequence[str]) -> bool:
    for name in place:
        if not isinstance(value, dict) or name not in value:
            return False
        value = cast("dict[str, Any]", value)[name]
    return True


def _without(text: str, wanted: Wanted, where: str) -> str:
    """Removes from JSON a value of ours, every command of ours in that list, and every server of that name."""
    place = wanted.place if wanted.item else wanted.place[:-1]
    path = _nodes(read_json(text, where), place)
    group = path[-1]
    if len(path) <= len(place):
        return text
    if wanted.item:
        ours = [at for at, part in enumerate(group.parts) if part.value == wanted.value or is_ours(part.value)]
    else:
        ours = [at for at, name in enumerate(group.names) if name == wanted.place[-1]]
    return _without(take_from(text, group, ours[-1]), wanted, where) if ours else text


def is_ours(value: Any) -> bool:
    """Tells whether an item of a list of hooks starts memdeck."""
    return _OURS.search(json.dumps(value, ensure_ascii=False)) is not None


def _nodes(document: JsonNode, place: Sequence[str]) -> list[JsonNode]:
    """The existing nodes along a place, from the document on."""
    path = [document]
    for name in place:
        if (found := path[-1].at(name)) is None:
            break
        path.append(found)
    return path


def _json(text: str, wanted: Wanted, where: str) -> Insertions:
    path = _nodes(read_json(text, where), wanted.place)
    missing = wanted.place[len(path) - 1 :]
    group = path[-1]
    if not missing and wanted.item and isinstance(group.value, list):
        return add_to(text, group, wanted.value)
    if not missing or not isinstance(group.value, dict):
        raise _unknown(where, wanted.place)
    value: Any = [wanted.value] if wanted.item else wanted.value
    for name in reversed(missing[1:]):
        value = {name: value}
    return add_to(text, group, value, missing[0])


def _toml(text: str, wanted: Wanted, where: str) -> Insertions:
    rows = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in wanted.value.items())
    gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    return [(len(text), f"{gap}[{'.'.join(wanted.place)}]\n{rows}")]


def _yaml(text: str, wanted: Wanted, where: str) -> Insertions:
    body = json.dumps(wanted.value, ensure_ascii=False)
    node: Any = yaml.compose(text)
    missing = list(wanted.place)
    while isinstance(node, yaml.MappingNode) and missing:
        if not (found := [value for key, value in node.value if key.value == missing[0]]):
            break
        node, missing = found[-1], missing[1:]
    if node is None or (isinstance(node, yaml.MappingNode) and missing and len(missing) == len(wanted.place)):
        gap = "" if not text or text.endswith("\n") else "\n"
        return [(len(text), gap + _block(missing, body, 0, wanted.item))]
    at, indent = _first_child(text, node, where, wanted.place)
    if isinstance(node, yaml.SequenceNode) and wanted.item and not missing:
        return [(at, f"{' ' * indent}- {body}\n")]
    if isinstance(node, yaml.MappingNode) and missing:
        return [(at, _block(missing, body, indent, wanted.item))]
    raise _unknown(where, wanted.place)


def _first_child(text: str, node: Any, where: str, place: Sequence[str]) -> tuple[int, int]:
    """The start of the line of a block's first child, and its indentation."""
    if getattr(node, "flow_style", True) or not node.value:
        raise _unknown(where, place)
    mark = (node.value[0] if isinstance(node, yaml.SequenceNode) else node.value[0][0]).start_mark
    start = text.rfind("\n", 0, mark.index) + 1
    line = text[start : mark.index]
    return start, len(line) - len(line.lstrip(" "))


def _block(names: Sequence[str], body: str, indent: int, item: bool) -> str:
    rows = [f"{' ' * (indent + 2 * level)}{name}:" for level, name in enumerate(names)]
    if item:
        return "\n".join(rows) + f"\n{' ' * (indent + 2 * len(names))}- {body}\n"
    return "\n".join(rows) + f" {body}\n"


_FORMS = {"json": _json, "toml": _toml, "yaml": _yaml}


def _value_of(text: str, form: Format, where: str) -> Any:
    match form:
        case "json":
            return read_json(text, where).value
        case "toml":
            return tomllib.loads(text)
        case "yaml":
            return yaml.safe_load(text)


def _holds(value: Any, wanted: Wanted) -> bool:
    if not _is_there(value, wanted.place):
        return False
    for name in wanted.place:
        value = value[name]
    return wanted.value in value if wanted.item and isinstance(value, list) else bool(value == wanted.value)


def _unknown(where: str, place: Sequence[str], more: str = "") -> Refused:
    what = f"its form is not one that memdeck knows, at {'.'.join(place)}"
    return Refused(
        f"{what}: {more}" if more else what, where=where, hint="paste it in by hand: memdeck connect --print"
    )
