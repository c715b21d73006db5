"""Reads and writes a topic's exemplars: messages that called for it, which Tier 2 compares like its text.
`topics/x/mail.md` has `topics/x/_mail.exemplars.md`; names with `_` are no topics. Each list item is a message; other
lines are for readers."""

from collections.abc import Iterable

from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact

MOST = 40  # exemplars of one topic, the newest: beyond some twenty the figures of `make eval` gain nothing more
LONGEST = 300  # characters of an exemplar
_HEAD = """\
# Messages that called for the topic `{name}`

Tier 2 compares a message with these as with the topic's own text. Items may be changed and removed.

"""


def exemplars_path(topic_path: str) -> str:
    """Returns the path of a topic's exemplars."""
    folder, _, name = topic_path.rpartition("/")
    return f"{folder}/_{name.removesuffix('.md')}.exemplars.md"


def read_exemplars(data: bytes) -> tuple[str, ...]:
    """Returns the last `MOST` messages in the file. Never raises."""
    lines = data.decode("utf-8", "replace").splitlines()
    items = (line[2:].strip()[:LONGEST] for line in lines if line.startswith("- "))
    return tuple(dict.fromkeys(item for item in items if item))[-MOST:]


def exemplar_of(message: str) -> str:
    """Returns a message as an exemplar: one line, secrets masked, cut at `LONGEST`."""
    return " ".join(visible_line(redact(message[: 4 * LONGEST])).split())[:LONGEST].strip()


def exemplars_file(topic: str, exemplars: Iterable[str]) -> bytes:
    """Returns the bytes of a file with these messages."""
    return (_HEAD.format(name=topic) + "".join(f"- {each}\n" for each in exemplars)).encode()
