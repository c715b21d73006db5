"""Sessions as other tools write them, each with the same conversation and with what is no turn of it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

ASKED, ANSWERED, THEN = "Which database do we take?", "SQLite, since one file is enough.", "Good, decided."
AT = 1771267500
"""The instant FIRST, in seconds since 1970."""
FIRST, SECOND, THIRD = "2026-02-16T18:45:00Z", "2026-02-16T18:46:00Z", "2026-02-16T18:47:00Z"


def lines(*entries: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in entries)


def claude_code(folder: Path) -> None:
    def line(kind: str, uuid: str, content: Any, at: str, **more: Any) -> dict[str, Any]:
        own = {"id": more.pop("ident"), "model": "claude-x"} if "ident" in more else {}
        usage = {"usage": more.pop("usage")} if "usage" in more else {}
        message = {"role": kind, "content": content, **own, **usage}
        return {"type": kind, "uuid": uuid, "sessionId": "s-1", "timestamp": at, "message": message, **more}

    usage = {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 7}
    told = "<system-reminder>be brief</system-reminder>"
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    entries = (
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        line("user", "u1", f"{told}{ASKED}", FIRST),
        line("user", "u0", told, FIRST),
        line("user", "u2", "caveat", FIRST, isMeta=True),
        line("assistant", "a1", [{"type": "thinking", "thinking": "hm"}], SECOND, ident="m1", usage=usage),
        line("assistant", "a2", [call], SECOND, ident="m1", usage=usage),
        line("user", "u3", [{"type": "tool_result", "tool_use_id": "t1", "content": "a.md"}], SECOND),
        line("assistant", "a3", [{"type": "text", "text": ANSWERED}], SECOND, ident="m1", usage=usage),
        line("user", "c1", "This session is being continued", SECOND, isCompactSummary=True),
        line("assistant", "b1", [{"type": "text", "text": "aside"}], SECOND, ident="m9", isSidechain=True),
        line("user", "u1", ASKED, FIRST),
        line("user", "u4", THEN, THIRD),
    )
    (folder / "-home-user").mkdir(parents=True)
    (folder / "-home-user/s-1.jsonl").write_bytes(lines(*entries) + b"{torn")


def openclaw(folder: Path) -> None:
    def line(ident: str, parent: str | None, role: str, content: Any, at: str, **more: Any) -> dict[str, Any]:
        message = {"role": role, "content": content, **more}
        return {"type": "message", "id": ident, "parentId": parent, "timestamp": at, "message": message}

    def text(said: str) -> list[dict[str, str]]:
        return [{"type": "text", "text": said}]

    call = {"type": "toolCall", "id": "t1", "name": "exec", "arguments": {"command": "ls"}}
    usage = {"input": 10, "cacheRead": 90, "output": 7}
    entries = (
        {"type": "session", "id": "s-1", "timestamp": FIRST},
        line("1", None, "user", text(ASKED), FIRST),
        line("2", "1", "assistant", [call], SECOND, model="claude-x", usage=usage),
        line("3", "2", "toolResult", text("a.md"), SECOND, toolCallId="t1"),
        line("x", "3", "assistant", text("another answer"), SECOND),
        line("4", "3", "assistant", text(ANSWERED), SECOND),
        {"type": "compaction", "id": "5", "parentId": "4", "summary": "s", "timestamp": SECOND},
        {"type": "custom_message", "id": "6", "parentId": "5", "content": "hook", "timestamp": SECOND},
        line("7", "6", "user", text(THEN), THIRD),
    )
    folder.mkdir()
    (folder / "s-1.jsonl").write_bytes(lines(*entries))


def codex(folder: Path) -> None:
    def item(at: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": at, "type": "response_item", "payload": payload}

    def said(at: str, role: str, text: str) -> dict[str, Any]:
        return item(at, type="message", role=role, content=[{"type": "input_text", "text": text}])

    total = {"total_token_usage": {"input_tokens": 100, "output_tokens": 7}}
    entries = (
        {"timestamp": FIRST, "type": "session_meta", "payload": {"id": "s-1"}},
        {"timestamp": FIRST, "type": "turn_context", "payload": {"model": "claude-x"}},
        said(FIRST, "developer", "rules"),
        said(FIRST, "user", "<environment_context>cwd</environment_context>"),
        said(FIRST, "user", ASKED),
        {"timestamp": FIRST, "type": "event_msg", "payload": {"type": "user_message", "message": ASKED}},
        item(SECOND, type="reasoning", summary=[]),
        item(SECOND, type="function_call", name="shell", arguments='{"command":"ls"}', call_id="t1"),
        item(SECOND, type="function_call_output", call_id="t1", output="a.md"),
        said(SECOND, "assistant", ANSWERED),
        {"timestamp": SECOND, "type": "compacted", "payload": {"message": "x"}},
        {
            "timestamp": SECOND,
            "type": "event_msg",
            "payload": {"type": "token_count", "info": total},
        },
        said(THIRD, "user", THEN),
    )
    (folder / "2026/02/16").mkdir(parents=True)
    (folder / "2026/02/16/rollout-2026-02-16-s-1.jsonl").write_bytes(lines(*entries))


def gemini(folder: Path) -> None:
    call = {"id": "t1", "name": "list", "args": {"path": "."}, "resultDisplay": "a.md"}
    tokens = {"input": 100, "output": 7}
    messages = [
        {"id": "1", "timestamp": FIRST, "type": "user", "content": ASKED},
        {"id": "2", "timestamp": FIRST, "type": "info", "content": "update"},
        {
            "id": "3", "timestamp": SECOND, "type": "gemini", "content": ANSWERED, "model": "claude-x",
            "toolCalls": [call], "thoughts": [{"subject": "x"}], "tokens": tokens,
        },
        {"id": "4", "timestamp": THIRD, "type": "user", "content": [{"text": THEN}]},
    ]  # fmt: skip
    (folder / "h/chats").mkdir(parents=True)
    (folder / "h/chats/session-1.json").write_bytes(json.dumps({"sessionId": "s-1", "messages": messages}).encode())
    (folder / "h/logs.json").write_bytes(b"[]")


def chatgpt(folder: Path) -> None:
    def node(ident: str, parent: str | None, role: str, text: str, at: float, **more: Any) -> dict[str, Any]:
        content = {"content_type": more.pop("kind", "text"), "parts": [text]}
        message = {"author": {"role": role}, "create_time": at, "content": content, **more}
        return {"id": ident, "parent": parent, "message": message}

    at = 1771267500.0
    nodes = (
        {"id": "root", "parent": None, "message": None},
        node("0", "root", "system", "", at),
        node("1", "0", "user", ASKED, at),
        node("2", "1", "assistant", "ls", at + 60, recipient="python"),
        node("3", "2", "tool", "a.md", at + 60),
        node("t", "3", "assistant", "hm", at + 60, kind="thoughts"),
        node("x", "t", "assistant", "another answer", at + 60),
        node("4", "t", "assistant", ANSWERED, at + 60),
        node("5", "4", "user", THEN, at + 120),
    )
    one = {
        "title": "The database", "conversation_id": "s-1", "default_model_slug": "claude-x", "current_node": "5",
        "mapping": {str(each["id"]): each for each in nodes},
    }  # fmt: skip
    folder.mkdir()
    (folder / "conversations.json").write_bytes(json.dumps([one]).encode())


def claude(folder: Path) -> None:
    call = [{"type": "tool_use", "name": "search", "input": {"q": "x"}}, {"type": "tool_result", "content": "a.md"}]
    messages = [
        {"sender": "human", "text": ASKED, "created_at": FIRST, "files": [{"file_name": "plan.png"}]},
        {"sender": "assistant", "created_at": SECOND, "content": [*call, {"type": "text", "text": ANSWERED}]},
        {"sender": "human", "content": [{"type": "text", "text": THEN}], "created_at": THIRD},
    ]
    folder.mkdir()
    one = {"uuid": "s-1", "name": "The database", "chat_messages": messages}
    (folder / "conversations.json").write_bytes(json.dumps([one]).encode())


def hipocampus(folder: Path) -> None:
    head = "## Session — 2026-02-16 18:45:00\n\n"
    half = f"**User:** {ASKED}\n\n[tool: Bash]\n\n**Assistant:** {ANSWERED}\n\n"
    text = f"# 2026-02-16\n\n## Topic [project]\n- request: x\n\n{head}{half}{head}{half}**User:** {THEN}\n"
    folder.mkdir()
    (folder / "2026-02-16.md").write_text(text, encoding="utf-8")


def opencode(folder: Path) -> None:
    def put(path: str, value: dict[str, Any]) -> None:
        (folder / "storage" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "storage" / path).write_bytes(json.dumps(value).encode())

    def part(message: str, number: int, **value: Any) -> None:
        put(f"part/{message}/p{number}.json", {"id": f"p{number}", "messageID": message, **value})

    state = {"input": {"command": "ls"}, "output": "a.md", "time": {"start": AT * 1000 + 60_000}}
    put("session/prj/s-1.json", {"id": "s-1", "title": "New session - 2026-02-16T18:45:00Z", "version": "1.0.1"})
    for number, role in enumerate(("user", "assistant", "user")):
        at = AT * 1000 + number * 60_000
        put(f"message/s-1/m{number}.json", {"id": f"m{number}", "role": role, "time": {"created": at}})
    part("m0", 1, type="text", text="<file>x</file>", synthetic=True)
    part("m0", 2, type="text", text=ASKED)
    part("m1", 3, type="reasoning", text="hm")
    part("m1", 4, type="tool", tool="bash", callID="t1", state=state)
    part("m1", 5, type="text", text=ANSWERED)
    part("m2", 6, type="text", text=THEN)


def pi(folder: Path) -> None:
    def line(ident: str, parent: str | None, role: str, content: Any, at: str, **more: Any) -> dict[str, Any]:
        message = {"role": role, "content": content, **more}
        return {"type": "message", "id": ident, "parentId": parent, "timestamp": at, "message": message}

    def text(said: str) -> list[dict[str, str]]:
        return [{"type": "text", "text": said}]

    call = {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "ls"}}
    entries = (
        {"type": "session", "version": 3, "id": "s-1", "timestamp": FIRST},
        line("1", None, "user", text(ASKED), FIRST),
        line("2", "1", "assistant", [{"type": "thinking", "thinking": "hm"}, call], SECOND, model="claude-x"),
        line("3", "2", "toolResult", text("a.md"), SECOND, toolCallId="t1"),
        line("x", "3", "user", text("Then MongoDB."), SECOND),
        {"type": "branch_summary", "id": "4", "parentId": "3", "summary": "s", "timestamp": SECOND},
        line("5", "4", "assistant", text(ANSWERED), SECOND),
        line("6", "5", "bashExecution", None, SECOND, command="ls", output="I prefer vim."),
        line("7", "6", "user", text(THEN), THIRD),
        {"type": "hologram", "id": "8", "parentId": "7", "timestamp": THIRD},
    )
    (folder / "--home-user--").mkdir(parents=True)
    (folder / "--home-user--/2026-02-16T18-45-00-000Z_s-1.jsonl").write_bytes(lines(*entries))


def cursor(folder: Path) -> None:
    text = (
        f"user:\n<user_info>Linux</user_info>\n<user_query>\n{ASKED}\n</user_query>\n\nassistant:\n[Thinking]\n  hm\n"
        f"[Tool call] Shell\n  command=ls\n[Tool result]\n  a.md\n{ANSWERED}\n\n"
        f"user:\n<user_query>\n{THEN}\n</user_query>\n"
    )
    file = folder / "home-user/agent-transcripts/s-1.txt"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    os.utime(file, (AT, AT))


def hermes(folder: Path) -> None:
    call = {"id": "t1", "type": "function", "function": {"name": "terminal", "arguments": '{"command":"ls"}'}}
    entries = (
        {"role": "session_meta", "model": "claude-x", "timestamp": FIRST},
        {"role": "user", "content": ASKED, "timestamp": "2026-02-16T18:45:00"},
        {"role": "assistant", "content": "", "tool_calls": [call], "timestamp": SECOND},
        {"role": "tool", "tool_call_id": "t1", "content": "a.md", "timestamp": SECOND},
        {"role": "assistant", "content": ANSWERED, "timestamp": SECOND},
        {"role": "user", "content": THEN, "timestamp": THIRD},
    )
    folder.mkdir()
    (folder / "20260216_184500_aa11.jsonl").write_bytes(lines(*entries))


WRITERS: dict[str, Callable[[Path], None]] = {
    "claude-code": claude_code,
    "openclaw": openclaw,
    "codex": codex,
    "gemini": gemini,
    "chatgpt": chatgpt,
    "claude": claude,
    "hipocampus": hipocampus,
    "opencode": opencode,
    "pi": pi,
    "cursor": cursor,
    "hermes": hermes,
}
COUNTED: dict[str, dict[str, int]] = {
    "claude-code": {
        "side chain": 1,
        "meta": 1,
        "system reminder": 2,
        "compaction summary": 1,
        "repeated": 1,
        "unreadable": 1,
    },
    "openclaw": {"abandoned branch": 1, "custom_message": 1, "compaction summary": 1},
    "codex": {"instructions": 1, "environment context": 1, "compaction summary": 1},
    "gemini": {"info": 1, "thinking": 1},
    "chatgpt": {"abandoned branch": 1, "system": 1, "thinking": 1},
    "claude": {},
    "hipocampus": {"repeated": 1},
    "opencode": {"synthetic part": 1, "thinking": 1},
    "pi": {"abandoned branch": 1, "compaction summary": 1, "bashExecution message": 1, "unknown line hologram": 1},
    "cursor": {"context": 1, "thinking": 1},
    "hermes": {"session info": 1},
}
"""What is counted out of each."""
