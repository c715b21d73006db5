"""Simulates what a platform loads of a workspace in a session (decision D41)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec

from engine.context.load import cuts
from engine.context.load.cuts import LoadedCut, measure, utf16_head, utf16_length
from engine.context.load.fallen_lines import FallenLine, counted_text, fallen_lines, imports_of
from engine.context.platforms.platform import CapUnit, CutRule, Platform, PlatformFile, SessionKind, slug_of
from engine.plans.plan import Flag
from engine.text.frontmatter import read_frontmatter
from engine.text.tokens import TokenCounter

Read = Callable[[str], bytes | None]  # gives the bytes of a workspace file, None where there is none


class LoadState(StrEnum):
    """The state of a file that a platform looks for."""

    WHOLE = "whole"
    OVER = "over"  # above a cap that cuts nothing
    CUT = "cut"
    LEFT_OUT = "left out"
    MISSING = "missing"
    UNKNOWN = "unknown"  # there is something that memdeck does not follow, and the platform may


class CapReading(msgspec.Struct, frozen=True, gc=False):
    """The size of a file and its cap. `headroom`: what still fits, negative above the cap."""

    unit: CapUnit
    value: int
    cap: int

    @property
    def headroom(self) -> int:
        return self.cap - self.value


class LoadedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as a platform loads it. `text`: what reaches the agent; `path`: empty if there is no file."""

    name: str
    path: str
    state: LoadState
    text: str = ""
    caps: tuple[CapReading, ...] = ()
    fallen: tuple[FallenLine, ...] = ()
    reason: str = ""
    flags: tuple[Flag, ...] = ()  # the flagged lines of the file as it lies there (decision G30)


class PlatformLoad(msgspec.Struct, frozen=True, kw_only=True):
    """All files that a platform loads in a session, in order. `used`: the workspace is used with it."""

    platform: Platform
    session: SessionKind
    files: tuple[LoadedFile, ...]
    total: CapReading | None
    used: bool

    @property
    def fallen(self) -> int:
        """The number of lines that fall off."""
        return sum(len(file.fallen) for file in self.files)


def load(
    platform: Platform,
    session: SessionKind,
    read: Read,
    folder: str,
    counter: TokenCounter,
    unread: Callable[[str], str] = lambda _: "",
    listed: Callable[[str], Sequence[str]] = lambda _: (),
) -> PlatformLoad:
    """Simulates a platform. `folder`: the workspace's real path. `unread` says what stands at a path that is not
    followed, such as a link; empty for nothing. `listed` returns the notes of a folder."""
    return _Loading(platform, read, folder, counter, unread, listed).load(session)


def is_used(platform: Platform, read: Read) -> bool:
    """Tells whether the workspace is used with a platform, by its signs or by the policy."""

    def has(paths: Iterable[str]) -> bool:
        return any(read(path) is not None for path in paths)

    by_signs = has(platform.signs) or (has(platform.shared_signs) and not has(platform.other_signs))
    return platform.use == "always" or (platform.use == "signs" and by_signs)


def fallen_by_file(loads: Iterable[PlatformLoad]) -> dict[str, dict[str, tuple[FallenLine, ...]]]:
    """Returns, for each file with fallen lines, these lines by the title of each platform in use."""
    found: dict[str, dict[str, tuple[FallenLine, ...]]] = {}
    for load in loads:
        for file in load.files if load.used else ():
            if file.fallen:
                found.setdefault(file.path, {})[load.platform.title] = file.fallen
    return found


class _Loading:
    def __init__(
        self,
        platform: Platform,
        read: Read,
        folder: str,
        counter: TokenCounter,
        unread: Callable[[str], str],
        listed: Callable[[str], Sequence[str]],
    ) -> None:
        self._platform, self._read, self._folder, self._counter = platform, read, folder, counter
        self._unread, self._listed = unread, listed
        self._seen: set[str] = set()
        """Paths that are loaded: one that is imported twice, or is a file of its own too, is loaded once."""
        self._left = platform.total.utf16 if platform.total else None

    def load(self, session: SessionKind) -> PlatformLoad:
        names = self._platform.sessions.get(session, ())
        files = tuple(file for name in names for file in self._with_imports(name))
        total = self._platform.total
        reading = CapReading(CapUnit.UTF16, total.utf16 - (self._left or 0), total.utf16) if total else None
        used = is_used(self._platform, lambda path: b"" if self._unread(path) else self._read(self._named(path)))
        return PlatformLoad(platform=self._platform, session=session, files=files, total=reading, used=used)

    def _named(self, place: str) -> str:
        return place.replace("{slug}", slug_of(self._folder))

    def _with_imports(self, name: str) -> Iterator[LoadedFile]:
        file = self._platform.files[name]
        if (file.beside and self._read(file.beside) is None) or (file.instead and self._read(file.instead) is not None):
            return
        if "*" not in file.places[0]:
            yield from self._once(name, file)
            return
        for path in self._listed(file.places[0].rpartition("/")[0]):
            yield from self._once(path, msgspec.structs.replace(file, places=(path,)))

    def _once(self, name: str, file: PlatformFile) -> Iterator[LoadedFile]:
        """Yields a file that was not loaded yet, and the files that it imports."""
        found = self._file(name, file)
        is_absent = found.state is LoadState.MISSING and name.startswith(("~/", "."))
        if is_absent or (found.path and found.path in self._seen) or self._is_put_off(found.path, file.unless):
            return
        self._seen.add(found.path)
        yield found
        for path in imports_of(found.text, found.path) if file.imports and found.path else ():
            outside = path.startswith(("/", "~", "..")) or "\0" in path
            if not outside and self._read(path) is not None:
                yield from self._once(path, msgspec.structs.replace(file, places=(path,), imports=file.imports - 1))
            elif path not in self._seen:
                self._seen.add(path)
                reason = "it lies outside the workspace" if outside else f"{found.path} imports it"
                yield LoadedFile(name=path, path="", state=LoadState.MISSING, reason=reason)

    def _is_put_off(self, path: str, key: str) -> bool:
        data = self._read(path) if key and path else None
        return data is not None and key in read_frontmatter(data).values

    def _file(self, name: str, file: PlatformFile) -> LoadedFile:
        most = self._platform.most_bytes
        for path in map(self._named, file.places):
            data = self._read(path)
            if data is None and (what := self._unread(path)):
                return LoadedFile(name=name, path=path, state=LoadState.UNKNOWN, reason=what)
            if data is not None and most and len(data) > most:
                return self._missing(name, path, file, f"it is larger than {most:,} bytes")
            if data is not None:
                return self._present(name, path, file, data.decode("utf-8", "replace"))
        return self._missing(name, "", file, "")

    def _missing(self, name: str, path: str, file: PlatformFile, reason: str) -> LoadedFile:
        text = ""
        if self._platform.missing and not file.optional:
            text = self._taken(self._platform.missing.format(path=f"{self._folder}/{file.places[0]}"))
        return LoadedFile(name=name, path=path, state=LoadState.MISSING, text=text, reason=reason)

    def _taken(self, text: str) -> str:
        """Cuts the text to what is left of the total cap, and reduces that."""
        if self._left is None:
            return text
        if utf16_length(text) > self._left:
            text = f"{utf16_head(text, self._left - 1)}…" if self._left > 3 else utf16_head(text, self._left)
        self._left -= utf16_length(text)
        return text

    def _present(self, name: str, path: str, file: PlatformFile, text: str) -> LoadedFile:
        counted = counted_text(text, file.not_counted, file.trim)
        caps = tuple(
            CapReading(unit, measure(counted.text, unit, self._counter), cap) for unit, cap in file.caps.items()
        )
        total = self._platform.total
        if self._left is not None and total is not None and self._left < total.least:
            nothing = fallen_lines(text, (), counted.pieces)
            reason = f"the files before it take the {total.utf16:,} characters that there are for all"
            # What follows is left out as well, however short it is.
            self._left = 0
            return LoadedFile(name=name, path=path, state=LoadState.LEFT_OUT, caps=caps, fallen=nothing, reason=reason)
        room = min((cap.cap for cap in caps if cap.unit is CapUnit.UTF16), default=0)
        squeezed = self._left is not None and self._left < room
        cut = _cut(file, name, counted.text, room if self._left is None else min(room, self._left))
        kept = [stretch for start, end in cut.kept for stretch in counted.stretches(start, end)]
        fallen = fallen_lines(text, kept, counted.pieces) if cut.text != counted.text else ()
        reason = f"{self._left:,} of {total.utf16:,} characters are left" if squeezed and fallen and total else ""
        state = LoadState.CUT if fallen else LoadState.WHOLE
        if state is LoadState.WHOLE and any(cap.headroom < 0 for cap in caps):
            state = LoadState.OVER
        loaded = self._taken(cut.text)
        return LoadedFile(name=name, path=path, state=state, text=loaded, caps=caps, fallen=fallen, reason=reason)


def _cut(file: PlatformFile, name: str, text: str, utf16: int) -> LoadedCut:
    match file.rule:
        case CutRule.WHOLE:
            return cuts.whole(text)
        case CutRule.WHOLE_LINES:
            return cuts.whole_lines(text, file.caps.get(CapUnit.LINES), file.caps.get(CapUnit.UTF16))
        case CutRule.HEAD:
            return cuts.head(text, file.caps[CapUnit.BYTES])
        case CutRule.MIDDLE:
            return cuts.middle(text, file.caps[CapUnit.QUARTER_BYTES])
        case CutRule.ENTRIES:
            return cuts.entries(text, file.divider)
        case CutRule.HEAD_TAIL:
            return cuts.head_tail(text, name, utf16, file.shares)
        case CutRule.HEAD_DIGEST_TAIL:
            return cuts.head_digest_tail(text, name, utf16, file.shares)


def losses(
    platforms: Iterable[Platform], read: Read, after: Mapping[str, bytes | None], folder: str, counter: TokenCounter
) -> tuple[tuple[str, str], ...]:
    """Returns path and warning for each file of which a platform would load less. `after`: changed files' bytes."""

    def read_after(path: str) -> bytes | None:
        return after[path] if path in after else read(path)

    found: list[tuple[str, str]] = []
    for platform in platforms:
        if is_used(platform, read_after) and any(
            path in after for file in platform.files.values() for path in file.places
        ):
            now = load(platform, SessionKind.MAIN, read, folder, counter)
            found += _lost(now, load(platform, SessionKind.MAIN, read_after, folder, counter))
    return tuple(found)


def _lost(now: PlatformLoad, then: PlatformLoad) -> Iterable[tuple[str, str]]:
    before = Counter((file.path, line.text) for file in now.files for line in file.fallen)
    for file in then.files:
        lost: list[FallenLine] = []
        for line in file.fallen:
            if before[file.path, line.text] > 0:
                before[file.path, line.text] -= 1
            else:
                lost.append(line)
        if lost:
            lines = f"{len(lost)} lines" if len(lost) > 1 else "1 line"
            entry = f" under {lost[0].entry!r}" if lost[0].entry else ""
            where = f"from line {lost[0].line} on{entry}"
            yield file.path, f"{then.platform.title} will not load {lines} of {file.path}, {where}"
