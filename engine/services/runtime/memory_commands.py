"""Runs the six commands of Anthropic's memory tool as reads and proposals; the workspace does not change (D53, D54).
Its paths begin with `/memories`, the workspace. An agent sees its own proposals as if they were applied."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from engine.context.platforms.platform import SessionKind
from engine.errors import Refused
from engine.plans.plan import Append, Create, Move
from engine.services.agent import AgentService
from engine.services.engine import Engine
from engine.services.runtime.memory_view import FOLDER, folder_view, no_such_path, note_view, tool_path, utf8_text
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.paths import FileMissing

LONGEST_ECHO = 200  # characters of a passage that an error says again
_ROW = re.compile(r"[^\n]*\n|[^\n]+")  # a line with its end, as the tool counts them: by line feeds alone


class _Path(msgspec.Struct, frozen=True, tag_field="command"):
    path: str


class ViewCommand(_Path, frozen=True, tag="view"):
    """Reads a note or lists a folder; `view_range`: first and last line, -1 for the end."""

    view_range: tuple[int, int] | None = None


class CreateCommand(_Path, frozen=True, tag="create"):
    file_text: str


class ReplaceCommand(_Path, frozen=True, tag="str_replace"):
    """Replaces a passage that is in a note exactly once."""

    old_str: str
    new_str: str = ""


class InsertCommand(_Path, frozen=True, tag="insert"):
    """Inserts lines after a line of a note; 0 means the top."""

    insert_line: int
    insert_text: str


class DeleteCommand(_Path, frozen=True, tag="delete"):
    """Archives a note."""


class RenameCommand(msgspec.Struct, frozen=True, tag_field="command", tag="rename"):
    old_path: str
    new_path: str


Command = ViewCommand | CreateCommand | ReplaceCommand | InsertCommand | DeleteCommand | RenameCommand


class HeldText(msgspec.Struct, frozen=True):
    """A note as one agent sees it: its text, its bytes in the workspace, and its open plan."""

    text: str
    saved: bytes | None
    plan: str = ""


class MemoryCommands:
    """Runs one agent's commands; only a main session sees MEMORY.md (decision D4)."""

    def __init__(self, engine: Engine, agent: str, session: SessionKind = SessionKind.MAIN) -> None:
        self._engine, self._agent = engine, AgentService(engine, agent, session)

    def run(self, command: Mapping[str, Any]) -> str:
        """Runs one command of the model; `Refused` or another `MemdeckError` with the reason."""
        try:
            asked: Command = msgspec.convert({**command}, Command)
        except (msgspec.ValidationError, TypeError) as error:
            raise Refused(f"the command cannot be read: {error}") from error
        match asked:
            case ViewCommand(path=path, view_range=lines):
                return self._view(path, lines)
            case CreateCommand(path=path, file_text=text):
                return self._create(_note(path), text)
            case ReplaceCommand(path=path, old_str=old, new_str=new):
                return self._edit(_note(path), "str_replace", lambda text: _replaced(path, text, old, new))
            case InsertCommand(path=path, insert_line=line, insert_text=more):
                return self._edit(_note(path), "insert", lambda text: _inserted(text, line, more))
            case DeleteCommand(path=path):
                return self._placed(_note(path, "delete"), "archive")
            case RenameCommand(old_path=old, new_path=new):
                return self._placed(_note(old, "rename"), "move", _note(new))

    def _view(self, path: str, lines: tuple[int, int] | None) -> str:
        inside = tool_path(path)
        sizes = self._sizes()
        below = inside + "/" if inside else ""
        if inside not in sizes and (not inside or any(path.startswith(below) for path in sizes)):
            return folder_view(inside, sizes)
        held = self._held(inside)
        self._engine.references.opened(inside)
        return note_view(inside, redact(held.text, keep_lines=True), lines, held.plan)

    def _sizes(self) -> dict[str, int]:
        """Gives the bytes of each note that this agent may see, its own proposals included."""
        saved = dict(self._engine.proposals.served())
        for path, waiting in self._engine.proposals.waiting(self._agent.agent).items():
            saved.setdefault(path, len(getattr(waiting.change, "content", "").encode()))
        return {path: size for path, size in saved.items() if self._agent.serves(path)}

    def _is_folder(self, path: str) -> bool:
        return any(known.startswith(path + "/") for known in self._sizes())

    def _held(self, path: str) -> HeldText:
        """Gives a note as this agent sees it; `Refused` where it is not served, missing, or not UTF-8."""
        if not self._agent.serves(path):
            raise no_such_path(path)
        waiting = self._engine.proposals.waiting(self._agent.agent).get(path)
        try:
            saved: bytes | None = self._engine.proposals.note(path)
        except FileMissing as error:
            if waiting is None or not isinstance(waiting.change, Create):
                raise no_such_path(path) from error
            saved = None
        if waiting is None or isinstance(waiting.change, Move):
            return HeldText(utf8_text(path, saved or b""), saved)
        more = waiting.change.content
        text = utf8_text(path, saved or b"") + more if isinstance(waiting.change, Append) else more
        return HeldText(text, saved, waiting.plan)

    def _create(self, path: str, text: str) -> str:
        if path in self._sizes():
            raise Refused(f"File {FOLDER}/{path} already exists", hint="view it, then insert or str_replace")
        return self._proposed(path, "create", "create", content=text)

    def _edit(self, path: str, command: str, edit: Callable[[str], str]) -> str:
        if self._is_folder(path):
            raise Refused(f"The path {FOLDER}/{path} is not a file.")
        held = self._held(path)
        # The agent saw a mark in its place: its edit would write the mark over the secret.
        if redact(held.text, keep_lines=True) != held.text:
            raise Refused("it holds a secret, so the operator alone edits it", where=path)
        text = edit(held.text)
        if text == held.text:
            raise Refused("that changes nothing", where=path)
        if held.saved is None:
            return self._proposed(path, command, "create", content=text)
        before, base = utf8_text(path, held.saved), sha256_hex(held.saved)
        # An append asks for less than a rewrite of the whole note.
        if text.startswith(before) and before.endswith("\n"):
            return self._proposed(path, command, "append", content=text[len(before) :], base=base)
        return self._proposed(path, command, "replace", content=text, base=base)

    def _placed(self, path: str, action: str, to: str = "") -> str:
        """Proposes to archive or move a note; `Refused` for a folder, since the operator decides note by note."""
        if self._is_folder(path):
            raise Refused("a folder is not moved as a whole: name its notes one by one", where=path)
        if to and not self._agent.serves(to):
            raise Refused("not a note that can be proposed", where=to[:200])
        if to in self._sizes():
            raise Refused(f"The destination {FOLDER}/{to} already exists")
        held = self._held(path)
        if held.saved is None:
            raise Refused(f"it is only proposed ({held.plan}): the operator decides", where=path)
        return self._proposed(path, "rename" if to else "delete", action, base=sha256_hex(held.saved), to=to)

    def _proposed(
        self, path: str, command: str, action: str, *, content: str = "", base: str = "", to: str = ""
    ) -> str:
        made = self._agent.propose(path, action, content, f"{command} of the memory tool", base, to)
        until = f"{FOLDER}/{path} stays as it is until the operator approves."
        what = {"archive": " It would go to the archive; nothing is deleted."}.get(action, "")
        return f"Proposed as {made.id}: {until}{what}"


def _note(path: str, verb: str = "change") -> str:
    """Gives a note's workspace path; `Refused` for the top folder."""
    if not (inside := tool_path(path)):
        raise Refused(f"Cannot {verb} the {FOLDER} directory itself", hint="name a note below it")
    return inside


def _replaced(path: str, text: str, old: str, new: str) -> str:
    times, shown = text.count(old) if old else 0, old[:LONGEST_ECHO]
    if times == 0:
        raise Refused(
            f"No replacement was performed, old_str `{shown}` did not appear verbatim in {visible_line(path)}."
        )
    if times > 1:
        lines = [str(number) for number, row in enumerate(text.split("\n"), 1) if old.split("\n")[0] in row]
        raise Refused(
            f"No replacement was performed. Multiple occurrences of old_str `{shown}` in lines:"
            f" {', '.join(lines[:20])}. Please ensure it is unique"
        )
    return text.replace(old, new)


def _inserted(text: str, line: int, more: str) -> str:
    rows = _ROW.findall(text)
    if not 0 <= line <= len(rows):
        raise Refused(f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(rows)}].")
    end = "\r\n" if "\r\n" in text else "\n"
    before = "".join(rows[:line])
    gap = end if before and not before.endswith("\n") else ""
    added = end.join(more.rstrip("\r\n").replace("\r\n", "\n").split("\n")) + end
    return before + gap + added + "".join(rows[line:])
