"""Small sessions in each form that a tool has had, all with the same two messages of a person."""

import json
import sqlite3
import sys
import zipfile
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.engine.extras.other_tools import ANSWERED, ASKED, AT, FIRST, SECOND, THEN, THIRD, WRITERS, lines

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd

MILLISECONDS = AT * 1000


def _moved(kind: str, source: str, target: str, folder: Path) -> None:
    """The session of the other fixtures, under another name."""
    WRITERS[kind](folder)
    (folder / target).parent.mkdir(parents=True, exist_ok=True)
    (folder / source).rename(folder / target)


def packed(kind: str, target: str) -> Callable[[Path], None]:
    """The file of the other fixtures, packed by zstd as its tool does."""

    def write(folder: Path) -> None:
        WRITERS[kind](folder)
        (file,) = (one for one in folder.rglob("*.jsonl"))
        data = zstd.compress(file.read_bytes())
        file.unlink()
        (folder / target).write_bytes(data)

    return write


def database(file: Path, tables: dict[str, tuple[str, Iterable[tuple[Any, ...]]]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as db:
        for name, (columns, rows) in tables.items():
            db.execute(f"CREATE TABLE {name}({columns})")
            for row in rows:
                db.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
        db.commit()


def sub_agents(path: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        WRITERS["claude-code"](folder)
        said = {"type": "user", "uuid": "z1", "sessionId": "s-1", "timestamp": SECOND, "isSidechain": True}
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(lines({**said, "message": {"role": "user", "content": "I prefer tabs."}}))

    return write


def openclaw_sqlite(folder: Path) -> None:
    WRITERS["openclaw"](folder)
    events = [line for line in (folder / "s-1.jsonl").read_text("utf-8").splitlines() if line]
    (folder / "s-1.jsonl").unlink()
    rows = [("s-1", seq, text, MILLISECONDS) for seq, text in enumerate(events)]
    database(
        folder / "main/agent/openclaw-agent.sqlite",
        {
            "schema_meta": ("app_version TEXT", [("2026.8.3",)]),
            "transcript_events": ("session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER", rows[::-1]),
        },
    )


def gemini_lines(folder: Path) -> None:
    entries = (
        {"sessionId": "s-1", "projectHash": "h", "startTime": FIRST, "kind": "main"},
        {"id": "0", "timestamp": FIRST, "type": "user", "content": "Taken back."},
        {"$rewindTo": "0"},
        {"id": "1", "timestamp": FIRST, "type": "user", "content": ASKED},
        {"id": "2", "timestamp": SECOND, "type": "gemini", "content": ""},
        {"id": "2", "timestamp": SECOND, "type": "gemini", "content": ANSWERED, "tokens": {"input": 1, "output": 2}},
        {"$set": {"summary": "The database"}},
        {"id": "3", "timestamp": THIRD, "type": "user", "content": [{"text": THEN}]},
    )
    (folder / "slug/chats").mkdir(parents=True)
    (folder / "slug/chats/session-2026-02-16T18-45-s1.jsonl").write_bytes(lines(*entries))


def gemini_sub_agent(folder: Path) -> None:
    gemini_lines(folder)
    ident = "5e551000-0000-4000-8000-000000000101"
    (file,) = folder.rglob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"s-1", ident.encode()))
    parent = folder / "slug/chats" / ident
    parent.mkdir()
    head = {"sessionId": "s-2", "projectHash": "h", "startTime": FIRST, "kind": "subagent"}
    said = {"id": "1", "timestamp": FIRST, "type": "user", "content": "I prefer tabs."}
    (parent / "s-2.jsonl").write_bytes(lines(head, said))


def opencode_sqlite(folder: Path) -> None:
    sessions = [
        ("s-1", None, "The database", MILLISECONDS),
        ("s-2", "s-1", "Child session - 2026-02-16T18:45:00Z", MILLISECONDS),
    ]
    said = [("m1", "user", ASKED), ("m2", "assistant", ANSWERED), ("m3", "user", THEN)]
    messages = [
        (ident, "s-1", MILLISECONDS + 60_000 * number, json.dumps({"role": role}))
        for number, (ident, role, _) in enumerate(said)
    ]
    parts = [(f"p{ident}", ident, "s-1", json.dumps({"type": "text", "text": text})) for ident, _, text in said]
    parts += [("x1", "m9", "s-2", json.dumps({"type": "text", "text": "I prefer tabs."}))]
    database(
        folder / "opencode.db",
        {
            "session": ("id TEXT, parent_id TEXT, title TEXT, time_created INTEGER", sessions),
            "message": (
                "id TEXT, session_id TEXT, time_created INTEGER, data TEXT",
                [*messages, ("m9", "s-2", MILLISECONDS, '{"role": "user"}')],
            ),
            "part": ("id TEXT, message_id TEXT, session_id TEXT, data TEXT", parts),
        },
    )


def cursor_lines(folder: Path) -> None:
    def line(role: str, text: str) -> dict[str, Any]:
        return {"role": role, "message": {"content": [{"type": "text", "text": text}]}}

    entries = (
        line("user", f"<user_query>\n{ASKED}\n</user_query>"),
        line("assistant", ANSWERED),
        line("user", f"<user_query>\n{THEN}\n</user_query>"),
        {"type": "turn_ended"},
    )
    (folder / "home/agent-transcripts/s-1").mkdir(parents=True)
    (folder / "home/agent-transcripts/s-1/s-1.jsonl").write_bytes(lines(*entries))


def _hermes_messages() -> list[dict[str, Any]]:
    said = (("user", ASKED, FIRST), ("assistant", ANSWERED, SECOND), ("user", THEN, THIRD))
    return [{"role": role, "content": text, "timestamp": time} for role, text, time in said]


def hermes_json(folder: Path) -> None:
    folder.mkdir()
    value = {"session_id": "s-1", "model": "claude-x", "session_start": FIRST, "messages": _hermes_messages()}
    (folder / "session_s-1.json").write_bytes(json.dumps(value).encode())


def hermes_sqlite(folder: Path) -> None:
    rows = [
        (number, "s-1", one["role"], one["content"], AT + 60.25 * number)
        for number, one in enumerate(_hermes_messages())
    ]
    database(
        folder / "state.db",
        {
            "sessions": ("id TEXT, model TEXT, title TEXT, started_at REAL", [("s-1", "claude-x", None, AT)]),
            "messages": ("id INTEGER, session_id TEXT, role TEXT, content TEXT, timestamp REAL", rows),
        },
    )


def archive(kind: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        WRITERS[kind](folder)
        file = folder / "conversations.json"
        with zipfile.ZipFile(folder / "export.zip", "w", zipfile.ZIP_DEFLATED) as made:
            made.write(file, "export/conversations.json")
            made.writestr("__MACOSX/export/._conversations.json", b"junk")
            made.writestr("export/photo.png", b"png")
        file.unlink()

    return write


def plain(kind: str) -> Callable[[Path], None]:
    return WRITERS[kind]


FIXTURES: dict[tuple[str, str], Callable[[Path], None]] = {
    ("claude-code", "sub-agents in a folder of the session"): sub_agents("-home-user/s-1/subagents/agent-a1.jsonl"),
    ("claude-code", "sub-agents beside the session"): sub_agents("-home-user/agent-a1b2c3d4.jsonl"),
    ("claude-code", "JSON lines"): plain("claude-code"),
    ("openclaw", "SQLite of an agent"): openclaw_sqlite,
    ("openclaw", "JSON lines, reset or deleted"): lambda folder: _moved(
        "openclaw", "s-1.jsonl", "s-1.jsonl.reset.2026-02-17T08-00-00.000Z", folder
    ),
    ("openclaw", "JSON lines, packed"): packed("openclaw", "s-1.jsonl.deleted.2026-02-17T08-00-00.000Z.zst"),
    ("openclaw", "JSON lines"): plain("openclaw"),
    ("codex", "JSON lines"): plain("codex"),
    ("codex", "JSON lines, packed"): packed("codex", "rollout-2026-02-16T18-45-00-s-1.jsonl.zst"),
    ("gemini", "sub-agents as JSON lines"): gemini_sub_agent,
    ("gemini", "JSON lines"): gemini_lines,
    ("gemini", "one JSON a session"): plain("gemini"),
    ("opencode", "a JSON file for each part"): plain("opencode"),
    ("opencode", "SQLite"): opencode_sqlite,
    ("pi", "JSON lines, with a tree since version 2"): plain("pi"),
    ("cursor", "JSON lines"): cursor_lines,
    ("cursor", "text"): plain("cursor"),
    ("hermes", "SQLite"): hermes_sqlite,
    ("hermes", "JSON lines"): plain("hermes"),
    ("hermes", "one JSON a session"): hermes_json,
    ("chatgpt", "ZIP of the export"): archive("chatgpt"),
    ("chatgpt", "numbered files"): lambda folder: _moved(
        "chatgpt", "conversations.json", "conversations-000.json", folder
    ),
    ("chatgpt", "one file"): plain("chatgpt"),
    ("claude", "ZIP of the export"): archive("claude"),
    ("claude", "one file"): plain("claude"),
    ("hipocampus", "raw logs"): plain("hipocampus"),
}
