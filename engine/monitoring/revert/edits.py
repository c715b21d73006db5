"""Makes of a session's edits of one note the texts before and after each, so that they can be taken back."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.errors import Refused
from engine.history.file_edits import FileEdit
from engine.monitoring.revert.plan import RevertSide


def sides_of_edits(path: str, edits: Sequence[FileEdit], before: bytes | None, told: str) -> Iterator[RevertSide]:
    """Each edit, the newest first. `before` is the note before the first; None: there was none. An edit that does not
    fit had failed, and is left out; `Refused` where the note before it is not known."""
    text = None if before is None else before.decode("utf-8", "replace")
    states = [text]
    for edit in edits:
        if edit.old is None:
            text = edit.new
        elif text is None:
            raise Refused("the note before the session is not known", where=path)
        elif edit.old and edit.old in text:
            text = text.replace(edit.old, edit.new, -1 if edit.everywhere else 1)
        states.append(text)
    for old, new in reversed(list(pairwise(states))):
        if old != new:
            yield RevertSide(path=path, before=_bytes(old), after=_bytes(new), told=told)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "replace")
