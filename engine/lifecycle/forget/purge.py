"""Removes words from memdeck's own state, file by file. Each step may run again after a crash."""

import re
from collections.abc import Container, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from engine.lifecycle.forget.sought_words import (
    MARK,
    Redacted,
    SoughtWords,
    Span,
    count_in,
    without_statements,
    without_words,
)
from engine.plans.apply.context import ApplyContext
from engine.state.database import StateDatabase
from engine.state.private_files import remove_private, step, write_private
from engine.state.table import StateTable, TableRows
from engine.text.canonical_json import canonical_json
from engine.text.pattern_file import converted, toml_file

NOTES, STATE = "places.toml", "state.toml"
A_SOURCE = "a source, which was not asked for (--raw)"
NO_WORDS = SoughtWords(())
NO_NOTE = f"# {MARK}\n"


Handling = Literal[
    "words", "statements", "items", "remove", "undo", "original", "plan", "index", "record", "rows", "keep"
]
"""The ways in which forgetting treats a file; the comments in the two tables explain each."""


class PlaceKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of file by its path. `source`: the operator's own record. `reason`: why such a file stays."""

    name: str
    path: str
    how: Handling
    source: bool = False
    reason: str = ""


class WordPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A place with the words. `left`: why it stays; `text`: the new note or None; `shared`: lines losing only words."""

    path: str
    kind: str
    lines: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()
    count: int = 1
    what: str = ""
    left: str = ""
    text: str | None = None


@cache
def _kinds(table: str) -> tuple[PlaceKind, ...]:
    where = f"{__package__.replace('.', '/')}/{table}"
    return tuple(converted(toml_file(__package__, table)["kind"], list[PlaceKind], where))


def kind_of(path: str, table: str = NOTES) -> PlaceKind:
    """Gives a file's kind by one of the two tables, whose last kind fits any file."""
    return next(kind for kind in _kinds(table) if re.fullmatch(kind.path, path, re.DOTALL))


def state_files(state: Path, sought: SoughtWords, *, deep: bool = True) -> Iterator[tuple[str, PlaceKind, int]]:
    """Yields the state's files with the words, and how often; `deep`: in its folders too. An unreadable file counts."""
    for file in sorted(file for file in state.glob("**/*" if deep else "*") if file.is_file()):
        try:
            count = 0 if file.is_symlink() else count_in(file.read_bytes(), sought)
        except (OSError, ValueError):
            count = int(file.exists())
        path = file.relative_to(state).as_posix()
        if count:
            yield path, kind_of(path, STATE), count


def why_left(kind: PlaceKind, *, sources: bool) -> str:
    """Gives the reason why a file of a kind stays; empty where it does not."""
    source = kind.source or kind.how == "original"
    return kind.reason or (A_SOURCE if source and not sources else "")


def word_places(
    files: Iterable[tuple[str, bytes]],
    sought: SoughtWords,
    *,
    sources: bool,
    others: SoughtWords = NO_WORDS,
    own: Container[str] = (),
) -> Iterator[WordPlace]:
    """Yields the places in these workspace files, each with its outcome. Notes in `own` go whole."""
    for path, data in files:
        kind, done = kind_of(path), Redacted("")
        if path in own and data != NO_NOTE.encode():
            what = "the whole note goes; git's history keeps its lines that name nobody"
            yield WordPlace(path=path, kind=kind.name, what=what, text=NO_NOTE)
            continue
        try:
            count, left = count_in(data, sought), why_left(kind_of(path), sources=sources)
            done = redacted(data.decode("utf-8"), kind.how, sought, others) if count else done
            # The count reads compatibility forms and packed bytes too, of which no line can be rewritten.
            left = left if done.lines else "it says them in another spelling or packed: take them out by hand"
        except UnicodeDecodeError:
            count, left = 1, "it is no UTF-8 text: take it away by hand"
        except ValueError as error:
            count, left = 0, str(error)
        if count or done.lines or left.startswith("it is packed"):
            place = WordPlace(path=path, kind=kind.name, lines=done.lines, count=count, left=left)
            told = {} if left else {"what": f"{kind.how} go", "text": done.text, "shared": done.shared}
            yield msgspec.structs.replace(place, **told)


def redacted(text: str, how: Handling, sought: SoughtWords, others: SoughtWords = NO_WORDS) -> Redacted:
    """Removes the words from a text. A line that also names one of `others` loses only the words."""

    def shared(body: str) -> Iterator[Span]:
        named = {body.count("\n", 0, start) for start, _ in others.spans(body)}
        return (span for span in sought.spans(body) if body.count("\n", 0, span[0]) in named)

    if how == "words":
        return without_words(text, sought.spans)
    first = without_words(text, shared)
    done = without_statements(first.text, sought.spans, drop=how == "items")
    return Redacted(done.text, tuple(sorted({*first.lines, *done.lines})), first.lines)


_WHERE = {"path", "to", "place", "workspace", "inputs", "folders", "approval", "zone"}
_WHICH = {"id", "op", "system", "trigger", "sha256", "digest", "kind", "tokenizer", "name", "state"}
_FORM = frozenset(_WHERE | _WHICH)
"""Fields that tell where or which, without which a record could not be read."""
_FIXED = re.compile(r"\d{4}-\d\d-\d\dT\S+|(?:sha256:)?[0-9a-f]{40,64}")
"""An instant or a hash, which is never a word."""


class Purge(msgspec.Struct, frozen=True):
    """The words to remove from a workspace's state, and from sources too if asked."""

    ctx: ApplyContext
    database: StateDatabase
    sought: SoughtWords
    sources: bool

    def run(self) -> int:
        """Removes the words; gives the number of files changed or removed."""
        changed = 0
        for path, kind, _ in list(state_files(self.ctx.state.path, self.sought)):
            step("forget-state")
            changed += self._treat(self.ctx.state.path / path, kind)
        self._let_go()
        return changed + self._beside()

    def _treat(self, path: Path, kind: PlaceKind) -> bool:
        match kind.how:
            case "remove":
                remove_private(path)
            case "undo":
                self.ctx.displaced.forget(path.name)
                remove_private(path)
            case "original" if self.sources:
                remove_private(path)
            case "plan":
                self.ctx.queue.refile(path.stem, self._without, "it held what was forgotten", self.ctx.clock())
            case "index":  # behind the bodies: it tells the states of plans with their reasons
                self.ctx.queue.rewrite_index(self._text)
            case "record":
                write_private(path, canonical_json(self._without(msgspec.json.decode(path.read_bytes()))))
            case "rows":
                self._rows()
            case _:
                return False
        return True

    def _let_go(self) -> None:
        forgotten, held = self.ctx.displaced.forgotten(), self.ctx.held
        for operation, files in held.entries().items():
            kept = tuple(one for one in files if one.sha256 not in forgotten or Path(one.place).exists())
            if kept != files:
                held.record(operation, kept) if kept else held.forget(operation)

    def _beside(self) -> int:
        """Removes displaced files on other disks, the last copied text, and the fleet's kept rows."""
        top, folders = self.ctx.state.path.parents[1], Path(self.ctx.root.identity.path).rglob(".memdeck")
        yards = [folder for folder in folders if folder.is_dir() and not folder.is_symlink()]
        gone = [yard / path for yard in yards for path, _, _ in state_files(yard, self.sought)]
        own = (path for path, _, _ in state_files(top, self.sought, deep=False) if path in ("copied.txt", "fleet"))
        gone += [top / path for path in own]
        for file in gone:
            remove_private(file)
        return len(gone)

    def _text(self, text: str) -> str:
        return without_words(text, self.sought.spans).text

    def _without(self, value: Any) -> Any:
        """Gives a value without the words in any string, except in fields that tell where or which."""
        match value:
            case str():
                return value if _FIXED.fullmatch(value) else self._text(value)
            case list() | tuple():
                return [self._without(one) for one in value]
            case dict():
                return {key: one if key in _FORM else self._without(one) for key, one in value.items()}
            case _:
                return value

    def _rows(self) -> None:
        with self.database.transaction() as connection:
            for table in StateTable:
                rows = TableRows(connection, table)
                held = [(key, body) for key, body in rows.readable() if self.sought.may_hold(key.encode() + body)]
                for key, body in held:
                    if self.sought.count(key):
                        rows.drop(key)
                    else:
                        rows.put(key, msgspec.json.encode(self._without(msgspec.json.decode(body))))
        self.database.write_anew()
