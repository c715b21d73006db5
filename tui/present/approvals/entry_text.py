"""Words what stands below an entry while it is written: its faults, and the entries it is like."""

from collections.abc import Sequence

from engine.compactor.semantic.entry import SchemaProblem
from engine.compactor.semantic.entry_edit import matches, read_route
from engine.compactor.semantic.pollution import Duplicate
from engine.text.safe_text import hidden_characters
from tui.present.spans import Line, Span
from tui.present.words import noun, safe, tail

_NAMED = 4  # problems, like titles and hidden characters that are named; the others are counted


def verdict(problems: tuple[SchemaProblem, ...], route_problem: str) -> tuple[Line, ...]:
    """Each problem with its field and the lines that have it, or that there is none."""
    found: dict[tuple[str, str], list[int]] = {}
    for problem in problems:
        found.setdefault((problem.field, problem.rule), []).append(problem.line)
    lines: list[Line] = [
        (Span(f"✗ {_lines(numbers)} ", "blocked"), Span(f"{safe(field)}: ", "strong"), Span(safe(rule), "blocked"))
        for (field, rule), numbers in list(found.items())[:_NAMED]
    ]
    if len(found) > _NAMED:
        lines.append((Span(f"✗ and {noun(len(found) - _NAMED, 'more problem')}", "blocked"),))
    if route_problem:
        lines.append((Span("✗ ", "blocked"), Span(safe(route_problem), "blocked")))
    return tuple(lines) or ((Span("✓ meets the schema", "ok"),),)


def _lines(numbers: list[int]) -> str:
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"lines {numbers[0]}–{numbers[-1]}"
    listed = ", ".join(map(str, numbers[:_NAMED])) + ("…" if len(numbers) > _NAMED else "")
    return f"{'line' if len(numbers) == 1 else 'lines'} {listed}"


def likeness(similar: tuple[Duplicate, ...]) -> tuple[Line, ...]:
    """The titles there are that are like this one."""
    return tuple(
        (
            Span(f"▲ {one.percent} % like ", "risk"),
            Span(f"“{safe(one.other.title)}” ", "strong"),
            Span(f"{tail(one.other.path)}:{one.other.line}", "muted"),
        )
        for one in similar[:_NAMED]
    )


def goes_to(why: str) -> Line:
    """Says above the shard of an entry why it goes there, and how many at once are sent elsewhere."""
    reason = f": {safe(why)}" if why else ""
    return (Span(f"goes to the shard{reason} · `*word*=PATH` sends all with such a title", "muted"),)


def routes_of(number: int, written: str) -> dict[int | str, str]:
    """The routes of what was written as the shard: of this entry, or of all that a pattern of titles names."""
    pattern, path = read_route(written)
    return {pattern: path} if pattern else {number: path}


def many(written: str, titles: Sequence[str]) -> tuple[Line, ...]:
    """The count of entries that a pattern written as the shard names; nothing for a path alone."""
    pattern, _ = read_route(written)
    if not pattern:
        return ()
    able = sum(matches(pattern, title) for title in titles)
    said = f"{noun(able, 'entry', 'entries')} of this plan with such a title"
    return ((Span(f"{'→' if able else '✗'} {said}", "text" if able else "blocked"),),)


def hidden(text: str) -> tuple[Line, ...]:
    """Characters of a text that its field cannot show."""
    found = hidden_characters(text)
    return tuple(
        (Span("! hidden ", "warn"), Span(f"{one.token} ", "hidden"), Span(f"{safe(one.name)}, line {one.line}", "warn"))
        for one in found[:_NAMED]
    )
