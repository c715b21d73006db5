"""Reads new messages from many session files in turn, and tells how far behind it is (autopoiesis §4.1)."""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import Enum

import msgspec

from engine.sessions.folder import ListedFile, SessionFolder
from engine.sessions.follows import ReadMarkStore
from engine.sessions.messages import LineProblem, SessionMessage
from engine.sessions.session_file import SessionFile
from engine.sessions.tail import FileChange, ReadMark

LIST_EVERY = timedelta(seconds=1)  # the interval at which the places are listed anew, unless listing takes long
HOT = timedelta(minutes=10)
"""Time after its last change in which a file is checked at every poll; later only if a listing shows a change."""
MOST_OPEN = 128  # files that are kept open
MOST_KNOWN = 20_000  # messages known by id, so that a session copied into another file is not heard twice
_EACH = 50  # messages of one file before the next has its turn
_MOST_BYTES = 4 * 1024 * 1024  # bytes read in one poll, so that a file without messages holds up nothing


class Begin(Enum):
    """The place where reading an existing file begins."""

    LAST = "last"
    """After what was read before; the first time at the end of a folder's files, at the start of a named file."""
    START = "start"
    END = "end"


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one poll. `lag`: how long the oldest unread message has waited."""

    heard: tuple[SessionMessage, ...] = ()
    lag: timedelta = timedelta(0)
    pending: int = 0  # bytes that are there and not read
    files: int = 0
    sessions: int = 0  # files that grew within the last minutes
    skipped: dict[LineProblem, int] = {}  # lines skipped since the feed began, by reason
    changes: dict[FileChange, int] = {}
    lost: int = 0  # bytes that were cut off or overwritten before they were read, as far as they had been seen
    left_out: int = 0  # files that are not followed: too many, or with a name that cannot be used

    @property
    def behind(self) -> bool:
        return self.pending > 0 or self.lag > timedelta(0)


class Feed:
    """Polls places. `now` must never run backwards, or the lag is meaningless."""

    def __init__(
        self, places: Sequence[SessionFolder], store: ReadMarkStore | None = None, begin: Begin = Begin.LAST
    ) -> None:
        self._places = tuple(places)
        self._store = store
        self._begin = begin
        self._files: dict[tuple[int, str], SessionFile] = {}
        self._listed: dict[tuple[int, str], ListedFile] = {}
        self._hot: OrderedDict[tuple[int, str], None] = OrderedDict()
        self._marks: list[dict[str, ReadMark] | None] = [None] * len(self._places)
        """Marks of files not made yet, per place; None: the place was never followed."""
        self._list_at: datetime | None = None
        self._left_out = 0
        self._known: OrderedDict[str, None] = OrderedDict()
        self._problems: Counter[LineProblem] = Counter()
        self._changes: Counter[FileChange] = Counter()
        self._lost = 0

    def poll(self, now: datetime, most: int = 500) -> Batch:
        """Reads at most `most` new messages, taking turns between files; the others stay for later polls."""
        # Also where the clock went back: the list would stay as it is until then.
        if self._list_at is None or not self._list_at - LIST_EVERY <= now < self._list_at:
            self._list(now)
        self._look(now)
        heard = list(self._in_turn(most))
        self._cool(now)
        return self._batch(heard, now)

    def save(self) -> None:
        """Stores how far each file was read. Raises `OSError`."""
        if self._store is None or self._list_at is None:
            return
        for index, place in enumerate(self._places):
            marks = {
                path: mark
                for (at, path), file in self._files.items()
                if at == index and (mark := file.mark()) is not None
            }
            self._store.save(_name(place), marks)

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def _look(self, now: datetime) -> None:
        """Checks files that may have grown, those with unread data first, at most `MOST_OPEN`."""
        # The sort is stable, so files without news stay in the order in which they are due.
        keys = sorted(self._hot, key=lambda key: not self._files[key].busy)[:MOST_OPEN]
        if left := [key for key in keys if self._files[key].look(now)]:
            self._list(now)
        for key in keys:
            if (file := self._files.get(key)) is not None:
                if key in left:
                    file.turn_over(now)
                file.settle(now)
            if key in self._hot and len(self._hot) > MOST_OPEN:
                self._hot.move_to_end(key)

    # ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _list(self, now: datetime) -> None:
        first = self._list_at is None
        if first and self._store is not None:
            self._marks = [self._store.load(_name(place)) for place in self._places]
        self._left_out = 0
        for index, place in enumerate(self._places):
            listing = place.list()
            self._left_out += listing.left_out
            self._take_in(index, place, listing.files, now, first=first)
        self._list_at = now + LIST_EVERY

    def _take_in(
        self, index: int, place: SessionFolder, files: Iterable[ListedFile], now: datetime, *, first: bool
    ) -> None:
        found = {(index, file.path): file for file in files}
        self._rename(index, place, found)
        for key, file in found.items():
            before = self._listed.get(key)
            if key not in self._files:
                source = place.source(file.path)
                mark = self._mark(index, file, first=first)
                self._files[key] = SessionFile(place.root, file.path, source, mark)
                if mark is None or mark.offset != file.size:
                    self._hot[key] = None
            elif before is None or (before.size, before.modified, before.inode) != (
                file.size,
                file.modified,
                file.inode,
            ):
                self._hot[key] = None
            self._listed[key] = file
        for key in [key for key in self._files if key[0] == index and key not in found]:
            self._forget(key)

    def _rename(self, index: int, place: SessionFolder, found: dict[tuple[int, str], ListedFile]) -> None:
        """Continues a renamed file under its new name."""
        lost = {
            (file.device, file.inode): key
            for key, file in self._listed.items()
            if key[0] == index and (key not in found or found[key].inode != file.inode)
        }
        for key, file in found.items():
            old = lost.get((file.device, file.inode))
            # Of another ending it is of another format, and its reader would not understand it.
            if key in self._files or old is None or old not in self._files or old[1][-3:] != key[1][-3:]:
                continue
            self._files[key] = self._files.pop(old)
            self._files[key].rename(file.path, place.source(file.path))
            self._listed.pop(old, None)
            self._hot.pop(old, None)
            self._hot[key] = None

    def _mark(self, index: int, file: ListedFile, *, first: bool) -> ReadMark | None:
        known = self._marks[index]
        # Without a head: the offset may stand inside a line.
        end = ReadMark(file.device, file.inode, file.size)
        if not first or self._begin is Begin.START:
            return None
        if self._begin is Begin.END:
            return end
        if known is not None:
            return known.get(file.path)
        # A folder may hold years of sessions; a single file was named for what is in it.
        return None if self._places[index].only else end

    def _forget(self, key: tuple[int, str]) -> None:
        """Forgets a removed file once it is read to its end."""
        file = self._files[key]
        if file.tail.is_open and file.busy:
            self._hot[key] = None
            return
        self._count(file)
        file.close()
        del self._files[key]
        self._listed.pop(key, None)
        self._hot.pop(key, None)

    def _cool(self, now: datetime) -> None:
        """Closes files without recent changes, and the longest open ones if too many are open."""
        open_files = 0
        for key in reversed(list(self._hot)):
            file = self._files[key]
            open_files += file.tail.is_open
            grown = file.tail.grown_at
            idle = file.tail.is_open and not file.busy
            if idle and (grown is None or now - grown > HOT or open_files > MOST_OPEN):
                file.close()
                del self._hot[key]

    # ── messages ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _in_turn(self, most: int) -> Iterable[SessionMessage]:
        given, read, moved = 0, 0, True
        # Rounds, so that a busy file does not keep the others waiting.
        while moved and given < most and read < _MOST_BYTES:
            moved = False
            for key in list(self._hot):
                file = self._files[key]
                pending = file.tail.pending
                taken = file.take(min(_EACH, most - given))
                read += pending - file.tail.pending
                moved = moved or bool(taken) or file.tail.pending != pending
                if taken:
                    self._hot.move_to_end(key)
                for message in taken:
                    if self._is_new(message):
                        given += 1
                        yield message
                if given >= most:
                    break

    def _is_new(self, message: SessionMessage) -> bool:
        ident = message.message.id
        # Resuming a session copies its messages into a new file.
        if ident in self._known:
            return False
        self._known[ident] = None
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return True

    def _count(self, file: SessionFile) -> None:
        self._problems.update(file.problems)
        self._changes.update(file.changes)
        self._lost += file.lost
        file.lost = 0
        file.problems.clear()
        file.changes.clear()

    def _batch(self, heard: list[SessionMessage], now: datetime) -> Batch:
        hot = [self._files[key] for key in self._hot]
        for file in hot:
            self._count(file)
        since = min((at for file in hot if (at := file.waiting_since) is not None), default=now)
        return Batch(
            heard=tuple(heard),
            lag=max(timedelta(0), now - since),
            pending=sum(file.tail.pending for file in hot),
            files=len(self._files),
            sessions=sum(file.tail.grown_at is not None for file in hot),
            skipped=dict(self._problems),
            changes=dict(self._changes),
            lost=self._lost,
            left_out=self._left_out,
        )


def _name(place: SessionFolder) -> str:
    return "/".join(part for part in (place.root.identity.path, place.folder, place.only) if part)
