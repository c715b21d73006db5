"""Shows the faults of an entry while the operator writes it, and the entries that resemble it."""

from collections.abc import Sequence

from engine.compactor.semantic.entry import SchemaProblem
from engine.compactor.semantic.entry_edit import matches, read_route
from engine.compactor.semantic.pollution import Duplicate
from engine.text.safe_text import hidden_characters
from tui.present.spans import Line, Span
from tui.present.words import noun, safe, tail

_NAMED = 4  # problems, like titles and hidden characters that are named; the others are counted


def verdict(problems: tuple[SchemaProblem, ...], route_problem: str) -> tuple[Line, ...]:
    """Lists each problem with its field and lines, or says that the entry meets the schema."""
    lines_of: dict[tuple[str, str], list[int]] = {}
    for problem in problems:
        lines_of.setdefault((problem.field, problem.rule), []).append(problem.line)
    lines: list[Line] = [
        (Span(f"✗ {_lines(numbers)} ", "blocked"), Span(f"{safe(field)}: ", "strong"), Span(safe(rule), "blocked"))
        for (field, rule), numbers in list(lines_of.items())[:_NAMED]
    ]
    if len(lines_of) > _NAMED:
        lines.append((Span(f"✗ and {noun(len(lines_of) - _NAMED, 'more problem')}", "blocked"),))
    if route_problem:
        lines.append((Span("✗ ", "blocked"), Span(safe(route_problem), "blocked")))
    return tuple(lines) or ((Span("✓ meets the schema", "ok"),),)


def _lines(numbers: list[int]) -> str:
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"lines {numbers[0]}–{numbers[-1]}"
    listed = ", ".join(map(str, numbers[:_NAMED])) + ("…" if len(numbers) > _NAMED else "")
    return f"{'line' if len(numbers) == 1 else 'lines'} {listed}"


def likeness(similar: tuple[Duplicate, ...]) -> tuple[Line, ...]:
    """Lists the existing entries whose titles resemble this one, with the similarity in percent."""
    return tuple(
        (
            Span(f"▲ {duplicate.percent} % like ", "risk"),
            Span(f"“{safe(duplicate.other.title)}” ", "strong"),
            Span(f"{tail(duplicate.other.path)}:{duplicate.other.line}", "muted"),
        )
        for duplicate in similar[:_NAMED]
    )


def goes_to(why: str) -> Line:
    """Says why an entry goes to its shard, and how a pattern sends several entries elsewhere."""
    reason = f": {safe(why)}" if why else ""
    return (Span(f"goes to the shard{reason} · `*word*=PATH` sends all with such a title", "muted"),)


def routes_of(number: int, written: str) -> dict[int | str, str]:
    """Maps what was typed as the shard to a route: for this entry, or for every title that a pattern matches."""
    pattern, path = read_route(written)
    return {pattern: path} if pattern else {number: path}


def many(written: str, titles: Sequence[str]) -> tuple[Line, ...]:
    """Counts the entries that match the pattern typed as the shard; empty for a path without a pattern."""
    pattern, _ = read_route(written)
    if not pattern:
        return ()
    able = sum(matches(pattern, title) for title in titles)
    said = f"{noun(able, 'entry', 'entries')} of this plan with such a title"
    return ((Span(f"{'→' if able else '✗'} {said}", "text" if able else "blocked"),),)


def hidden(text: str) -> tuple[Line, ...]:
    """Names the characters of a text that its field cannot show, with their lines."""
    return tuple(
        (
            Span("! hidden ", "warn"),
            Span(f"{sign.token} ", "hidden"),
            Span(f"{safe(sign.name)}, line {sign.line}", "warn"),
        )
        for sign in hidden_characters(text)[:_NAMED]
    )
