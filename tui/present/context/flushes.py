"""Shows the flush history: each compaction, what saved its content, how the window shrank, and the backups."""

from collections.abc import Sequence
from pathlib import PurePath

from engine.services.flushes import SeenCompaction
from engine.sessions.backups import SessionBackup
from tui.present.glyphs import SAVED
from tui.present.spans import Line, Role, Span
from tui.present.words import count, moment, noun, safe, size

NONE = "no compaction of a followed session was seen"


def window_words(seen: SeenCompaction) -> str:
    """Returns `180,000 → 31,000, 82 % less`; no share until the next answer reports the window."""
    after = count(seen.after) if seen.after else "?"
    return f"{count(seen.before)} → {after}{f', {smaller_words(seen)}' if seen.smaller is not None else ''}"


def smaller_words(seen: SeenCompaction) -> str:
    """Returns `82 % less`, plus the expected share if the window shrank less than that (decision B22)."""
    if seen.smaller is None:
        return ""
    return f"{seen.smaller} % less" + (f", under {seen.expected} %" if seen.is_small else "")


def history_lines(seen: Sequence[SeenCompaction], backups: Sequence[SessionBackup]) -> tuple[Line, ...]:
    """Lists the compactions, the newest first, then the backups that are kept."""
    lines: list[Line] = [(Span(noun(len(seen), "compaction") if seen else NONE, "title"),)]
    for cut in seen:
        role: Role = "warn" if cut.is_small else "text"
        lines.append((Span(f"  {moment(cut.at)}  "), SAVED[cut.saved].span, Span(f"  {safe(cut.session)}", "strong")))
        left = f"{safe(cut.trigger) or 'compacted'}: {noun(cut.turns, 'turn')} left, "
        by = f"  by {safe(cut.by)}" if cut.by else ""
        lines.append((Span(f"      {left}", "muted"), Span(window_words(cut), role), Span(by, "muted")))
    lines += [(), (Span(f"{noun(len(backups), 'backup')}, kept 30 days", "title"),)]
    for backup in backups:
        told = f"  {moment(backup.at)}  {size(backup.size)}, {backup.lines:,} lines  "
        lines.append((Span(told), Span(safe(PurePath(backup.source).name), "muted")))
    return tuple(lines)
