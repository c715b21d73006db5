"""Reads the export of Claude's app: `conversations.json`, a list of conversations, whose messages may form a tree."""

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.extras.importers.chatgpt import EMPTY
from engine.extras.importers.session import ImportedSession, NoTurn, SessionBuilder, objects, string
from engine.sessions.turn_tree import TreeLine, abandoned
from engine.text.transcript_marks import Speaker, texts


class ClaudeExport:
    """Reads the single file with all conversations."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """Every conversation. An empty one is only counted."""
        for conversation in objects(msgspec.json.decode(data)):
            if isinstance(conversation.get("chat_messages"), list):
                yield from _conversation(conversation, list(objects(conversation["chat_messages"])), source)


def _conversation(
    conversation: dict[str, Any], messages: list[dict[str, Any]], source: str
) -> Iterator[ImportedSession]:
    built = SessionBuilder(string(conversation.get("uuid")) or source, source, "claude")
    built.topic = string(conversation.get("name"))
    named = [message for message in messages if string(message.get("uuid"))]
    lines = [TreeLine(said["uuid"], string(said.get("parent_message_uuid")), _speaker(said)) for said in named]
    # The first messages of all branches name a parent that is not there.
    roots = [TreeLine(line.parent, "") for line in lines]
    left = abandoned((*lines, *roots), string(conversation.get("current_leaf_message_uuid")))
    for message in messages:
        if string(message.get("uuid")) in left:
            built.left_out[NoTurn.ABANDONED] += 1
        else:
            _take(built, message)
    done = list(built.done())
    yield from done or [ImportedSession(session=built.session, source=source, events=(), left_out={EMPTY: 1})]


def _speaker(message: dict[str, Any]) -> Speaker:
    return Speaker.USER if message.get("sender") == "human" else Speaker.AGENT


def _take(built: SessionBuilder, message: dict[str, Any]) -> None:
    content, time = message.get("content"), message.get("created_at")
    user = _speaker(message) is Speaker.USER
    for block in objects(content):
        if block.get("type") == "tool_use":
            built.call(string(block.get("name")), block.get("input"), time, "last")
        elif block.get("type") == "tool_result":
            built.result("last", texts(block.get("content")))
        elif block.get("type") == "thinking":
            built.left_out["thinking"] += 1
    text = texts(content) or string(message.get("text"))
    built.say(_speaker(message), text, time)
    files = [string(file.get("file_name")) for key in ("attachments", "files") for file in objects(message.get(key))]
    built.left_out["only attachments"] += user and bool(files) and not text.strip()
    for name in filter(None, files):
        built.attach(name, time)
