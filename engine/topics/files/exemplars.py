"""The file of exemplars beside a topic: messages that called for it, which Tier 2 compares like the topic's own text.
`topics/x/mail.md` has `topics/x/_mail.exemplars.md`: names with `_` before them are about topics and no topics. Each
list item is one message; all else in the file is for its reader."""

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
    """The place of a topic's exemplars."""
    folder, _, name = topic_path.rpartition("/")
    return f"{folder}/_{name.removesuffix('.md')}.exemplars.md"


def read_exemplars(data: bytes) -> tuple[str, ...]:
    """The messages in the file, the last `MOST` of them. Never raises."""
    lines = data.decode("utf-8", "replace").splitlines()
    items = (line[2:].strip()[:LONGEST] for line in lines if line.startswith("- "))
    return tuple(dict.fromkeys(item for item in items if item))[-MOST:]


def exemplar_of(message: str) -> str:
    """A message as an exemplar: one line, without secrets, cut at `LONGEST`."""
    return " ".join(visible_line(redact(message[: 4 * LONGEST])).split())[:LONGEST].strip()


def exemplars_file(topic: str, exemplars: Iterable[str]) -> bytes:
    """The file that holds these messages."""
    return (_HEAD.format(name=topic) + "".join(f"- {each}\n" for each in exemplars)).encode()
