"""Finds the line of each value in a YAML document, for error messages."""

from collections.abc import Iterator
from typing import Any

Place = tuple[str | int, ...]  # keys and indices from the top: `("triggers", 0, "match")`


def lines(text: str, *, first_line: int) -> dict[Place, int]:
    """Returns the line of every key and item of a document that `limited_yaml.load` accepted."""
    import yaml

    root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return dict(_walk(root, (), first_line)) if root is not None else {}


def _walk(node: Any, place: Place, first_line: int) -> Iterator[tuple[Place, int]]:
    if node.id == "mapping":
        for key, value in node.value:
            yield (*place, key.value), key.start_mark.line + first_line
            yield from _walk(value, (*place, key.value), first_line)
    elif node.id == "sequence":
        for at, item in enumerate(node.value):
            yield (*place, at), item.start_mark.line + first_line
            yield from _walk(item, (*place, at), first_line)
