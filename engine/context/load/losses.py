"""Tells which lines a plan pushes out of what platforms load: a warning on the plan (decision D41)."""

from collections import Counter
from collections.abc import Iterable, Mapping

from engine.context.load.fallen_lines import FallenLine
from engine.context.load.simulation import PlatformLoad, Read, is_used, load
from engine.context.platforms.platform import Platform, SessionKind
from engine.text.tokens import TokenCounter


def losses(
    platforms: Iterable[Platform], read: Read, after: Mapping[str, bytes | None], folder: str, counter: TokenCounter
) -> tuple[tuple[str, str], ...]:
    """Each file of which a platform would leave out more than it does now, in a main session: path and a sentence.

    `after` holds what the files that change will be; platforms of which the workspace has no sign are passed over.
    """

    def read_after(path: str) -> bytes | None:
        return after[path] if path in after else read(path)

    found: list[tuple[str, str]] = []
    for platform in platforms:
        if is_used(platform, read_after) and _may_lose(platform, after):
            now = load(platform, SessionKind.MAIN, read, folder, counter)
            then = load(platform, SessionKind.MAIN, read_after, folder, counter)
            found += _lost(now, then)
    return tuple(found)


def _may_lose(platform: Platform, after: Mapping[str, bytes | None]) -> bool:
    return any(path in after for file in platform.files.values() for path in file.places)


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
            yield file.path, _sentence(then.platform.title, file.path, lost)


def _sentence(title: str, path: str, lost: list[FallenLine]) -> str:
    first = lost[0]
    lines = f"{len(lost)} lines" if len(lost) > 1 else "1 line"
    entry = f" under {first.entry!r}" if first.entry else ""
    return f"{title} will not load {lines} of {path}, from line {first.line} on{entry}"
