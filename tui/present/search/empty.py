"""Words the list without hits: how to ask, and what may help where nothing was found."""

from tui.present.search.question import Filters, SearchOutcome, filters_in_words
from tui.present.spans import Line, Span
from tui.present.words import noun, text_lines

INVITATION = "type to search knowledge, memory and transcripts"
WELCOME = (
    ("rollback Straße", "words, in any language"),
    ("why did we switch?", "a question"),
    ("“blue-green switch”", "words in a row"),
    ("ses_a1b2  C++  io.py", "names, or parts of them"),
)
WELCOME_KEYS = (
    ("enter", "to what was found, where these keys work:"),
    ("c", "one category"),
    ("f", "some days"),
    ("m", "more like the note under the cursor"),
)


def empty_words(
    found: SearchOutcome | None, filters: Filters, saved: int, *, no_notes: bool = False
) -> tuple[Line, ...]:
    """Words the list without hits: how to ask, or why nothing was found and what may help."""
    if found is None or found.asked.nothing:
        keys = (*WELCOME_KEYS, *((("S", noun(saved, "saved search", "saved searches")),) if saved else ()))
        return (
            *((Span(f"{asked:<23}", "accent"), Span(what, "muted")) for asked, what in WELCOME),
            (),
            *((Span(f"{key:<7}", "key"), Span(what, "muted")) for key, what in keys),
        )
    if found.asked.like:
        return ((Span("nothing else is like this note", "muted"),), _key("esc", "back to the query"))
    if no_notes:
        return text_lines("no_notes")
    lines = text_lines("not_found")
    if filters.any:
        narrowed = tuple(words for words, narrows in filters_in_words(filters) if narrows)
        lines += ((), _key("esc", f"removes: {' · '.join(narrowed)}"))
    return lines


def _key(key: str, words: str) -> Line:
    return (Span(key, "key"), Span(f" {words}", "muted"))
