"""Line diffs as rows, the same for the console and for unified text; fast for 20,000 lines."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate, groupby, repeat

import msgspec

from engine.errors import MemdeckError
from engine.plans.line_hunks import matching_runs
from engine.plans.operation import Effect, Rename, Reversal, Withdraw, Write
from engine.plans.plan import Append, Change, Create, Move, Plan
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line

Read = Callable[[str], bytes]
"""Gives the bytes of a workspace path, or of a sha256 in the displaced store; raises `MemdeckError`."""


def bytes_or_none(read: Read, name: str) -> bytes | None:
    """Reads bytes; None where they cannot be read."""
    try:
        return read(name)
    except MemdeckError:
        return None


class RowKind(StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class DiffRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One line of a diff. Line numbers count from 1 and are None on the side that lacks the line."""

    kind: RowKind
    left_no: int | None
    right_no: int | None
    text: str  # the raw line without its newline: never shown before `text_safety.visible`


class LineNote(msgspec.Struct, frozen=True):
    """A note on a changed line: its kind, and what the line says otherwise in words."""

    kind: str
    words: str


class FileDiff(msgspec.Struct, frozen=True, kw_only=True):
    """The difference that one change makes to one file. `to` is the new path of a move."""

    path: str
    to: str | None
    rows: tuple[DiffRow, ...]
    added: int
    removed: int
    note: str = ""
    """The reason why rows may be missing: a pure move, no text, a changed newline at the end."""
    created: bool = False  # there is no such file before
    notes: Mapping[int, tuple[LineNote, ...]] = {}
    """Notes by the line number of the new file; of a line that only goes by that of the old one, below zero."""
    gone: bool = False  # there is no such file afterwards


class Hunk(msgspec.Struct, frozen=True):
    """Changes that stand together, with some lines around. `left` and `right` are the first line and the count."""

    rows: tuple[DiffRow, ...]
    left: tuple[int, int]
    right: tuple[int, int]

    @property
    def header(self) -> str:
        return f"@@ -{self.left[0]},{self.left[1]} +{self.right[0]},{self.right[1]} @@"


def split_lines(text: str) -> list[str]:
    """Gives the lines without their newline. Only "\\n" ends a line, so that a carriage return stays visible."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def line_diff(old: str, new: str) -> tuple[DiffRow, ...]:
    """Gives every line of both texts, removed lines before those that replace them."""
    left, right = split_lines(old), split_lines(new)
    rows: list[DiffRow] = []
    i = j = 0
    # The empty run at the end has what follows the last common line written out.
    for i_same, j_same, length in [*matching_runs(left, right), (len(left), len(right), 0)]:
        rows += map(DiffRow, repeat(RowKind.REMOVED), range(i + 1, i_same + 1), repeat(None), left[i:i_same])
        rows += map(DiffRow, repeat(RowKind.ADDED), repeat(None), range(j + 1, j_same + 1), right[j:j_same])
        i, j = i_same + length, j_same + length
        rows += map(DiffRow, repeat(RowKind.SAME), range(i_same + 1, i + 1), range(j_same + 1, j + 1), left[i_same:i])
    return tuple(rows)


def hunks(rows: Sequence[DiffRow], context: int = 3) -> tuple[Hunk, ...]:
    """Gives the changed rows with up to `context` lines around; hunks that touch become one."""
    spans: list[list[int]] = []
    for start, end in _changed_spans(rows):
        start, end = max(0, start - context), min(len(rows), end + context)
        # Also where they only touch, as every diff program does: no line is shown twice.
        if spans and start <= spans[-1][1]:
            spans[-1][1] = end
        else:
            spans.append([start, end])
    return tuple(_hunks(rows, spans))


def _changed_spans(rows: Sequence[DiffRow]) -> Iterator[tuple[int, int]]:
    at = 0
    for same, group in groupby(rows, key=lambda row: row.kind is RowKind.SAME):
        length = sum(1 for _ in group)
        if not same:
            yield at, at + length
        at += length


def _hunks(rows: Sequence[DiffRow], spans: Sequence[Sequence[int]]) -> Iterator[Hunk]:
    left = right = at = 0
    for start, end in spans:
        left += start - at  # between hunks all rows are the same on both sides
        right += start - at
        taken = tuple(rows[start:end])
        lefts = sum(row.left_no is not None for row in taken)
        rights = sum(row.right_no is not None for row in taken)
        # As in every unified diff, an empty side names the line before it.
        yield Hunk(taken, (left + bool(lefts), lefts), (right + bool(rights), rights))
        left, right, at = left + lefts, right + rights, end


def replacements(rows: Sequence[DiffRow]) -> Iterator[tuple[range, range]]:
    """Yields each run of changed rows as its removed and its added rows; either may be empty."""
    index, count = 0, len(rows)
    while index < count:
        start = index
        while index < count and rows[index].kind is RowKind.REMOVED:
            index += 1
        middle = index
        while index < count and rows[index].kind is RowKind.ADDED:
            index += 1
        if index > start:
            yield range(start, middle), range(middle, index)
        else:
            index += 1


_SIGN: Mapping[RowKind, str] = {RowKind.SAME: " ", RowKind.REMOVED: "-", RowKind.ADDED: "+"}


def unified(diff: FileDiff, context: int = 3, notes: Mapping[int, str] = {}) -> str:
    """Gives the diff as text, hidden characters as tokens, with `notes` behind the lines of the new file."""
    old = "/dev/null" if diff.created else f"a/{visible_line(diff.path)}"
    new = "/dev/null" if diff.gone else f"b/{visible_line(diff.to or diff.path)}"
    lines = [f"--- {old}", f"+++ {new}"]
    if diff.note:
        lines.append(f"\\ {visible_line(diff.note)}")
    for hunk in hunks(diff.rows, context):
        lines.append(hunk.header)
        for row in hunk.rows:
            lines.append(_SIGN[row.kind] + visible_line(row.text))
            if row.kind is RowKind.ADDED and row.right_no is not None and row.right_no in notes:
                lines.append(f"! {notes[row.right_no]}")
    return "\n".join(lines) + "\n"


_WORD = r"(?s)[^\W_\u2e80-\ud7ff]+|\s+|."
"""A word, a run of blanks, or one other character; each Chinese, Japanese or Korean character by itself."""
_MOST_WORDS = 2_000  # words of a line beyond which its words are not compared: it bounds the time of a comparison
_ALIKE = 0.4  # the share of the longer line that both must have for words to be marked; below it marks say nothing

Spans = tuple[tuple[int, int], ...]


def word_marks(old_line: str, new_line: str) -> tuple[Spans, Spans]:
    """Gives the changed characters of a line as (start, end) on each side; none where the lines have little in
    common. The lines must be as shown (`text_safety.visible_line`), so that the positions fit the screen."""
    old, new = re.findall(_WORD, old_line), re.findall(_WORD, new_line)
    if max(len(old), len(new)) > _MOST_WORDS:
        return (), ()
    runs = matching_runs(old, new)
    shared = sum(len(word) for i, _, n in runs for word in old[i : i + n] if not word.isspace())
    if shared < _ALIKE * max(len(old_line), len(new_line), 1):
        return (), ()
    return _unmatched(old, [(i, n) for i, _, n in runs]), _unmatched(new, [(j, n) for _, j, n in runs])


def _unmatched(words: list[str], matched: Sequence[tuple[int, int]]) -> Spans:
    ends = [*accumulate(map(len, words), initial=0)]
    spans = []
    at = 0
    for start, length in [*matched, (len(words), 0)]:
        if start > at:
            spans.append((ends[at], ends[start]))
        at = start + length
    return tuple(spans)


def file_diff(path: str, old: bytes | None, new: bytes | None, *, to: str | None = None) -> FileDiff:
    """Gives the diff between two states of one file; None stands for no file."""
    before, problem = _text(old)
    after, trouble = _text(new)
    note = problem or trouble or _about_the_end(before, after)
    rows = () if problem or trouble else line_diff(before, after)
    kinds = [row.kind for row in rows]
    return FileDiff(
        path=path,
        to=to,
        rows=rows,
        added=kinds.count(RowKind.ADDED),
        removed=kinds.count(RowKind.REMOVED),
        note=note,
        created=old is None,
        gone=new is None,
    )


def _text(data: bytes | None) -> tuple[str, str]:
    from engine.text.document import decode

    try:
        return decode(data or b""), ""
    except MemdeckError as error:
        return "", f"not shown: {error.message}"


def _about_the_end(old: str, new: str) -> str:
    if not old or not new or old.endswith("\n") == new.endswith("\n"):
        return ""
    return "a newline is added at the end" if new.endswith("\n") else "the newline at the end is dropped"


def without_secrets(diff: FileDiff) -> FileDiff:
    """Replaces the secrets on each side of a diff that is only shown."""
    from engine.text.derived import redacted_lines

    texts: dict[DiffRow, str] = {}
    for side in (RowKind.REMOVED, RowKind.ADDED):
        rows = [row for row in diff.rows if row.kind in (RowKind.SAME, side)]
        texts |= dict(zip(rows, redacted_lines([row.text for row in rows]), strict=True))
    return msgspec.structs.replace(diff, rows=tuple(msgspec.structs.replace(row, text=texts[row]) for row in diff.rows))


def change_diffs(plan: Plan, read: Read, numbers: Sequence[int] | None = None) -> tuple[FileDiff, ...]:
    """Gives one diff per change (of `numbers`, or all), in order; each starts from the result of those before. A
    file that cannot be read is noted, and its new content shown all the same."""
    files: dict[str, bytes | None] = {}
    chosen = [change for change in plan.changes if numbers is None or change.n in numbers]
    return tuple(_change_diff(change, files, read) for change in chosen)


def _change_diff(change: Change, files: dict[str, bytes | None], read: Read) -> FileDiff:
    path = change.path
    if isinstance(change, Create):
        files.setdefault(path, None)
    old, problem = _look(path, files, read)
    if isinstance(change, Move):
        files[change.to], files[path] = old, None
        return _moved(path, change.to, old, problem)
    # A lone surrogate cannot be written, and apply refuses it; here it must only be shown.
    added = change.content.encode("utf-8", "backslashreplace")
    new = (old or b"") + added if isinstance(change, Append) else added
    files[path] = new
    diff = file_diff(path, old, new)
    return msgspec.structs.replace(diff, note=problem) if problem else diff


def _look(path: str, files: dict[str, bytes | None], read: Read) -> tuple[bytes | None, str]:
    if path not in files:
        try:
            files[path] = read(path)
        except MemdeckError as error:
            files[path] = None
            return None, f"the file as it is now cannot be shown: {error.message}"
    return files[path], ""


def _moved(path: str, to: str, data: bytes | None, problem: str) -> FileDiff:
    text, unreadable = _text(data)
    count = len(split_lines(text))
    note = problem or ("moved as it is" if unreadable else f"moved as it is, {count} line{'s' * (count != 1)}")
    return FileDiff(path=path, to=to, rows=(), added=0, removed=0, note=note)


def reversal_diffs(reversal: Reversal, read: Read, stored: Read) -> tuple[FileDiff, ...]:
    """Gives a diff for each effect that undoes an operation. `stored` gives displaced bytes by sha256."""
    return tuple(
        _effect_diff(effect, read, stored, {late.path: late.size for late in reversal.late})
        for effect in reversal.effects
    )


def _effect_diff(effect: Effect, read: Read, stored: Read, late: Mapping[str, int]) -> FileDiff:
    match effect:
        case Rename(path=path, to=to, sha256=sha256):
            data, problem = _bytes_of(read, path, sha256)
            if path in late and data is not None and not problem:
                diff = file_diff(path, data[: late[path]], data, to=to)
                return msgspec.structs.replace(diff, note="moved back with the lines that came late")
            return _moved(path, to, data, problem)
        case Withdraw(path=path, before=before):
            old, problem = _bytes_of(read, path, before)
            diff = file_diff(path, old or b"", None)
            return msgspec.structs.replace(diff, note=problem or "taken out of the workspace; its bytes are kept")
        case Write(path=path, before=before, after=after):
            old, problem = (None, "") if before is None else _bytes_of(read, path, before)
            new, trouble = _bytes_of(stored, after, after)
            diff = file_diff(path, old, new)
            with_late = "put back with the lines that came late" if path in late else diff.note
            return msgspec.structs.replace(diff, note=problem or trouble or with_late)


def _bytes_of(read: Read, name: str, sha256: str) -> tuple[bytes | None, str]:
    try:
        data = read(name)
    except MemdeckError as error:
        return None, f"cannot be shown: {error.message}"
    return data, "" if sha256_hex(data) == sha256 else "it changed since: undo will refuse"
