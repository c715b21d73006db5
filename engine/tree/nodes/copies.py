"""Copies of sources: line for line, without their frontmatter, headings demoted, secrets gone (decision C8)."""

import re
from collections.abc import Sequence

from engine.text.document import Document
from engine.text.secrets.detector import find_secrets, redact
from engine.tree.refs import write_from
from engine.workspace.values import LineSpan

_HEADING = re.compile(r"( {0,3})(#{1,5})(?=[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)\Z", re.DOTALL)


def copy_lines(lines: Sequence[str], *, demote: bool) -> tuple[list[str], tuple[str, ...]]:
    """The lines without secrets, and which rules found some; every line stays on its line."""
    text = "\n".join(lines)
    rules = tuple(secret.rule for secret in find_secrets(text))
    copied = (redact(text, keep_lines=True) if rules else text).split("\n") if lines else []
    return (demoted(copied) if demote else copied), rules


def demoted(lines: Sequence[str]) -> list[str]:
    """Every heading outside code one level deeper; the sixth level stays."""
    found: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip():
            fence = ""
        found.append(line if fence or mark else _HEADING.sub(r"\1\2#", line, count=1))
    return found


def stretch(path: str, document: Document, first: int, *, demote: bool) -> tuple[list[str], tuple[str, ...]]:
    """The lines of a document from line `first` on, below the comment that says where they are from."""
    lines = list(document.lines[first - 1 :])
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return [], ()
    copied, rules = copy_lines(lines, demote=demote)
    return [write_from(LineSpan(path, first, first + len(lines) - 1)), *copied], rules
