"""Shows where an answer comes from: each prompt line with its share, its place, and its raw turn."""

from engine.services.origins import AnswerOrigin, AnswerOrigins
from tui.present.spans import LazyRows, Line, ListRow, Span, key_line
from tui.present.words import count, noun, safe

NONE = "no line of the prompt shares a rare word with this answer: it is not from there"
ORIGIN_KEYS = key_line(("enter", "opens the file"), ("esc", "back"))
_NO_RAW = Span("no raw log is known to say it", "muted")
_MOST_WORDS = 6  # shared words that are shown of one origin
_LONGEST = 400  # characters of an answer, or of its message, that stand above the list


def share_words(origin: AnswerOrigin) -> str:
    """Returns `41 %`: the share of the answer's word weights that the line contains."""
    return f"{round(origin.share * 100)} %"


def place_words(origin: AnswerOrigin) -> str:
    """Returns `memory/semantic/deploys.md:12`, or the item's name if it has no file."""
    where = origin.path or origin.label
    return safe(f"{where}:{origin.line}" if origin.line else where)


def raw_words(origin: AnswerOrigin) -> str:
    """Returns `raw/…/1845-deploy.md:9`; empty if no log is known or the line is in that log."""
    if origin.raw is None or origin.raw.path == origin.path:
        return ""
    return safe(f"{origin.raw.path}:{origin.raw.start}")


def shared_words(origin: AnswerOrigin) -> str:
    return ", ".join(safe(word) for word in origin.words[:_MOST_WORDS])


def found_words(origins: AnswerOrigins) -> str:
    """Says how many lines of the prompt share rare words with the answer, and the size of the prompt in tokens."""
    if not origins.origins:
        return NONE
    return f"{noun(len(origins.origins), 'line')} of a prompt of {count(origins.tokens)} tokens share its rare words"


def answer_lines(origins: AnswerOrigins) -> tuple[Line, ...]:
    """Shows the message, the answer, and how many lines of the prompt it may come from."""
    asked: Line = (Span("asked   ", "muted"), Span(_short(origins.message), "muted"))
    said: Line = (Span("answer  ", "muted"), Span(_short(origins.answer), "strong"))
    return (*((asked,) if origins.message else ()), said, (Span(found_words(origins), "info"),))


def _short(text: str) -> str:
    line = safe(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


class OriginRows(LazyRows[AnswerOrigin]):
    """Shows a line of the prompt as a row: its share, its text, and its file."""

    def made(self, origin: AnswerOrigin) -> ListRow:
        name = origin.path.rpartition("/")[2] or origin.label
        where = safe(f"{name}:{origin.line}" if origin.line else name)
        return ListRow(
            (Span(f"{share_words(origin):>5}  ", "strong"), Span(safe(origin.text.strip()))),
            (Span(f"  {where}", "info"),),
        )


def origin_lines(origin: AnswerOrigin) -> tuple[Line, ...]:
    """Shows one origin in full, beside the list."""
    raw = raw_words(origin)
    turn: Line = (Span(raw, "info"), Span(f"  {safe(origin.raw_text.strip())}")) if raw else (_NO_RAW,)
    return (
        (Span(safe(origin.text.strip()), "strong"),),
        (),
        (Span("place     ", "muted"), Span(place_words(origin), "info")),
        (Span("raw turn  ", "muted"), *turn),
        (Span("entry     ", "muted"), Span(safe(origin.entry) or "under no heading")),
        (Span("words     ", "muted"), Span(shared_words(origin))),
        (Span("share     ", "muted"), Span(f"{share_words(origin)} of the answer's words by weight")),
        (Span("slot      ", "muted"), Span(origin.slot)),
    )
