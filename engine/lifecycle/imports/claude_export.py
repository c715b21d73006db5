"""The export of Claude's app: `conversations.json`, a list of conversations with their messages in order."""

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.lifecycle.imports.session import ImportedSession, SessionBuilder, objects, string
from engine.text.message_content import texts
from engine.text.transcript_marks import Speaker


class ClaudeExport:
    """Reads the one file with all conversations."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """Every conversation in which something was said."""
        for conversation in objects(msgspec.json.decode(data)):
            if isinstance(conversation.get("chat_messages"), list):
                built = SessionBuilder(string(conversation.get("uuid")) or source, source)
                built.topic = string(conversation.get("name"))
                for message in objects(conversation["chat_messages"]):
                    _take(built, message)
                yield from built.done()


def _take(built: SessionBuilder, message: dict[str, Any]) -> None:
    content, time = message.get("content"), message.get("created_at")
    user = message.get("sender") == "human"
    for block in objects(content):
        if block.get("type") == "tool_use":
            built.call(string(block.get("name")), block.get("input"), time, "last")
        elif block.get("type") == "tool_result":
            built.result("last", texts(block.get("content")))
    built.say(Speaker.USER if user else Speaker.AGENT, texts(content) or string(message.get("text")), time)
    for file in (*objects(message.get("attachments")), *objects(message.get("files"))):
        if name := string(file.get("file_name")):
            built.attach(name, time)
