"""Checks MEMORY.md after a flush: it decodes, parses, and lost no entry (B11). Tells which turns a flush covers."""

import re
from collections.abc import Iterator

from engine.errors import MemdeckError
from engine.plans.plan import Plan
from engine.text.document import Document
from engine.text.markdown import code_mask

FLUSH = "flush"  # the system that saves turns of sessions


def flushed_turns(plan: Plan) -> dict[str, tuple[int, int]]:
    """Gives the first and last turn of each session that a flush saves, by source; none for another system's plan."""
    listed = plan.facts.get("sessions") if plan.system == FLUSH else None
    rows = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    whole = (one for one in rows if {"first", "last"} <= one.keys())
    return {str(one["source"]): (int(one["first"]), int(one["last"])) for one in whole}


def saves_all(plan: Plan, old: Plan) -> bool:
    """Tells whether a flush saves every turn of an older one, in whichever day's log."""
    turns, saved = flushed_turns(old), flushed_turns(plan)
    return bool(turns) and all(
        source in saved and saved[source][0] <= first and saved[source][1] >= last
        for source, (first, last) in turns.items()
    )


_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*")


def integrity_problem(before: bytes | None, after: bytes) -> str:
    """Gives the problem of the file's new bytes, or empty. `before` are its old bytes, None for no file."""
    try:
        document = Document.from_bytes(after)
        problem = document.frontmatter.problem
    except MemdeckError as error:
        return error.message
    if problem:
        return f"its frontmatter: {problem}"
    old = Document.from_bytes(before).lines if before is not None else ()
    known = set(_broken_tables(old))
    broken = next((text for text in _broken_tables(document.lines) if text not in known), "")
    if broken:
        return f"a table lost its columns: {broken[:80]}"
    left = iter(document.lines)
    lost = next((line for line in old if line.strip() and line not in left), None)
    return f"an entry was lost: {lost[:80]}" if lost is not None else ""


def _broken_tables(lines: tuple[str, ...]) -> Iterator[str]:
    """Yields the heads of tables whose number of columns differs from the line below."""
    code = list(code_mask(lines))
    for number in range(1, len(lines)):
        rule, head = lines[number], lines[number - 1]
        if "|" not in rule or code[number] or not _TABLE_RULE.fullmatch(rule) or "|" not in head:
            continue
        if _columns(rule) != _columns(head):
            yield head


def _columns(line: str) -> int:
    return len(re.split(r"(?<!\\)\|", line.strip().strip("|")))
