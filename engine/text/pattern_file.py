"""Reads a file of patterns: TOML, in which `«NAME»` stands for the part of that name above it."""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from engine.errors import Damaged

_PART = re.compile("«([A-Z_]+)»")


def pattern_file(package: str, name: str) -> dict[str, Any]:
    """The table of a file without its `[parts]`, every pattern written out; `Damaged` names the file and the fault."""
    try:
        table = tomllib.loads(files(package).joinpath(name).read_text("utf-8"))
        parts: dict[str, str] = {}
        for part, pattern in table.pop("parts", {}).items():
            parts[part] = _whole(pattern, parts)
        return {key: _whole(value, parts) for key, value in table.items()}
    except tomllib.TOMLDecodeError as error:
        raise Damaged(str(error), where=name) from error
    except KeyError as error:
        raise Damaged(f"no part above is called {error}", where=name) from error


def _whole(value: Any, parts: Mapping[str, str]) -> Any:
    """A value whose texts have their parts written out, at any depth."""
    match value:
        case str():
            return _PART.sub(lambda found: parts[found[1]], value)
        case list():
            return [_whole(one, parts) for one in value]
        case dict():
            return {key: _whole(one, parts) for key, one in value.items()}
    return value
