"""The export of ChatGPT: each conversation is a tree, of which the branch to `current_node` is what was said."""

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.lifecycle.imports.session import META, SIDE_CHAIN, ImportedSession, SessionBuilder, objects, string
from engine.text.transcript_marks import Speaker

_REASONING = frozenset({"thoughts", "reasoning_recap"})


class ChatGptExport:
    """Reads the one file with all conversations."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """Every conversation in which something was said."""
        for conversation in objects(msgspec.json.decode(data)):
            mapping = conversation.get("mapping")
            if isinstance(mapping, dict):
                yield from _conversation(conversation, mapping, source)


def _conversation(conversation: dict[str, Any], mapping: dict[str, Any], source: str) -> Iterator[ImportedSession]:
    ident = string(conversation.get("conversation_id")) or string(conversation.get("id")) or source
    built = SessionBuilder(ident, source)
    built.topic = string(conversation.get("title"))
    built.model = string(conversation.get("default_model_slug"))
    branch = _branch(mapping, conversation.get("current_node"))
    built.left_out[SIDE_CHAIN] = sum(_message(node) is not None for node in mapping.values()) - len(branch)
    for message in branch:
        _take(built, message, message.get("create_time") or conversation.get("create_time"))
    built.left_out += type(built.left_out)()  # without zeros
    yield from built.done()


def _branch(mapping: dict[str, Any], leaf: object) -> list[dict[str, Any]]:
    found, seen, at = [], set[str](), leaf
    while isinstance(at, str) and at not in seen and isinstance(mapping.get(at), dict):
        seen.add(at)
        if (message := _message(mapping[at])) is not None:
            found.append(message)
        at = mapping[at].get("parent")
    return found[::-1]


def _message(node: object) -> dict[str, Any] | None:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) else None


def _take(built: SessionBuilder, message: dict[str, Any], time: object) -> None:
    author, content = message.get("author"), message.get("content")
    role = author.get("role") if isinstance(author, dict) else None
    if not isinstance(content, dict) or string(content.get("content_type")) in _REASONING:
        return
    hidden = message.get("metadata")
    if role == "system" or (isinstance(hidden, dict) and hidden.get("is_visually_hidden_from_conversation")):
        built.left_out[META] += 1
        return
    parts = content.get("parts")
    listed = parts if isinstance(parts, list) else [content.get("text")]
    text = "\n".join(part for part in listed if isinstance(part, str))
    recipient = string(message.get("recipient")) or "all"
    if role == "user":
        built.say(Speaker.USER, text, time)
    elif role == "tool":
        built.result("last", text)
    elif role == "assistant" and recipient != "all":
        built.call(recipient, text, time, "last")
    elif role == "assistant":
        built.say(Speaker.AGENT, text, time)
    for part in objects(listed):
        if pointer := string(part.get("asset_pointer")):
            built.attach(pointer, time)
