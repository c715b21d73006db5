"""Words where an answer comes from: each line with its share, its place, and the raw turn behind it."""

from engine.services.origins import AnswerOrigin, AnswerOrigins
from tui.present.spans import LazyRows, Line, ListRow, Span, key_line
from tui.present.words import count, noun, safe

NONE = "no line of the prompt shares a rare word with this answer: it is not from there"
ORIGIN_KEYS = key_line(("enter", "opens the file"), ("esc", "back"))
_NO_RAW = Span("no raw log is known to say it", "muted")
_MOST_WORDS = 6  # shared words that are shown of one origin
_LONGEST = 400  # characters of an answer, or of its message, that stand above the list


def share_words(origin: AnswerOrigin) -> str:
    """`41 %`: the part of the weight of the answer's words that stands in the line."""
    return f"{round(origin.share * 100)} %"


def place_words(origin: AnswerOrigin) -> str:
    """`memory/semantic/deploys.md:12`; the item's name where it has no file."""
    where = origin.path or origin.label
    return safe(f"{where}:{origin.line}" if origin.line else where)


def raw_words(origin: AnswerOrigin) -> str:
    """`raw/…/1845-deploy.md:9`; empty where no log is known, or the line is of that log itself."""
    if origin.raw is None or origin.raw.path == origin.path:
        return ""
    return safe(f"{origin.raw.path}:{origin.raw.start}")


def shared_words(origin: AnswerOrigin) -> str:
    return ", ".join(safe(word) for word in origin.words[:_MOST_WORDS])


def found_words(found: AnswerOrigins) -> str:
    """One line on the whole: how many lines, of how large a prompt."""
    if not found.origins:
        return NONE
    return f"{noun(len(found.origins), 'line')} of a prompt of {count(found.tokens)} tokens share its rare words"


def answer_lines(found: AnswerOrigins) -> tuple[Line, ...]:
    """The message and the answer, and what was found of it."""
    asked: Line = (Span("asked   ", "muted"), Span(_short(found.message), "muted"))
    said: Line = (Span("answer  ", "muted"), Span(_short(found.answer), "strong"))
    return (*((asked,) if found.message else ()), said, (Span(found_words(found), "info"),))


def _short(text: str) -> str:
    line = safe(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


class OriginRows(LazyRows[AnswerOrigin]):
    """A line of the prompt a row: its share, its text, and the file it is from."""

    def made(self, origin: AnswerOrigin) -> ListRow:
        name = origin.path.rpartition("/")[2] or origin.label
        where = safe(f"{name}:{origin.line}" if origin.line else name)
        return ListRow(
            (Span(f"{share_words(origin):>5}  ", "strong"), Span(safe(origin.text.strip()))),
            (Span(f"  {where}", "info"),),
        )


def origin_lines(origin: AnswerOrigin) -> tuple[Line, ...]:
    """The whole of one origin, to read beside the list."""
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
