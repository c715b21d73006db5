"""The text of a message of a session file, read without trust in any of its blocks."""

from typing import Any

_REMINDERS = ("system-reminder", "local-command-caveat", "local-command-stdout", "command-message")


def texts(content: object) -> str:
    """The text of a message's content: a string, or blocks of which those of type `text` count."""
    if isinstance(content, str):
        return content
    found = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            found.append(block)
        elif isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            found.append(block["text"])
    return "\n".join(found)


def without_reminders(text: str) -> tuple[str, bool]:
    """A user's text without what hooks and the program put into it, and whether nothing else is left (decision D20)."""
    left = text
    for name in _REMINDERS:
        left = _without(left, f"<{name}>", f"</{name}>")
    if left == text:
        return text, False
    return (left.strip(), False) if left.strip() else (text, True)


def _without(text: str, opening: str, closing: str) -> str:
    """The text without what stands between two marks; one that is never closed stays, as somebody's own words."""
    kept, done = [], 0
    while (begin := text.find(opening, done)) >= 0 and (end := text.find(closing, begin)) >= 0:
        kept.append(text[done:begin])
        done = end + len(closing)
    return "".join((*kept, text[done:])) if done else text


def flag(entry: dict[str, Any], *names: str) -> bool:
    """Tells whether one of these is set to true."""
    return any(entry.get(name) is True for name in names)
