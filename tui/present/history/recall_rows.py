"""Shows the past on the screen: notes at an instant, answers, a slider through time, and a note's text."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from engine.monitoring.recall.blame import Blame, BlameOrigin, OriginKind
from engine.monitoring.recall.occurrences import Occurrence
from engine.monitoring.recall.past_tree import PastFile
from engine.monitoring.recall.timeline import Reach, Teller, Version
from engine.plans.diff import FileDiff, file_diff, unified, without_secrets
from engine.text.document import shown_text
from engine.text.secrets.detector import redact
from tui.present.history.recall_words import (
    TELLERS,
    occurrence_words,
    origin_words,
    reach_words,
    told_by,
    version_words,
)
from tui.present.markdown import body_start
from tui.present.source_lines import numbered_lines
from tui.present.spans import LazyRows, Line, ListRow, Role, Span
from tui.present.words import moment, noun, safe, shortened

if TYPE_CHECKING:
    from engine.services.recall import PastFileText

LATEST, _SHOWN = 8, 24  # changes of a file that are told of, and lines of each
SLIDER = 28  # cells of the slider
_ORIGINS: dict[OriginKind, Role] = {
    OriginKind.OPERATION: "ok",
    OriginKind.TURN: "info",
    OriginKind.COMMIT: "muted",
    OriginKind.UNKNOWN: "warn",
}


class NoteRows(LazyRows[PastFile]):
    """Shows the notes of an instant with their last change and its source; a sign marks uncertain ones."""

    def __init__(self, files: Sequence[PastFile], room: Callable[[], int] = lambda: 1 << 10) -> None:
        """Takes `room`, the cells of a row; longer paths are shortened, their names last."""
        super().__init__(files)
        self._room = room

    def made(self, file: PastFile) -> ListRow:
        sure = Span("  ", "muted") if file.sure else Span("? ", "warn")
        day = f"{file.changed:%Y-%m-%d}  " if file.changed is not None else ""
        teller = f"{day}{file.teller.value} {safe(file.ref[:8] if file.teller is Teller.GIT else file.ref)}".rstrip()
        path = shortened(safe(file.path), max(12, self._room() - len(teller) - 4))
        return ListRow((sure, Span(path)), (Span(teller, "muted"),))


class AnswerRows(LazyRows[Occurrence]):
    """Shows when a text came and went, in the order in which the answers were found."""

    def made(self, answer: Occurrence) -> ListRow:
        head, _ = occurrence_words(answer)
        return ListRow((Span(f"{head}  ", "accent"), Span(safe(answer.path))), (Span(answer.teller.value, "muted"),))


def days_of(reaches: Sequence[Reach], now: datetime) -> tuple[datetime, ...]:
    """Returns the instants of the slider: the end of each day since the earliest known one, and now."""
    first = min((reach.since for reach in reaches if reach.since is not None), default=now).astimezone(now.tzinfo)
    end = first.replace(hour=23, minute=59, second=59, microsecond=999_999)
    count = max(0, (now - end).days + 1)
    return (*(at for at in (end + timedelta(days=day) for day in range(count)) if at < now), now)


def slider(days: Sequence[datetime], at: int) -> Line:
    """Returns `2026-01-02 ●────────── 2026-03-15   2026-01-05 23:59`."""
    place = round((SLIDER - 1) * at / max(1, len(days) - 1))
    bar = "─" * place + "●" + "─" * (SLIDER - 1 - place)
    now = "  now" if at == len(days) - 1 else ""
    return (
        Span(f"{days[0]:%Y-%m-%d} ", "muted"),
        Span(bar, "accent"),
        Span(f" {days[-1]:%Y-%m-%d}  ", "muted"),
        Span(moment(days[at]), "title"),
        Span(now, "ok"),
    )


def reach_lines(reaches: Sequence[Reach]) -> tuple[Line, ...]:
    """Returns `known back to: git 2025-10-16 · operations 2026-01-12`; a line per source if one knows nothing."""
    days = [(reach.teller, reach.since.date()) for reach in reaches if reach.since is not None]
    if len(days) < len(reaches):
        return tuple((Span(words, "muted"),) for words in reach_words(reaches))
    return ((Span(f"known back to: {' · '.join(f'{TELLERS[teller]} {day}' for teller, day in days)}", "muted"),),)


def answer_lines(occurrence: Occurrence) -> tuple[Line, ...]:
    """Shows one answer in full: when, its source, and the lines."""
    head, told = occurrence_words(occurrence)
    lines: list[Line] = [(Span(head, "title"),), (Span(safe(occurrence.path)),), (Span(safe(told), "muted"),), ()]
    lines += [(Span(f"{number:>5}  ", "muted"), Span(safe(text))) for number, text in occurrence.lines]
    return tuple(lines)


def text_lines(past: "PastFileText") -> tuple[Line, ...]:
    """Shows a note as it was, below what is known of that version; its frontmatter is one line."""
    head: list[Line] = [(Span(safe(line), "muted"),) for line in version_words(past)]
    data = past.version.data if past.version is not None else None
    body = redact(shown_text(data or b""), keep_lines=True).split("\n")
    start = body_start(body)
    folded: tuple[Line, ...] = ((Span(f"frontmatter, {noun(start, 'line')}", "fold"),),) if start else ()
    return (*head, (), *folded, *numbered_lines(start + 1, tuple(body[start:])))


def blame_lines(blame: Blame) -> tuple[Line, ...]:
    """Shows the lines of a note grouped by origin, each group below its author and time."""
    rows: list[Line] = []
    above: BlameOrigin | None = None
    for line in blame.lines:
        if line.origin != above:
            who, when = origin_words(line.origin)
            rows.append((Span(f"{safe(who)}  ", _ORIGINS[line.origin.kind]), Span(when, "muted")))
        above = line.origin
        rows.append((Span(f"  {safe(line.text)}"),))
    return (*rows, (), *((Span(safe(line), "muted"),) for line in reach_words(blame.reaches)))


def diff_lines(diffs: Sequence[FileDiff]) -> tuple[Line, ...]:
    """Compares a past note with the note as it is now."""
    if not diffs:
        return ((Span("the same as it is now", "muted"),),)
    roles: dict[str, Role] = {"+": "added", "-": "removed", "@": "muted"}
    text = "".join(unified(diff) for diff in diffs)
    return tuple((Span(line, roles.get(line[:1], "text")),) for line in text.rstrip("\n").split("\n"))


def change_lines(versions: Sequence[Version]) -> tuple[Line, ...]:
    """Lists the latest changes of a file, the newest first: time, source, and changed lines."""
    lines: list[Line] = []
    pairs = [(old, new) for old, new in pairwise(versions) if old.data != new.data and not (old.lost or new.lost)]
    for old, new in reversed(pairs[-LATEST:]):
        diff = without_secrets(file_diff(new.path, old.data, new.data))
        told = (Span(f"+{diff.added} −{diff.removed}  ", "accent"), Span(safe(told_by(new)), "muted"))
        changed = [line for line in diff_lines((diff,))[2:] if line[0].text[:1] in "+-"]
        lines += [told, *changed[:_SHOWN], ()]
    return tuple(lines) or ((Span("no change of it is known", "muted"),),)


def answers_title(text: str, count: int, *, over: bool) -> Line:
    state = Span("" if over else "  looking…", "info")
    return (Span("When ", "title"), Span(f"“{safe(text)}”", "strong"), Span(f" ⟨{count}⟩", "muted"), state)
