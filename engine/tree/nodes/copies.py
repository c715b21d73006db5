"""Copies of sources: line for line, without their frontmatter, headings demoted, secrets gone (decision C8)."""

from collections.abc import Sequence

from engine.text.document import Document
from engine.text.markdown import code_mask, heading_of
from engine.text.secrets.detector import find_secrets, redact
from engine.tree.source_references import write_from
from engine.workspace.values import LineSpan


def copy_lines(lines: Sequence[str], *, demote: bool) -> tuple[list[str], tuple[str, ...]]:
    """The lines without secrets, and which rules found some; every line stays on its line."""
    text = "\n".join(lines)
    rules = tuple(secret.rule for secret in find_secrets(text))
    copied = (redact(text, keep_lines=True) if rules else text).split("\n") if lines else []
    return (demoted(copied) if demote else copied), rules


def demoted(lines: Sequence[str]) -> list[str]:
    """Every heading outside code one level deeper; the sixth level stays."""
    return [line if inside else _demoted(line) for line, inside in zip(lines, code_mask(lines), strict=True)]


def _demoted(line: str) -> str:
    heading = heading_of(line)
    return line.replace("#", "##", 1) if heading is not None and heading.level < 6 else line


def stretch(path: str, document: Document, first: int, *, demote: bool) -> tuple[list[str], tuple[str, ...]]:
    """The lines of a document from line `first` on, below the comment that says where they are from."""
    lines = list(document.lines[first - 1 :])
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return [], ()
    copied, rules = copy_lines(lines, demote=demote)
    return [write_from(LineSpan(path, first, first + len(lines) - 1)), *copied], rules
