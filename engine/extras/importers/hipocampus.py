"""Reads sessions in hipocampus's raw logs: `## Session — DATE TIME`, then `**User:**` and `**Assistant:**`. At each
compaction it appends the whole session again: of two blocks of which one continues the other, the longer counts."""

import re
from collections.abc import Iterator

from engine.extras.importers.session import ImportedSession, NoTurn, SessionBuilder
from engine.text.transcript_marks import Speaker

_SESSION = re.compile(r"(?m)^## Session — (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})[ \t]*$")
_NEXT = re.compile(r"(?m)^## ")
_TURN = re.compile(r"(?m)^\*\*(User|Assistant):\*\*[ \t]*|^\[tool: ([^\]\n]+)\][ \t]*$")


class HipocampusLogs:
    """Reads raw log after raw log."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The sessions of a log. Their times are local, without a zone, and are used unchanged."""
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        blocks = [(f"{found[1]}T{found[2]}Z", _turns(text, found.end())) for found in _SESSION.finditer(text)]
        for at, (time, turns) in enumerate(blocks):
            copies = [other for _, other in blocks[:at] if other and turns[: len(other)] == other]
            if not turns or any(later[: len(turns)] == turns for _, later in blocks[at + 1 :]):
                continue
            # It copies what Claude Code's hook hands it, with that program's texts in it.
            built = SessionBuilder(f"hipocampus_{re.sub(r'[^0-9]', '', time)}", source, "claude-code")
            if copies:
                built.left_out[NoTurn.REPEATED] = len(copies)
            for kind, said in turns:
                if kind == "tool":
                    built.call(said, "", time)
                else:
                    built.say(Speaker.USER if kind == "User" else Speaker.AGENT, said, time)
            yield from built.done()


def _turns(text: str, start: int) -> list[tuple[str, str]]:
    """The parts of a session in order, each by its speaker; `tool` with the name of the called tool."""
    after = _NEXT.search(text, start)
    body = text[start : after.start() if after else None]
    marks = list(_TURN.finditer(body))
    ends = [mark.start() for mark in marks[1:]] + [len(body)]
    return [
        ("tool", mark[2]) if mark[2] else (mark[1], body[mark.end() : end].strip())
        for mark, end in zip(marks, ends, strict=True)
    ]
