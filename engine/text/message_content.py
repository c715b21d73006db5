"""The text of a message of a session file, read without trust in any of its blocks."""

from typing import Any

_TEXTS = ("text", "input_text", "output_text")


def texts(content: object) -> str:
    """The text of a message's content, whose blocks stand on lines of their own."""
    return "\n".join(text_blocks(content))


def text_blocks(content: object) -> list[str]:
    """The texts of a message's content: a string, or blocks of which those of type `text` count."""
    if isinstance(content, str):
        return [content]
    found = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            found.append(block)
        elif isinstance(block, dict) and block.get("type") in _TEXTS and isinstance(block.get("text"), str):
            found.append(block["text"])
    return found


def flag(entry: dict[str, Any], *names: str) -> bool:
    """Tells whether one of these is set to true."""
    return any(entry.get(name) is True for name in names)
