"""Escapes lines of a message that look like a turn, a tool's line or a day: no message can forge one (decision D33)."""

import re

_MARKED = re.compile(r"\\*(?:## |> \[|<!-- \d)")
_ESCAPED = re.compile(r"\\+(?:## |> \[|<!-- \d)")
_BREAKS = re.compile("\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
"""Ends of lines in the eyes of any reader, so that none of them sees a mark where another sees none."""


def escaped(text: str) -> str:
    """Puts one more backslash before each line of a message that looks like a mark; every line ends with a newline."""
    # One more backslash also where there are some: what was said can be told from what was escaped.
    return "\n".join(f"\\{line}" if _MARKED.match(line) else line for line in _BREAKS.split(text))


def unescaped(line: str) -> str:
    """The line of a message as it was said."""
    return line[1:] if line.startswith("\\") and _ESCAPED.match(line) else line
