"""Writes the evaluation's own corpora as workspaces: three chats between two people, and a log of engineering.

Sources are `*.txt` beside this file, written and labelled before anything was tuned on them. `= names` begins a file,
`# date [time]` a session, `X: text` a turn; `? kind | question` belongs to the session above it, `% kind dates |
question` to the sessions named, `none` to none.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

SOURCES = Path(__file__).parent
CHAT_FOR_CHOOSING, CHAT_FOR_JUDGING, CHAT_HELD_OUT, LOG = "chat_a", "chat_b", "chat_c", "log"
"""Settings are chosen on the first chat; the second and the log were looked at meanwhile. The third is held out: no
setting was chosen on it, nor by anyone who had seen its figures."""


class Session(msgspec.Struct):
    """One session or day: when it began, its lines, and the questions that it answers with their kinds."""

    began: datetime
    lines: list[str]
    questions: list[tuple[str, str]]


def write_corpus(name: str, folder: Path, *, named: bool = True) -> None:
    """Writes notes and `questions.jsonl` under `folder`. `named`: turns are headed by names, else by user and agent."""
    speakers, sessions, several = _read(SOURCES / f"{name}.txt")
    paths = {f"{one.began:%Y-%m-%d}": _path(name, one.began) for one in sessions}
    for one in sessions:
        target = folder / _path(name, one.began)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = _log(one) if name == LOG else _transcript(one, speakers, named=named)
        target.write_text(text, encoding="utf-8")
    rows = [(kind, text, [_path(name, one.began)]) for one in sessions for kind, text in one.questions]
    rows += [(kind, text, [paths[day] for day in days]) for kind, days, text in several]
    lines = (
        json.dumps({"question": text, "evidence_paths": where, "category": kind, "answerable": kind != "none"})
        for kind, text, where in rows
    )
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _read(file: Path) -> tuple[list[str], list[Session], list[tuple[str, list[str], str]]]:
    speakers, sessions, several = list[str](), list[Session](), list[tuple[str, list[str], str]]()
    for line in file.read_text(encoding="utf-8").splitlines():
        sign, _, rest = line.partition(" ")
        if sign == "=":
            speakers = rest.split()
        elif sign == "#":
            sessions.append(Session(datetime.fromisoformat(rest), [], []))
        elif sign == "?":
            kind, _, text = rest.partition(" | ")
            sessions[-1].questions.append((kind, text))
        elif sign == "%":
            head, _, text = rest.partition(" | ")
            kind, *days = head.split()
            several.append((kind, days, text))
        else:
            sessions[-1].lines.append(line)
    return speakers, sessions, several


def _path(name: str, began: datetime) -> str:
    if name == LOG:
        return f"memory/{began:%Y-%m-%d}.md"
    return f"raw/conversations/{began:%Y/%m/%d/%H%M}-chat.md"


def _log(session: Session) -> str:
    return "\n".join((f"# {session.began:%Y-%m-%d}", "", *session.lines, ""))


def _transcript(session: Session, speakers: list[str], *, named: bool) -> str:
    return "\n".join(
        (
            "---",
            f"session_id: ses_{session.began:%y%m%d}",
            f"started: {session.began:%Y-%m-%dT%H:%M:%SZ}",
            "channel: chat",
            "---",
            "",
            "# Chat",
            *_turns(session, speakers, named=named),
            "",
        )
    )


def _turns(session: Session, speakers: list[str], *, named: bool) -> Iterator[str]:
    roles = dict(zip((name[0] for name in speakers), speakers if named else ("user", "agent"), strict=True))
    for number, line in enumerate(session.lines):
        initial, _, said = line.partition(": ")
        yield f"\n## {session.began + timedelta(minutes=number):%H:%M} — {roles[initial]}\n{said}"
