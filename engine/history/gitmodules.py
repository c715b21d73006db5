"""Reads and writes the entries of shared knowledge in `.gitmodules`. The agent can write that file, so an entry
gives only name and pin: the policy has the address. Other entries stay byte for byte; git never reads the file for
memdeck."""

import re
from collections.abc import Mapping

import msgspec

FILE = ".gitmodules"
FOLDER = "knowledge/shared/"  # shared repositories lie here, each in a folder of its name
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ENTRY = re.compile(r'^\[submodule "([^"\n]*)"\][ \t]*\r?\n((?:[ \t]+[^\n]*(?:\n|\Z)|\r?\n(?=[ \t]))*)', re.MULTILINE)
_VALUE = re.compile(r"^[ \t]+([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*([^\r\n]*?)[ \t]*\r?$", re.MULTILINE)


def is_commit(text: str) -> bool:
    """Tells whether a text is a full commit id."""
    return _ID.fullmatch(text) is not None


class SharedEntry(msgspec.Struct, frozen=True):
    """An entry of a shared repository: its name, the commit it is pinned to, and the address in the file."""

    name: str
    pin: str
    address: str


def shared_name(path: str) -> str:
    """Gives the name of the shared repository that a path lies in; empty if there is none."""
    if not path.startswith(FOLDER):
        return ""
    name, slash, _ = path.removeprefix(FOLDER).partition("/")
    return name if slash and NAME.fullmatch(name) else ""


def shared_entries(data: bytes) -> Mapping[str, SharedEntry]:
    """Gives the entries of shared knowledge by name, without those that have no pin or another path."""
    found = {}
    for match in _ENTRY.finditer(data.decode("utf-8", "replace")):
        place = match[1]
        values = {key.casefold(): _unquoted(value) for key, value in _VALUE.findall(match[2])}
        name = place.removeprefix(FOLDER)
        ours = place == f"{FOLDER}{name}" == values.get("path") and NAME.fullmatch(name)
        if ours and is_commit(values.get("pin", "")):
            found[name] = SharedEntry(name, values["pin"], values.get("url", ""))
    return found


def with_entry(text: str, entry: SharedEntry) -> str:
    """Gives the text with this entry added, or replaced where its name is there already."""
    path = FOLDER + entry.name
    block = f'[submodule "{path}"]\n\tpath = {path}\n\turl = {_quoted(entry.address)}\n\tpin = {entry.pin}\n'
    for match in _ENTRY.finditer(text):
        if match[1] == path:
            return text[: match.start()] + block + text[match.end() :]
    return text + ("\n" if text and not text.endswith("\n") else "") + block


def without_entry(text: str, name: str) -> str:
    """Gives the text without the entries of this name."""
    return _ENTRY.sub(lambda match: "" if match[1] == FOLDER + name else match[0], text)


def _quoted(value: str) -> str:
    if not re.search(r'[#;"\\]', value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return value
