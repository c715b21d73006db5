"""Finds what programs wrote into a note: code, stack traces, tool output, diffs and comments."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from engine.text.markdown import fence_after, fence_of
from engine.text.pattern_file import PatternFile

CODE = "code line"
TRACE = "stack trace line"
DIFF = "diff line"
COMMENT = "HTML comment line"
TOOL = "tool output line"

_LEAD = re.compile(r"[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d+[.)][ \t]+)?")  # blanks and a mark in front of a fence
_FORMS = PatternFile(
    __package__, "noise.toml", "trace_start trace_line trace_end diff_start diff_line result_start tool any"
)
AT_ONCE = 50_000  # lines looked at together: a million of 13 bytes, joined and encoded, would take 26 MB


def found_in(lines: Sequence[str], search: Callable[[bytes], object]) -> bool:
    """Tells whether `search` finds anything within a line. Lone surrogates, possible in JSON, become `?`."""
    parts = ("\n".join(lines[at : at + AT_ONCE]) for at in range(0, len(lines), AT_ONCE))
    return any(search(part.encode("utf-8", "replace")) for part in parts)


@cache
def _any() -> Any:
    import re2

    return re2.compile(_FORMS.texts["any"].encode())


def machine_lines(lines: Sequence[str]) -> dict[int, str]:
    """Returns, by line index from 0, the reason why a line is not prose."""
    if not found_in(lines, _any().search):  # a walk could find nothing
        return {}
    walk = _Walk(lines)
    return {index: reason for index, line in enumerate(lines) if (reason := walk.reason(index, line))}


class _Walk:
    """Goes once through a note's lines, and knows the block that each is in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._fence = ""
        self._inside = ""  # the reason that holds until its block ends, for comments, traces and diffs
        self._last_fence = _last_fences(lines)
        self._last_comment_end = max((index for index, line in enumerate(lines) if "-->" in line), default=-1)
        self._blank_before = True
        self._in_list = False

    def reason(self, index: int, line: str) -> str:
        """Returns why this line is omitted; empty if it is not."""
        if self._fence:
            self._fence = fence_after(self._fence, line.strip(" \t>"))
            return CODE
        if self._inside == COMMENT:
            self._inside = "" if "-->" in line else COMMENT
            return COMMENT
        if not line or line.isspace():
            self._inside = ""
            self._blank_before = True
            return ""
        reason = self._going_on(line) or self._starts(index, line)
        self._blank_before = False
        if not line[0].isspace():
            self._in_list = line[0] in "-*+•" or line[0].isdigit()
        return reason

    def _going_on(self, line: str) -> str:
        if self._inside == DIFF:
            if _FORMS["diff_line"].match(line):
                return DIFF
            self._inside = ""
        elif self._inside == TOOL:
            return TOOL
        elif self._inside == TRACE:
            if line[0].isspace() or _FORMS["trace_line"].match(line):
                return TRACE
            self._inside = ""
            return TRACE if _FORMS["trace_end"].match(line) else ""
        return ""

    def _starts(self, index: int, line: str) -> str:
        if ("```" in line or "~~~" in line) and (fence := fence_of(_LEAD.sub("", line, count=1))):
            # A fence that is never closed would hide the rest of the note: then only its own line is left out.
            if self._last_fence.get(fence[0][0], -1) > index:
                self._fence = fence[0]
            return CODE
        if "<!--" in line and line.rfind("-->") < line.rfind("<!--") and self._last_comment_end > index:
            self._inside = COMMENT
            return COMMENT if line.lstrip().startswith("<!--") else ""
        if _FORMS["trace_start"].match(line):
            self._inside = TRACE
            return TRACE
        if _FORMS["diff_start"].match(line):
            self._inside = DIFF
            return DIFF
        if _FORMS["trace_line"].match(line):
            return TRACE
        if _FORMS["result_start"].fullmatch(line):
            self._inside = TOOL
            return TOOL
        if _FORMS["tool"].match(line):
            return TOOL
        indented = self._blank_before and not self._in_list and line.expandtabs(4).startswith("    ")
        return CODE if indented else ""


def _last_fences(lines: Sequence[str]) -> dict[str, int]:
    last: dict[str, int] = {}
    for index, line in enumerate(lines):
        bare = line.strip(" \t>")
        if bare[:3] in ("```", "~~~") and not bare.strip(bare[0]):
            last[bare[0]] = index
    return last
