"""Tells prose from what machines wrote into a note: code, stack traces, tool output, diffs, comments, conflicts."""

import re

_FENCE = re.compile(r"[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})([^`]*)$")
_TRACE_START = re.compile(
    r"\s*(?:Traceback \(most recent call last\)|panic: |goroutine \d+ \[|thread '[^']*' .*panicked at )"
)
_TRACE_LINE = re.compile(
    r"\s*(?:at [\w$.<>/\[\] ]+ ?\(.*\)$|at \S+:\d+:\d+$|File \"[^\"]+\", line \d+|Caused by: |\.\.\. \d+ more$|#\d+\s+0x[0-9a-f]+ )"
)
_TRACE_END = re.compile(r"[\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b")
_DIFF_START = re.compile(
    r"(?:diff --git |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|(?:---|\+\+\+) (?:[ab]/|/dev/null)|index [0-9a-f]{7,}\.\.)"
)
_DIFF_LINE = re.compile(r"[ +\-\\@]|(?:diff|index|new|deleted|rename|similarity) ")
_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7})(?: |$)|={7}$")
_TOOL = re.compile(
    r"\s*(?:[-*] )?\[?(?:tool|tool[_ ](?:call|use|result|output)|function[_ ]call|工具|ツール)\b ?[:：\]]|\s*<(?:/?)(?:tool|function|invoke|result)[_\w]*[ >]"
    r"|\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\]?\s+\[?(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|TRACE)\b"
    r"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]+:|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ \S+:|\s*\$ \S|\s*(?:PS [A-Z]:\\|>>> )"
    r"|\s*[{}\[\]][\s{}\[\],;]*$|\s*\"[^\"]+\"\s*:\s*[\"\[{\d tfn]",
    re.IGNORECASE,
)
_COMMENT_OPEN = re.compile(r"<!--(?!.*-->)")


class Noise:
    """Goes through a note's lines in order and names the reason why one is not prose, or gives an empty string."""

    def __init__(self, lines: list[str]) -> None:
        self._fence = ""
        self._trace = self._diff = self._comment = False
        self._closers = _fence_lines(lines)
        self._last_comment_end = max((index for index, line in enumerate(lines) if "-->" in line), default=-1)
        self._blank_before = True
        self._in_list = False

    def reason(self, index: int, line: str) -> str:
        if self._fence:
            return self._inside_fence(line)
        if self._comment:
            self._comment = "-->" not in line
            return "HTML comment line"
        if not line or line.isspace():
            self._trace = self._diff = False
            self._blank_before = True
            return ""
        reason = self._machine(index, line)
        self._blank_before = False
        if not line[0].isspace():
            self._in_list = line[0] in "-*+•" or line[0].isdigit()
        return reason

    def _machine(self, index: int, line: str) -> str:
        if self._trace or self._diff:
            reason = self._going_on(line)
            if reason:
                return reason
        if "```" in line or "~~~" in line:
            return self._opens_fence(index, line)
        if "<!--" in line and _COMMENT_OPEN.search(line):
            self._comment = self._last_comment_end > index
            return "HTML comment line" if self._comment and line.lstrip().startswith("<!--") else ""
        if _TRACE_START.match(line):
            self._trace = True
            return "stack trace line"
        if _TRACE_LINE.match(line):
            return "stack trace line"
        if _DIFF_START.match(line):
            self._diff = True
            return "diff line"
        if line[0] in "<>=|" and _CONFLICT.match(line):
            return "merge-conflict marker"
        if _TOOL.match(line):
            return "tool output line"
        if self._blank_before and not self._in_list and line[:1] in " \t" and line.expandtabs(4).startswith("    "):
            return "code line"
        return ""

    def _inside_fence(self, line: str) -> str:
        if line.strip(" \t>").startswith(self._fence) and not line.strip(" \t>").strip(self._fence[0]):
            self._fence = ""
        return "code line"

    def _opens_fence(self, index: int, line: str) -> str:
        match = _FENCE.match(line)
        if match is None:
            return ""
        mark = match[1]
        # A fence that is never closed would hide the rest of the note: then only its own line is left out.
        if self._closers.get(mark[0], -1) > index:
            self._fence = mark
        return "code line"

    def _going_on(self, line: str) -> str:
        if self._diff:
            if _DIFF_LINE.match(line):
                return "diff line"
            self._diff = False
            return ""
        if line[0].isspace() or _TRACE_LINE.match(line):
            return "stack trace line"
        self._trace = False
        return "stack trace line" if _TRACE_END.match(line) else ""


def _fence_lines(lines: list[str]) -> dict[str, int]:
    """The last line that could close a fence of each mark."""
    last: dict[str, int] = {}
    for index, line in enumerate(lines):
        bare = line.strip(" \t>")
        if bare[:3] in ("```", "~~~") and not bare.strip(bare[0]):
            last[bare[0]] = index
    return last
