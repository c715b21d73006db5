"""Session files of eight tools around one judged text: a question, its answer, the text, and an answer to it."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from tests.benchmarks.corpora.judged import Item

OPENER, ANSWER, LAST = "Where does the ladder stand?", "In the shed.", "All right."
TIME = "2026-11-18T10:0{}:00.000Z"
Record = dict[str, Any]


class Said(NamedTuple):
    """One record of a session: its minute, role, text, and the item that it comes from, if it does."""

    minute: int
    role: str
    text: str
    item: Item | None = None

    @property
    def time(self) -> str:
        return TIME.format(self.minute)

    @property
    def name(self) -> str:
        return "user" if self.role == "user" else "assistant"


def write_session(folder: Path, number: int, item: Item) -> str:
    """Writes the file (or files) of one session below `folder`, and gives its id."""
    ident = str(UUID(int=0x5E55_0000_0000_4000_8000_0000_0000_0000 + number))
    said = [Said(0, "user", OPENER), Said(1, "agent", ANSWER), Said(2, item["role"], item["text"], item)]
    if item["role"] == "user":
        said.append(Said(3, "agent", LAST))
    return _TOOLS[item["platform"]](folder, ident, said)


def _lines(file: Path, records: list[Record]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), "utf-8")


def _entry(ident: str, one: Said) -> Record:
    """The id of an entry, which no other session has, that of the one before, and the time."""
    before, mine = (f"{ident[-6:]}{minute:02}" for minute in (one.minute - 1, one.minute))
    return {"id": mine, "parentId": before if one.minute else None, "timestamp": one.time}


def _claude_code(folder: Path, ident: str, said: list[Said]) -> str:
    def record(one: Said) -> Record:
        uuid, before = (f"{n:08}-{ident[9:]}" for n in (one.minute, one.minute - 1))
        head: Record = {"parentUuid": before if one.minute else None, "isSidechain": False, "userType": "external"}
        head |= {"cwd": "/home/ana/x", "sessionId": ident, "version": "2.1.214", "uuid": uuid, "timestamp": one.time}
        if one.role == "agent":
            content = [{"type": "text", "text": one.text}]
            return head | {"type": "assistant", "message": {"id": f"m{uuid}", "role": "assistant", "content": content}}
        beside = dict((one.item or {}).get("origin", {}))
        beside |= {"origin": {"kind": beside.pop("kind")}} if "kind" in beside else {}
        return head | {"type": "user", "message": {"role": "user", "content": one.text}} | beside

    _lines(folder / "-home-ana-x" / f"{ident}.jsonl", [record(one) for one in said])
    return ident


def _openclaw(folder: Path, ident: str, said: list[Said]) -> str:
    records: list[Record] = [{"type": "session", "version": 3, "id": ident, "timestamp": said[0].time, "cwd": "/ws"}]
    for one in said:
        message = {"role": one.name, "content": [{"type": "text", "text": one.text}]}
        ids = _entry(ident, one)
        records.append({"type": "message", **ids, "message": message})
    _lines(folder / "agents/main/sessions" / f"{ident}.jsonl", records)
    return ident


def _codex(folder: Path, ident: str, said: list[Said]) -> str:
    meta = {
        "id": ident,
        "timestamp": said[0].time,
        "cwd": "/srv",
        "originator": "codex_cli_rs",
        "cli_version": "0.142.0",
    }
    records: list[Record] = [{"timestamp": said[0].time, "type": "session_meta", "payload": meta}]
    for one in said:
        kind = "input_text" if one.role == "user" else "output_text"
        message = {"type": "message", "role": one.name, "content": [{"type": kind, "text": one.text}]}
        records.append({"timestamp": one.time, "type": "response_item", "payload": message})
        typed = _typed(one)
        if one.role == "agent":
            records.append(
                {"timestamp": one.time, "type": "event_msg", "payload": {"type": "agent_message", "message": one.text}}
            )
        elif typed:
            event = {"type": "user_message", "message": typed, "images": []}
            records.append({"timestamp": one.time, "type": "event_msg", "payload": event})
    _lines(folder / "sessions/2026/11/18" / f"rollout-2026-11-18T10-00-00-{ident}.jsonl", records)
    return ident


def _typed(one: Said) -> str:
    """What Codex also writes as typed: an IDE's prompt whole, of text behind injected blocks that text alone."""
    if one.item is None or one.item["right"] == "person" or "## My request for Codex:" in one.text:
        return one.text
    return str(one.item.get("person_text", ""))


def _gemini(folder: Path, ident: str, said: list[Said]) -> str:
    records: list[Record] = [{"sessionId": ident, "projectHash": "7f" * 32, "startTime": said[0].time, "kind": "main"}]
    for one in said:
        kind, content = ("user", [{"text": one.text}]) if one.role == "user" else ("gemini", one.text)
        records.append({"id": _entry(ident, one)["id"], "timestamp": one.time, "type": kind, "content": content})
    _lines(folder / "tmp/x/chats" / f"session-2026-11-18T10-00-{ident[-8:]}.jsonl", records)
    return ident


def _opencode(folder: Path, ident: str, said: list[Said]) -> str:
    session, storage = f"ses_{ident[-6:]}", folder / "storage"
    when = {"created": 1_794_996_000_000, "updated": 1_794_996_240_000}
    _lines(storage / "session/p" / f"{session}.json", [{"id": session, "projectID": "p", "title": "x", "time": when}])
    for one in said:
        message, part = f"msg_{session[4:]}_{one.minute}", f"prt_{session[4:]}_{one.minute}"
        made = {"created": 1_794_996_000_000 + 60_000 * one.minute}
        head = {"id": message, "sessionID": session, "role": one.name, "time": made}
        _lines(storage / "message" / session / f"{message}.json", [head])
        text = {"id": part, "messageID": message, "sessionID": session, "type": "text", "text": one.text}
        _lines(storage / "part" / message / f"{part}.json", [text | (one.item or {}).get("origin", {})])
    return session


def _pi(folder: Path, ident: str, said: list[Said]) -> str:
    records: list[Record] = [{"type": "session", "version": 3, "id": ident, "timestamp": said[0].time, "cwd": "/srv"}]
    for one in said:
        records.append({**_pi_entry(one, f"{ident[-6:]}00"), **_entry(ident, one)})
    _lines(folder / "--srv--" / f"2026-11-18T10-00-00-000Z_{ident}.jsonl", records)
    return ident


def _pi_entry(one: Said, first: str) -> Record:
    origin = (one.item or {}).get("origin", {})
    match origin.get("role_in_file"):
        case "compactionSummary":
            return {"type": "compaction", "summary": one.text, "firstKeptEntryId": first, "tokensBefore": 9}
        case "branchSummary":
            return {"type": "branch_summary", "summary": one.text, "fromId": first}
        case "custom":
            return {"type": "custom_message", "customType": origin["customType"], "content": one.text, "display": True}
        case "bashExecution":
            command, _, output = one.text.partition("\n")
            message: Record = {"role": "bashExecution", "command": command, "output": output, "exitCode": 0}
        case _:
            message = {"role": one.name, "content": [{"type": "text", "text": one.text}]}
    return {"type": "message", "message": message}


def _cursor(folder: Path, ident: str, said: list[Said]) -> str:
    def text(one: Said) -> str:
        return f"<user_query>\n{one.text}\n</user_query>" if one.text == OPENER or _honest(one) else one.text

    records: list[Record] = [
        {"role": one.name, "message": {"content": [{"type": "text", "text": text(one)}]}} for one in said
    ]
    _lines(folder / "srv-x/agent-transcripts" / ident / f"{ident}.jsonl", records)
    return ident


def _honest(one: Said) -> bool:
    return one.item is not None and one.item["right"] == "person"


def _hermes(folder: Path, ident: str, said: list[Said]) -> str:
    session = f"20261118_1000{ident[-2:]}_{ident[-8:]}"
    records: list[Record] = [{"role": "session_meta", "model": "m", "platform": "cli", "timestamp": said[0].time}]
    records += [{"role": one.name, "content": one.text, "timestamp": one.time} for one in said]
    _lines(folder / "sessions" / f"{session}.jsonl", records)
    return session


_TOOLS: Mapping[str, Callable[[Path, str, list[Said]], str]] = {
    "claude-code": _claude_code, "openclaw": _openclaw, "codex": _codex, "gemini": _gemini,
    "opencode": _opencode, "pi": _pi, "cursor": _cursor, "hermes": _hermes,
}  # fmt: skip
