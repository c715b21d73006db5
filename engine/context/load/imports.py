"""Finds what a file imports with `@path`, as Claude Code and Gemini read it."""

import posixpath
import re
from collections.abc import Iterator

from engine.text.markdown import code_mask

_IMPORT = re.compile(r"(?:^|(?<=\s))@([^\s`]+)")
_CODE = re.compile(r"`+[^`\n]*`+")


def imports_of(text: str, path: str) -> Iterator[str]:
    """The workspace-relative paths that a file imports, in order; what lies outside of the workspace as written."""
    lines = text.split("\n")
    for line, in_code in zip(lines, code_mask(lines), strict=True):
        if in_code or "@" not in line:
            continue
        for match in _IMPORT.finditer(_CODE.sub("", line)):
            named = match[1].rstrip(".,;:)")
            if "/" not in named and not named.endswith(".md"):  # `@name` alone is somebody's name
                continue
            inside = posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
            yield named if named.startswith(("/", "~")) else inside


def is_outside(path: str) -> bool:
    """Tells whether a path leaves the workspace."""
    return path.startswith(("/", "~", "..")) or "\0" in path
