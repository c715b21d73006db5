"""Finds where words stand, in the notes and in memdeck's own state, and works out each note without them."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from engine.lifecycle.forget.sought_words import (
    Redacted,
    SoughtWords,
    Span,
    count_in,
    without_statements,
    without_words,
)
from engine.text.pattern_file import converted, toml_file

NOTES, STATE = "places.toml", "state.toml"
A_SOURCE = "a source, which was not asked for (--raw)"
NO_WORDS = SoughtWords(())


Handling = Literal[
    "words", "statements", "items", "remove", "undo", "original", "plan", "index", "record", "rows", "keep"
]
"""Names what forgetting does with a file; the comments on top of the two tables say what each word means."""


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


@cache
def _kinds(table: str) -> tuple[PlaceKind, ...]:
    where = f"{__package__.replace('.', '/')}/{table}"
    return tuple(converted(toml_file(__package__, table)["kind"], list[PlaceKind], where))


def kind_of(path: str, table: str = NOTES) -> PlaceKind:
    """Gives the kind of a file by one of the two tables; the last kind of each takes any."""
    return next(kind for kind in _kinds(table) if re.fullmatch(kind.path, path, re.DOTALL))


def state_files(state: Path, sought: SoughtWords, *, deep: bool = True) -> Iterator[tuple[str, PlaceKind, int]]:
    """Yields the files of the state in which the words stand, and how often; `deep`: in its folders too. One that
    cannot be read counts as one that holds them."""
    for file in sorted(file for file in state.glob("**/*" if deep else "*") if file.is_file()):
        try:
            count = 0 if file.is_symlink() else count_in(file.read_bytes(), sought)
        except (OSError, ValueError):
            count = int(file.exists())
        path = file.relative_to(state).as_posix()
        if count:
            yield path, kind_of(path, STATE), count


def why_left(kind: PlaceKind, *, sources: bool) -> str:
    """Gives the reason for which a file of a kind stays; empty where it does not."""
    source = kind.source or kind.how == "original"
    return kind.reason or (A_SOURCE if source and not sources else "")


def word_places(
    files: Iterable[tuple[str, bytes]], sought: SoughtWords, *, sources: bool, others: SoughtWords = NO_WORDS
) -> Iterator[WordPlace]:
    """Yields the places in these files of the workspace, each with what becomes of it; `others` as in `redacted`."""
    for path, data in files:
        kind, done = kind_of(path), Redacted("")
        try:
            count, left = count_in(data, sought), why_left(kind_of(path), sources=sources)
            done = redacted(data.decode("utf-8"), kind.how, sought, others) if count else done
            left = left if done.lines else "it says them in another spelling or packed: take them out by hand"
        except UnicodeDecodeError:
            count, left = 1, "it is no UTF-8 text: take it away by hand"
        except ValueError as error:
            count, left = 0, str(error)
        if count or done.lines or left.startswith("it is packed"):
            what, text = ("", None) if left else (f"{kind.how} go", done.text)
            yield WordPlace(path=path, kind=kind.name, lines=done.lines, count=count, what=what, left=left, text=text)


def redacted(text: str, how: Handling, sought: SoughtWords, others: SoughtWords = NO_WORDS) -> Redacted:
    """Takes the words out of a text. A line that names one of the `others` as well keeps all but the words."""

    def shared(body: str) -> Iterator[Span]:
        named = {body.count("\n", 0, start) for start, _ in others.spans(body)}
        return (span for span in sought.spans(body) if body.count("\n", 0, span[0]) in named)

    if how == "words":
        return without_words(text, sought.spans)
    first = without_words(text, shared)
    done = without_statements(first.text, sought.spans, drop=how == "items")
    return Redacted(done.text, tuple(sorted({*first.lines, *done.lines})))
