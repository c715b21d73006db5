"""Lists the tags of memory, and the explorations and replays that are under way on branches of their own."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tui.present.spans import Line, Span
from tui.present.words import age, moment, noun, safe

if TYPE_CHECKING:
    from engine.history.explorations import Exploration
    from engine.history.tags import MemoryTag

_NO_TAG = "No tag yet: memdeck tag milestone NAME makes one; days, weeks and plans of risk tier C get theirs."
_NO_BRANCH = "None: memdeck explore NAME begins one, in a folder of its own."
_END = "memdeck plan branches ends those older than a week, and leaves a tag of each."


def tag_lines(tags: "Sequence[MemoryTag]", explorations: "Sequence[Exploration]", now: datetime) -> tuple[Line, ...]:
    """Explorations first, the oldest before others, then every tag, the newest first."""
    return tuple(_lines(tags, explorations, now))


def _lines(tags: "Sequence[MemoryTag]", explorations: "Sequence[Exploration]", now: datetime) -> Iterator[Line]:
    yield (Span("Explorations and replays", "strong"),)
    for one in explorations:
        old = one.is_old(now)
        since = f"  {age(one.begun, now)}{', older than a week' if old else ''}"
        yield (Span(safe(one.branch)), Span(since, "warn" if old else "muted"), Span(f"  {one.commit[:12]}", "muted"))
        yield (Span(f"  {safe(one.folder) or 'no folder'}", "muted"),)
    yield (Span(_END if explorations else _NO_BRANCH, "muted"),)
    yield ()
    yield (Span(noun(len(tags), "tag").capitalize() if tags else "Tags", "strong"),)
    for tag in tags:
        yield (Span(safe(tag.name)), Span(f"  {tag.commit[:12]}  {moment(tag.at)}", "muted"))
    if not tags:
        yield (Span(_NO_TAG, "muted"),)
