"""Words the flush history: each compaction, what saved it, how much smaller the window was, and the backups."""

from collections.abc import Sequence
from pathlib import PurePath

from engine.services.flushes import SeenCompaction
from engine.sessions.backups import SessionBackup
from tui.present.glyphs import SAVED
from tui.present.spans import Line, Role, Span
from tui.present.words import count, moment, noun, safe, size

NONE = "no compaction of a followed session was seen"


def window_words(seen: SeenCompaction) -> str:
    """`180,000 → 31,000, 82 % less`; without the share until the next answer tells the window."""
    after = count(seen.after) if seen.after else "?"
    return f"{count(seen.before)} → {after}{f', {smaller_words(seen)}' if seen.smaller is not None else ''}"


def smaller_words(seen: SeenCompaction) -> str:
    """`82 % less`, and below what is expected that too (decision B22)."""
    if seen.smaller is None:
        return ""
    return f"{seen.smaller} % less" + (f", under {seen.expected} %" if seen.is_small else "")


def history_lines(seen: Sequence[SeenCompaction], backups: Sequence[SessionBackup]) -> tuple[Line, ...]:
    """The history to be read: compactions, the newest first, then the backups that are kept."""
    lines: list[Line] = [(Span(noun(len(seen), "compaction") if seen else NONE, "title"),)]
    for one in seen:
        role: Role = "warn" if one.is_small else "text"
        lines.append((Span(f"  {moment(one.at)}  "), SAVED[one.saved].span, Span(f"  {safe(one.session)}", "strong")))
        left = f"{safe(one.trigger) or 'compacted'}: {noun(one.turns, 'turn')} left, "
        by = f"  by {safe(one.by)}" if one.by else ""
        lines.append((Span(f"      {left}", "muted"), Span(window_words(one), role), Span(by, "muted")))
    lines += [(), (Span(f"{noun(len(backups), 'backup')}, kept 30 days", "title"),)]
    for backup in backups:
        told = f"  {moment(backup.at)}  {size(backup.size)}, {backup.lines:,} lines  "
        lines.append((Span(told), Span(safe(PurePath(backup.source).name), "muted")))
    return tuple(lines)
