"""Takes words out of memdeck's own state, file by file. Each step can be repeated: a crash is gone on from."""

import re
from pathlib import Path
from typing import Any

import msgspec

from engine.lifecycle.forget.places import PlaceKind, state_files
from engine.lifecycle.forget.sought_words import SoughtWords, without_words
from engine.plans.apply.context import ApplyContext
from engine.state.database import StateDatabase
from engine.state.failpoints import step
from engine.state.private_files import remove_private, write_private
from engine.state.table import StateTable, TableRows
from engine.text.canonical_json import canonical_json

_WHERE = {"path", "to", "place", "workspace", "inputs", "folders", "approval", "zone"}
_WHICH = {"id", "op", "system", "trigger", "sha256", "digest", "kind", "tokenizer", "name", "state"}
_FORM = frozenset(_WHERE | _WHICH)
"""Fields that say where or which, never what: without them a record could not be read."""
_FIXED = re.compile(r"\d{4}-\d\d-\d\dT\S+|(?:sha256:)?[0-9a-f]{40,64}")
"""An instant or a hash: no words, whatever digits are in it."""


class Purge(msgspec.Struct, frozen=True):
    """The words that go from the state of one workspace, from sources too where they were asked for."""

    ctx: ApplyContext
    database: StateDatabase
    sought: SoughtWords
    sources: bool

    def run(self) -> int:
        """Takes the words out; counts the files that were changed or removed."""
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
        """Takes the held files that are gone out of the records of what is held."""
        forgotten, held = self.ctx.displaced.forgotten(), self.ctx.held
        for operation, files in held.entries().items():
            kept = tuple(one for one in files if one.sha256 not in forgotten or Path(one.place).exists())
            if kept != files:
                held.record(operation, kept) if kept else held.forget(operation)

    def _beside(self) -> int:
        """Removes what operations displaced on other disks than the state, what was copied last, and the rows of all
        agents that were read last."""
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
        """The same value without the words in any of its strings, but for those that say where and which."""
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
