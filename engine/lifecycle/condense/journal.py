"""Edits a journal: rows below their topics, and the sessions in its head (autopoiesis §2.2)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from engine.text.frontmatter import read_frontmatter
from engine.workspace.snapshot import Snapshot

JOURNALS = "knowledge/journal/"
_ONE_LINE = re.compile(r"(?m)^(sessions:[ \t]*\[)([^\]\n#]*)(\][ \t]*\r?)$")
_LIST = re.compile(r"(?m)^sessions:[ \t]*\n(?:([ \t]*)-[ \t].*\n)+")
_PLAIN = re.compile(r"[A-Za-z][\w.-]*")


def journal_path(day: date) -> str:
    return f"{JOURNALS}{day}.md"


def listed_sessions(head: Mapping[str, str | list[str]]) -> frozenset[str]:
    """Gives the sessions that a journal's head lists."""
    found = head.get("sessions", ())
    return frozenset(re.split(r"[,\s]+", found.strip("[] ")) if isinstance(found, str) else found) - {""}


def sessions_of_day(snapshot: Snapshot, day: date) -> frozenset[str]:
    """Gives the sessions that a day's journal lists, archived or not."""
    path = journal_path(day)
    places = (path, "archive/" + path.removeprefix("knowledge/"))
    found = (snapshot.files[at].frontmatter for at in places if at in snapshot.files)
    return frozenset().union(*map(listed_sessions, found))


def new_journal(day: date, sessions: Iterable[str]) -> str:
    """Gives the text of a new journal without rows."""
    return f"---\ntype: journal\ndate: {day}\nsessions: [{_joined(sessions)}]\n---\n\n## {day}\n"


def with_sessions(text: str, day: date, sessions: Sequence[str]) -> str | None:
    """Adds sessions to the text's head, and a head where there is none; None where the head is unreadable."""
    head = read_frontmatter(text.encode("utf-8", "surrogatepass"))
    if head.problem is not None:
        return None
    if head.body_line == 1:
        found = f"---\ntype: journal\ndate: {day}\nsessions: [{_joined(sessions)}]\n---\n\n{text}"
    else:
        end = sum(len(line) + 1 for line in text.split("\n")[: head.body_line - 1])
        found = _with_more(text[:end], sessions) + text[end:]
    known = listed_sessions(read_frontmatter(found.encode("utf-8", "surrogatepass")).values)
    return found if known == listed_sessions(head.values) | set(sessions) else None


def _with_more(head: str, sessions: Sequence[str]) -> str:
    """Gives the head with these sessions added to its list, in the form of that list."""
    if (row := _ONE_LINE.search(head)) is not None:
        more = ", ".join(filter(None, (row[2].strip().rstrip(","), _joined(sessions))))
        return f"{head[: row.start()]}{row[1]}{more}{row[3]}{head[row.end() :]}"
    if (listed := _LIST.search(head)) is not None:
        rows = "".join(f"{listed[1]}- {_quoted(session)}\n" for session in sessions)
        return head[: listed.end()] + rows + head[listed.end() :]
    body, bar, rest = head.rpartition("---")
    return f"{body}sessions: [{_joined(sessions)}]\n{bar}{rest}"


def _joined(sessions: Iterable[str]) -> str:
    return ", ".join(map(_quoted, sessions))


def _quoted(session: str) -> str:
    """Gives a name as YAML text, quoted unless it is plain."""
    plain = _PLAIN.fullmatch(session) and session.casefold() not in {"true", "false", "yes", "no", "on", "off", "null"}
    return session if plain else "'" + session.replace("'", "''") + "'"
