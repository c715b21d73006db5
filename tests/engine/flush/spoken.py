"""Turns of a session that a test makes up."""

from engine.topics.messages import SessionTurn


def spoken(number: int, role: str, text: str, mark: str = "") -> SessionTurn:
    """A turn that stands on the line of its number."""
    return SessionTurn(source="s", number=number, line=number, role=role, text=text, mark=mark)
