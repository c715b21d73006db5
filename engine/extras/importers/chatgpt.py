"""Reads the export of ChatGPT. Each conversation is a tree; the branch to `current_node` is the conversation."""

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.extras.importers.session import ImportedSession, NoTurn, SessionBuilder, objects, string
from engine.sessions.turn_tree import TreeLine, abandoned
from engine.text.transcript_marks import Speaker

_REASONING = frozenset({"thoughts", "reasoning_recap"})
_INSTRUCTIONS = frozenset({"user_editable_context", "model_editable_context"})
EMPTY = "empty conversation"


class ChatGptExport:
    """Reads a single file with all conversations, or several files."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """Every conversation. An empty one is only counted."""
        for conversation in objects(msgspec.json.decode(data)):
            mapping = conversation.get("mapping")
            if isinstance(mapping, dict):
                yield from _conversation(conversation, mapping, source)


def _conversation(conversation: dict[str, Any], mapping: dict[str, Any], source: str) -> Iterator[ImportedSession]:
    ident = string(conversation.get("conversation_id")) or string(conversation.get("id")) or source
    built = SessionBuilder(ident, source, "chatgpt")
    built.topic = string(conversation.get("title"))
    built.model = string(conversation.get("default_model_slug"))
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
    parents = {key: string(node.get("parent")) or None for key, node in nodes.items()}
    order = sorted(nodes, key=lambda key: _time(nodes[key]))
    leaf = string(conversation.get("current_node"))
    if leaf not in nodes:
        leaf = next((key for key in reversed(order) if key not in parents.values()), "")
    left = abandoned((TreeLine(key, parents[key] or "", _speaker(nodes[key])) for key in order), leaf)
    built.left_out[NoTurn.ABANDONED] = sum(_speaker(nodes[key]) is not None for key in left)
    for key in _in_order(parents, leaf, left):
        if (message := _message(nodes[key])) is not None:
            _take(built, message, message.get("create_time") or conversation.get("create_time"))
    yield from list(built.done()) or [ImportedSession(session=ident, source=source, events=(), left_out={EMPTY: 1})]


def _in_order(parents: dict[str, str | None], leaf: str, left: frozenset[str]) -> list[str]:
    """The messages that count: the branch from its first one, and before it those without a parent."""
    branch: dict[str, None] = {}
    at = leaf
    while at in parents and at not in branch:
        branch[at] = None
        at = parents[at] or ""
    return [*(key for key in parents if key not in left and key not in branch), *reversed(branch)]


def _message(node: dict[str, Any]) -> dict[str, Any] | None:
    message = node.get("message")
    return message if isinstance(message, dict) else None


def _time(node: dict[str, Any]) -> float:
    at = (_message(node) or {}).get("create_time")
    return float(at) if isinstance(at, int | float) else 0.0


def _speaker(node: dict[str, Any]) -> Speaker | None:
    author = (_message(node) or {}).get("author")
    role = author.get("role") if isinstance(author, dict) else None
    return {"user": Speaker.USER, "assistant": Speaker.AGENT}.get(string(role))


def _take(built: SessionBuilder, message: dict[str, Any], time: object) -> None:
    author, content = message.get("author"), message.get("content")
    role = author.get("role") if isinstance(author, dict) else None
    if not isinstance(content, dict):
        return
    kind, metadata = string(content.get("content_type")), message.get("metadata")
    if kind in _REASONING:
        built.left_out["thinking"] += 1
        return
    hidden = isinstance(metadata, dict) and bool(metadata.get("is_visually_hidden_from_conversation"))
    if role == "system" or kind in _INSTRUCTIONS or hidden:
        built.left_out["system" if role == "system" else NoTurn.META] += 1
        return
    _say(built, role, message, content, time)


def _say(built: SessionBuilder, role: object, message: dict[str, Any], content: dict[str, Any], time: object) -> None:
    parts = content.get("parts")
    listed = parts if isinstance(parts, list) else [content.get("text")]
    text = "\n".join(filter(None, map(_text, listed)))
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


def _text(part: object) -> str:
    if isinstance(part, dict) and part.get("content_type") == "audio_transcription":
        return string(part.get("text"))
    return string(part)
