"""Flags of notes for the front ends: in what the agent wrote, at first contact, and in what reaches it (G30)."""

from collections.abc import Callable, Collection
from functools import cached_property

from engine.monitoring import note_flags
from engine.plans.flags import is_lasting, poisoned_lines, rule_words
from engine.plans.operation import Operation, OperationKind
from engine.plans.plan import Append, Create, Flag, Replace
from engine.services.open_workspace import OpenWorkspace
from engine.text.canonical_json import sha256_hex
from engine.tree.survey.records import TreeRecords
from engine.workspace.layout import CONVERSATIONS, is_archived
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts

MOST_BYTES, MANY_BYTES = 192 * 1024, 1024 * 1024
"""The most bytes of notes that a look judges, and one that is about changes, beside the always loaded files; the
rest waits. A first contact of 10,000 notes takes 10.1 s of processor time with the first, 10.3 without."""


class FlagService:
    """Judges each note's bytes once, and records that in the operator's state. Not reported again: flags that the
    operator saw or approved, and instructions in the operator's own files at first contact."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened
        self._records: tuple[Operation | None, TreeRecords] | None = None

    def look(self, most: int = MOST_BYTES, late: Callable[[], bool] = lambda: False) -> note_flags.NoteFlags:
        """Gives the flagged lines that the operator has not seen; judges new bytes until `late`, loaded files first."""
        with self._opened.lock:
            snapshot = self._opened.fresh(look=False)
            self._begin()
            # No transcript: it tells who spoke, and is loaded by nobody.
            told = [file for file in snapshot.files.values() if not file.path.startswith(f"{CONVERSATIONS}/")]
            for facts in sorted((file for file in told if file.sha256 not in self._notes.notes), key=_urgency):
                if (most > 0 or _is_first(facts.path)) and not late():
                    self._judged(facts.path, self._opened.root.read_or_none(facts.path) or b"")
                most -= facts.size
            self._save(snapshot)
            lines = [(file.path, self._notes.notes.get(file.sha256)) for file in told]
            found = ((path, line) for path, known in lines for line in known or () if note_flags.is_told(path, line))
            flags = (_flag(path, one) for path, one in found if _key(path, one) not in self._notes.answered)
            ranked = sorted(flags, key=lambda flag: (not _is_first(flag.path), flag.path, flag.line))
            return note_flags.NoteFlags(tuple(ranked), sum(known is None for _, known in lines))

    def of(self, path: str, data: bytes) -> tuple[Flag, ...]:
        """Gives the flags of a file as it reaches the agent, without the operator's known instructions."""
        with self._opened.lock:
            self._begin()
            quiet = note_flags.INSTRUCTIONS if note_flags.is_own_file(path) else ()
            lines = self._judged(path, data)
            kept = (line for line in lines if not (line.rule in quiet and _key(path, line) in self._notes.answered))
            return tuple(Flag(line.line, line.rule) for line in kept)

    def keep(self) -> None:
        """Stores the judgements made for a prompt, which take a second."""
        with self._opened.lock:
            self._save(self._opened.fresh(look=False))

    def known(self, data: bytes) -> tuple[Flag, ...] | None:
        """The flags of a note that was judged, None of any other: judging a new one loads the classifier."""
        with self._opened.lock:
            lines = self._notes.notes.get(sha256_hex(data))
            return None if lines is None else tuple(Flag(one.line, one.rule) for one in lines)

    def looked(self, paths: Collection[str] | None = None) -> None:
        """Records that the operator saw the flagged lines of these notes, by default all, as far as judged."""
        with self._opened.lock:
            self._begin()
            snapshot = self._opened.fresh(look=False)
            for path in snapshot.files if paths is None else snapshot.files.keys() & paths:
                self._notes.answer(_key(path, one) for one in self._notes.notes.get(snapshot.files[path].sha256) or ())
            self._save(snapshot)

    def operation_ended(self) -> None:
        """Records the flagged lines of the last operation's approved plan as seen."""
        newest = next(iter(self._opened.operations), None)
        if newest is None or newest.kind is not OperationKind.APPLY or newest.approval is None:
            return
        for change in self._opened.queue.load(newest.plan).changes:
            if change.n in newest.numbers and isinstance(change, Create | Append | Replace) and change.flagged:
                self._begin()
                self._notes.answer(
                    _key(change.path, line) for line in note_flags.flagged_lines(change.content, change.flagged)
                )
        self._save(self._opened.fresh(look=False))

    def _begin(self) -> None:
        """Accepts, at first contact, the instructions in the operator's own files."""
        if self._notes.is_new:
            own = (path for path in self._opened.fresh(look=False).files if note_flags.is_own_file(path))
            lines = [line for path in own for line in self._judged(path, self._opened.root.read_or_none(path) or b"")]
            self._notes.answer(_key("AGENTS.md", line) for line in lines if line.rule in note_flags.INSTRUCTIONS)

    def _judged(self, path: str, data: bytes) -> tuple[note_flags.FlaggedLine, ...]:
        sha256 = sha256_hex(data)
        if sha256 not in self._notes.notes:
            text = data.decode("utf-8", "replace")
            flags = poisoned_lines(text, lambda: self._own_marks(path, text))
            self._notes.notes[sha256], self._notes.changed = note_flags.flagged_lines(text, flags), True
        return self._notes.notes[sha256]

    def _own_marks(self, path: str, text: str) -> Collection[int]:
        from engine.compactor.semantic.entry import field_lines
        from engine.tree.root.mirror import status_lines

        newest = next(iter(self._opened.operations), None)
        if self._records is None or self._records[0] != newest:
            self._records = newest, self._opened.records.tree()
        return field_lines(path, text) | status_lines(path, text, self._records[1])

    def _save(self, snapshot: Snapshot) -> None:
        if not (self._opened.database.read_only or self._opened.what_if):
            self._notes.save({facts.sha256 for facts in snapshot.files.values()})

    @cached_property
    def _notes(self) -> note_flags.FlaggedNotes:
        return note_flags.FlaggedNotes(self._opened.state.path / "flags")


def _urgency(facts: FileFacts) -> tuple[bool, bool, bool, int, str]:
    """Gives the order of judging: always loaded files, topics, then the newest notes, archived ones last."""
    path = facts.path
    return not _is_first(path), path[:7] != "topics/", is_archived(path), -facts.date.day.toordinal(), path


def _is_first(path: str) -> bool:
    return is_lasting(path) or note_flags.is_own_file(path)


def _key(path: str, line: note_flags.FlaggedLine) -> str:
    """Gives the key of a seen line: shared by notes of the same weight, never by files that an agent always gets."""
    return f"{'own' if note_flags.is_own_file(path) else 'lasting' if is_lasting(path) else 'note'} {line.key}"


def _flag(path: str, row: note_flags.FlaggedLine) -> note_flags.NoteFlag:
    return note_flags.NoteFlag(path=path, line=row.line, rule=row.rule, words=rule_words((row.rule,)), text=row.text)
