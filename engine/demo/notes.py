"""Makes the notes of the memory tiers: working notes, and those that earlier compactions compiled."""

import hashlib
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from importlib.resources import files

import msgspec

from engine.compactor.notes.working_to_episodic import compile_note
from engine.models.summary import Point, Summary
from engine.workspace.values import DateSource, FileDate

_PART = re.compile(r"^@@ (.+)\n", re.MULTILINE)
_DAY = re.compile(r"\{\{(-?\d+)\}\}")
_MINUTES = re.compile(r"\{\{~(\d+)\}\}")
_NUMBER = re.compile(r"\{\{(\d+)\.\.(\d+)\}\}")
_LABEL = re.compile(r"^(?:- )?(?:Decision: )?(?:Entscheidung: )?")


def parts(name: str) -> Iterator[tuple[str, str]]:
    """Yields header and text of each part of `content/<name>.txt`; text before the first part is a remark."""
    pieces = _PART.split(files("engine.demo.content").joinpath(f"{name}.txt").read_text(encoding="utf-8"))[1:]
    for header, body in zip(pieces[::2], pieces[1::2], strict=True):
        yield header.strip(), body.strip("\n") + "\n"


def dated_parts(name: str) -> Iterator[tuple[int, str, str]]:
    """Yields the parts whose header is a day, counted from today, and a rest."""
    for header, body in parts(name):
        day, _, rest = header.partition(" ")
        yield int(day), rest, body


def fill(text: str, today: date) -> str:
    """Replaces `{{-12}}` by the date twelve days before `today`."""
    return _DAY.sub(lambda match: (today + timedelta(days=int(match[1]))).isoformat(), text)


def fill_numbers(text: str, seed: str) -> str:
    """Replaces `{{40..95}}` by a number in that range, fixed by its place and the seed."""
    return _NUMBER.sub(lambda match: str(between(int(match[1]), int(match[2]), f"{seed}:{match.start()}")), text)


def between(low: int, high: int, seed: str) -> int:
    """Returns a number from `low` to `high`, both included, that depends only on the seed."""
    return low + int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big") % (high - low + 1)


MARKS = {" §e": "events", " §d": "decisions", " §i": "insights"}


class OldNote(msgspec.Struct, frozen=True, kw_only=True):
    """A compacted working note: its day counted from today, its name, text and summary."""

    day: int
    name: str
    text: str
    summary: Summary

    def path(self, today: date) -> str:
        return working_path(self.day, self.name, today)

    def compiled(self, archived_as: str, today: date, on: date) -> str:
        """Returns the episodic file that the compaction of the day `on` wrote."""
        own = FileDate(today + timedelta(days=self.day), DateSource.NAME)
        return compile_note(self.path(today), archived_as, own, on, self.summary, "extractive").content


def working_path(day: int, name: str, today: date) -> str:
    return f"memory/working/{(today + timedelta(days=day)).isoformat()}-{name}.md"


def old_notes() -> Iterator[OldNote]:
    """Yields the notes of `compiled.txt`, without their marks."""
    for day, name, body in dated_parts("compiled"):
        taken: dict[str, list[Point]] = {kind: [] for kind in MARKS.values()}
        lines = []
        for number, marked in enumerate(body.splitlines(), 1):
            kind = MARKS.get(marked[-3:])
            line = marked[:-3] if kind else marked
            lines.append(line)
            if kind:
                taken[kind].append(Point(_LABEL.sub("", line), number, number))
        summary = Summary(tuple(taken["events"]), tuple(taken["decisions"]), tuple(taken["insights"]))
        yield OldNote(day=day, name=name, text="\n".join(lines) + "\n", summary=summary)


def working_notes(today: date) -> dict[str, bytes]:
    """Returns the working notes in several forms: with and without headings, one with CRLF."""
    notes = {}
    for day, name, body in dated_parts("working"):
        text = fill(body, today)
        data = text.replace("\n", "\r\n").encode() if name == "carbon-report" else text.encode()
        notes[working_path(day, name, today)] = data
    return notes


def semantic_shards() -> dict[str, str]:
    """Returns the shards before the demonstration's operations."""
    return {f"memory/semantic/{name}": text for name, text in parts("semantic")}


def session_lines(name: str, now: datetime) -> str:
    """Returns a part of a session's file, replacing `{{~12}}` by the time twelve minutes before `now`."""
    text = fill(files("engine.demo.content").joinpath(f"{name}.jsonl").read_text(encoding="utf-8"), now.date())
    return _MINUTES.sub(lambda match: f"{now - timedelta(minutes=int(match[1])):%Y-%m-%dT%H:%M:%SZ}", text)
