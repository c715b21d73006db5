"""Shows the flagged lines of notes in the same words as those of plans (decision G30)."""

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
    """Returns `⚑ MEMORY.md:14 an instruction to the agent that reads it  “Ignore all …”`."""
    where = Span(f" {safe(flag.path)}:{flag.line} ", "text")
    return (FLAGGED.mark, where, Span(flag.words, FLAGGED.role), Span(f"  “{safe(flag.text.strip())}”", "muted"))


def flags_title(flags: "NoteFlags") -> Line:
    """Returns ` ⚑ 3 flagged lines`; empty without any."""
    return (Span(f" {FLAGGED.glyph} {noun(len(flags.flags), 'flagged line')}", FLAGGED.role),) if flags.flags else ()


def unread_words(flags: "NoteFlags") -> str:
    """Counts the notes that are not yet checked for poison; empty if there are none."""
    return f"{noun(flags.unread, 'note')} not looked through for poison yet: the next looks do" if flags.unread else ""


def file_flags(flags: Iterable[Flag]) -> Mapping[int, str]:
    """Maps the numbers of flagged lines to the rules that they break, in words."""
    rules: dict[int, tuple[str, ...]] = {}
    for flag in flags:
        rules[flag.line] = (*rules.get(flag.line, ()), flag.rule)
    return {line: rule_words(broken) for line, broken in rules.items()}


def flags_json(flags: Iterable[Flag]) -> list[dict[str, object]]:
    """Returns the JSON key `flags` of a file: line, rule and words of each flag."""
    return [{"line": flag.line, "rule": flag.rule, "words": rule_words((flag.rule,))} for flag in flags]
