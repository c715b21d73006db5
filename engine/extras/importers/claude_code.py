"""Reads sessions of Claude Code: a line for each block of a message, one turn per `message.id`, in a tree of lines."""

import re
from collections.abc import Iterator
from typing import Any

from engine.extras.importers.session import ImportedSession, NoTurn, SessionBuilder, number, objects, string
from engine.sessions.claude_code import not_said, queued, tree_entry
from engine.sessions.platforms.rules import line_kind
from engine.sessions.turn_tree import abandoned
from engine.text.transcript_marks import Speaker, text_blocks, texts

_TOOL = "claude-code"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


class ClaudeCodeSessions:
    """Reads file after file. Duplicate lines within a file count once; copies across files are settled afterwards."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file. Lines of a subagent are not its turns."""
        built = SessionBuilder("", source, _TOOL)
        entries = list(built.lines(data))
        built.session = _session(entries, source)
        is_side = "/subagents/" in f"/{source}" or (bool(entries) and all(map(_of_helper, entries)))
        built.left_out[f"{NoTurn.SIDE_CHAIN} file"] = int(is_side)
        gone, seen, copied = _given_up(entries), set[str](), set[str]()
        for entry in entries:
            if is_side or _of_helper(entry):
                built.left_out[NoTurn.SIDE_CHAIN] += 1
                continue
            ident = string(entry.get("uuid"))
            if ident and ident in seen:
                built.left_out[NoTurn.REPEATED] += 1
                continue
            seen.add(ident)
            if isinstance(origin := entry.get("forkedFrom"), dict) and (key := string(origin.get("messageUuid"))):
                copied.add(key)
            else:
                key = ident
            _take(built, entry, key, is_gone=ident in gone)
        yield from built.done(copied)


def _of_helper(entry: dict[str, Any]) -> bool:
    return entry.get("isSidechain") is True


def _session(entries: list[dict[str, Any]], source: str) -> str:
    """The id of a file's session: its name, or the first id in a line."""
    name = source.rpartition("/")[2].partition(".jsonl")[0]
    if _UUID.match(name):
        return name
    return next((ident for entry in entries if (ident := string(entry.get("sessionId")))), name)


def _given_up(entries: list[dict[str, Any]]) -> frozenset[str]:
    """The abandoned lines. The line that the tool calls the last one counts until something is said after it."""
    tree, leaf = [], ""
    for entry in entries:
        if (placed := tree_entry(entry)) is not None:
            tree.append(placed)
            leaf = leaf if placed.role is None else ""
        elif entry.get("type") == "last-prompt":
            leaf = string(entry.get("leafUuid"))
    return abandoned(tree, leaf)


def _take(built: SessionBuilder, entry: dict[str, Any], key: str, *, is_gone: bool) -> None:
    kind, message = string(entry.get("type")), entry.get("message")
    if kind == "attachment":
        content, reason = queued(entry)
        if reason or is_gone:
            built.left_out[reason or NoTurn.ABANDONED] += 1
        else:
            built.say(Speaker.USER, text_blocks(content), entry.get("timestamp"), key=key)
    elif kind not in ("user", "assistant") or not isinstance(message, dict):
        built.left_out[line_kind(_TOOL, entry)] += 1
    elif is_gone:
        built.left_out[NoTurn.ABANDONED] += 1
    elif reason := not_said(entry):
        built.left_out[reason] += 1
    elif kind == "user":
        _user(built, message, entry.get("timestamp"), key)
    else:
        _agent(built, message, entry.get("timestamp"), key)


def _user(built: SessionBuilder, message: dict[str, Any], time: object, key: str) -> None:
    content = message.get("content")
    for block in objects(content):
        if block.get("type") == "tool_result":
            built.result(string(block.get("tool_use_id")), texts(block.get("content")))
    built.say(Speaker.USER, text_blocks(content), time, key=key)


def _agent(built: SessionBuilder, message: dict[str, Any], time: object, key: str) -> None:
    ident, model, usage = string(message.get("id")), string(message.get("model")), message.get("usage")
    built.model = model if model and not model.startswith("<") else built.model
    if isinstance(usage, dict):
        read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        built.tokens[ident] = (sum(number(usage.get(name)) for name in read), number(usage.get("output_tokens")))
    for block in objects(message.get("content")):
        if block.get("type") == "text":
            built.say(Speaker.AGENT, string(block.get("text")), time, ident, key=key)
        elif block.get("type") == "tool_use":
            call = string(block.get("id"))
            built.call(string(block.get("name")), block.get("input"), time, call, key=key and f"{key}/{call}")
    if isinstance(message.get("content"), str):
        built.say(Speaker.AGENT, message["content"], time, ident, key=key)
