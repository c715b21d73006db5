"""Words the flagged lines of notes, with the words that plans have for them (decision G30)."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from engine.plans.flags import rule_words
from engine.plans.plan import Flag
from tui.present.glyphs import FLAGGED
from tui.present.spans import Line, Span
from tui.present.words import noun, safe

if TYPE_CHECKING:
    from engine.monitoring.note_flags import NoteFlag, NoteFlags


def flag_line(flag: "NoteFlag") -> Line:
    """`⚑ MEMORY.md:14 an instruction to the agent that reads it  “Ignore all …”`."""
    where = Span(f" {safe(flag.path)}:{flag.line} ", "text")
    return (FLAGGED.mark, where, Span(flag.words, FLAGGED.role), Span(f"  “{safe(flag.text.strip())}”", "muted"))


def flags_title(flags: "NoteFlags") -> Line:
    """` ⚑ 3 flagged lines`; nothing where there is none."""
    return (Span(f" {FLAGGED.glyph} {noun(len(flags.flags), 'flagged line')}", FLAGGED.role),) if flags.flags else ()


def unread_words(flags: "NoteFlags") -> str:
    """Says how many notes are still to be judged; empty where none is."""
    return f"{noun(flags.unread, 'note')} not looked through for poison yet: the next looks do" if flags.unread else ""


def file_flags(flags: Iterable[Flag]) -> Mapping[int, str]:
    """The rules in words that lines of a file break, by their number."""
    rules: dict[int, tuple[str, ...]] = {}
    for one in flags:
        rules[one.line] = (*rules.get(one.line, ()), one.rule)
    return {line: rule_words(broken) for line, broken in rules.items()}


def flags_json(flags: Iterable[Flag]) -> list[dict[str, object]]:
    """The key `flags` of a file in JSON: line, rule and words."""
    return [{"line": flag.line, "rule": flag.rule, "words": rule_words((flag.rule,))} for flag in flags]
