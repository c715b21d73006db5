"""Finds where words stand, in the notes and in memdeck's own state, and works out each note without them."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

import msgspec

from engine.lifecycle.forget.byte_texts import count_in
from engine.lifecycle.forget.redaction import Redacted, without_statements, without_words
from engine.lifecycle.forget.sought_words import Span, Wording
from engine.text.pattern_file import converted, toml_file

NOTES, STATE = "places.toml", "state.toml"
A_SOURCE = "a source, which was not asked for (--raw)"


class Handling(StrEnum):
    """Names what forgetting does with a file; the comments on top of the two tables say what each means."""

    WORDS = "words"
    STATEMENTS = "statements"
    ITEMS = "items"
    REMOVE = "remove"
    UNDO = "undo"
    ORIGINAL = "original"
    PLAN = "plan"
    INDEX = "index"
    RECORD = "record"
    ROWS = "rows"
    KEEP = "keep"


class PlaceKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of file by its path. `source`: the operator's own record. `reason`: why one stays that is kept."""

    name: str
    path: str
    how: Handling
    source: bool = False
    reason: str = ""


class WordPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One place that says the words. `left`: the reason for which it stays as it is; empty where it is changed.
    `text` is the whole note without the words; None for what no plan changes."""

    path: str
    kind: str
    lines: tuple[int, ...] = ()
    count: int = 1
    what: str = ""
    left: str = ""
    text: str | None = None


class WantedWords(msgspec.Struct, frozen=True, kw_only=True):
    """A request in words: whether sources too, and the names of others, whose sentences stay."""

    wording: Wording
    sources: bool = False
    others: Wording = Wording(())


@cache
def _kinds(table: str) -> tuple[PlaceKind, ...]:
    return tuple(converted(toml_file(__package__, table)["kind"], list[PlaceKind], f"engine/lifecycle/forget/{table}"))


def kind_of(path: str, table: str = NOTES) -> PlaceKind:
    """Gives the kind of a file by one of the two tables; the last kind of each takes any."""
    return next(kind for kind in _kinds(table) if re.fullmatch(kind.path, path, re.DOTALL))


def state_files(state: Path, wording: Wording, *, deep: bool = True) -> Iterator[tuple[str, PlaceKind, int]]:
    """Yields the files of the state in which the words stand, and how often; `deep`: in its folders too. One that
    cannot be read counts as one that holds them."""
    for file in sorted(state.rglob("*") if deep else state.glob("*")):
        if file.is_symlink() or not file.is_file():
            continue
        path = file.relative_to(state).as_posix()
        try:
            count = count_in(file.read_bytes(), wording)
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            count = 1
        if count:
            yield path, kind_of(path, STATE), count


def state_place(path: str, kind: PlaceKind, count: int, *, sources: bool) -> WordPlace:
    """Says what becomes of a file of the state."""
    left = kind.reason or (A_SOURCE if kind.how is Handling.ORIGINAL and not sources else "")
    return WordPlace(path=path, kind=f"state, {kind.name}", count=count, what=f"cleared ({kind.how.value})", left=left)


def word_places(files: Mapping[str, bytes], wanted: WantedWords) -> Iterator[WordPlace]:
    """Yields the places in these files of the workspace, each with what becomes of it."""
    for path, data in files.items():
        kind = kind_of(path)
        try:
            count = count_in(data, wanted.wording)
        except ValueError as error:
            yield WordPlace(path=path, kind=kind.name, count=0, left=str(error))
            continue
        if count:
            lines, text, left = _without(data, kind, wanted)
            what = "" if left else f"{kind.how.value} go"
            yield WordPlace(path=path, kind=kind.name, lines=lines, count=count, what=what, left=left, text=text)


def _without(data: bytes, kind: PlaceKind, wanted: WantedWords) -> tuple[tuple[int, ...], str | None, str]:
    """Gives the lines that say the words, the whole file without them, and why it stays where it does."""
    try:
        done = redacted(data.decode("utf-8"), kind.how, wanted)
    except UnicodeDecodeError:
        return (), None, "it is no UTF-8 text: take it away by hand"
    if not done.lines:
        return (), None, "it says them in another spelling or packed: take them out by hand"
    if kind.source and not wanted.sources:
        return done.lines, None, A_SOURCE
    return done.lines, done.text, ""


def redacted(text: str, how: Handling, wanted: WantedWords) -> Redacted:
    """Takes the words out of a text. A line that names somebody else as well keeps all but the words."""
    find = wanted.wording.spans
    shared = without_words(text, lambda body: _shared(body, wanted)) if wanted.others.texts else Redacted(text, ())
    if how is Handling.WORDS:
        return without_words(text, find)
    done = without_statements(shared.text, find, drop=how is Handling.ITEMS)
    return Redacted(done.text, tuple(sorted({*shared.lines, *done.lines})))


def _shared(text: str, wanted: WantedWords) -> Iterator[Span]:
    """Yields the words that stand in a line which names somebody else."""
    named = {text.count("\n", 0, start) for start, _ in wanted.others.spans(text)}
    return (span for span in wanted.wording.spans(text) if text.count("\n", 0, span[0]) in named)
