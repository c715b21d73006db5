"""Sessions of an agent's work as Claude Code writes them, put together by seed from statements written by hand.

A session is turns of work that hold nothing, with statements between them. What must survive its flush are the keys
of those statements that are decisions, facts of high confidence, marks, configurations or the person's own words.
"""

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import NamedTuple

from tests.benchmarks.corpora.judged import Item, Part, fillers, items

SIZES = (200, 300, 450, 600, 900, 1500)
"""Turns of the six sessions of a part."""

SHARES = (0.4, 0.5, 0.6, 0.75, 0.9, 1.0)
"""The share of the part's statements that each of them holds."""

FILES = (
    "rates.py",
    "till.ts",
    "labels/size.css",
    "import_orders.sql",
    "notes/plan.md",
    "pump.rs",
    "rota.go",
    "mail.rb",
)


class WorkSession(NamedTuple):
    """A session file's text, its number of turns, and the statements in it."""

    id: str
    text: str
    turns: int
    statements: tuple[Item, ...]

    @property
    def must(self) -> tuple[Item, ...]:
        """The statements of which a flush may lose none."""
        return tuple(one for one in self.statements if one["priority"] in ("high", "medium"))


def work_session(part: Part, number: int, ends: datetime = datetime(2026, 11, 18, 16, tzinfo=UTC)) -> WorkSession:
    """The session of that number (0 to 5); the same for the same arguments."""
    chance = Random(f"{part}-{number}")
    every = items(part, "flush")
    statements = tuple(chance.sample(every, round(SHARES[number] * len(every))))
    turns = _turns(chance, SIZES[number], statements)
    identity = f"5e55f{number:03}-0000-4000-8000-{'0001' if part == 'choose' else '0002'}{number:08}"
    begins = ends - timedelta(seconds=20 * len(turns))
    lines = [_line(identity, at, role, text, begins) for at, (role, text) in enumerate(turns)]
    return WorkSession(identity, "\n".join(lines) + "\n", len(turns), statements)


def _turns(chance: Random, size: int, statements: tuple[Item, ...]) -> list[tuple[str, str]]:
    """Pairs of role and text: the statements in their places, turns of work everywhere else."""
    said = [[(one["role"], one["text"]), *([("user", one["answer"])] if "answer" in one else [])] for one in statements]
    free = size - sum(map(len, said))
    places = sorted(chance.sample(range(free), len(said)))
    made: list[tuple[str, str]] = []
    filler = fillers()
    for at in range(free):
        if places and places[0] == at:
            places.pop(0)
            made += said.pop(0)
        one = chance.choice(filler)
        number, name = str(chance.randrange(2, 400)), chance.choice(FILES)
        made.append((one["role"], one["text"].replace("{f}", name).replace("{n}", number)))
    return made


def _line(session: str, at: int, role: str, text: str, begins: datetime) -> str:
    time = (begins + timedelta(seconds=20 * at)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    uuid, before = (f"{n:08}-0000-4000-8000-{session[-12:]}" for n in (at, at - 1))
    record: Item = {
        "parentUuid": before if at else None, "isSidechain": False, "userType": "external", "cwd": "/home/ana/shop",
        "version": "2.1.214", "sessionId": session, "uuid": uuid, "timestamp": time,
    }  # fmt: skip
    if role == "user":
        record |= {"type": "user", "message": {"role": "user", "content": text}, "origin": {"kind": "human"}}
    else:
        usage = {"input_tokens": 4, "cache_read_input_tokens": 900 + 80 * at, "output_tokens": len(text) // 4}
        content = [{"type": "text", "text": text}]
        message = {"id": f"msg_{uuid}", "type": "message", "role": "assistant", "model": "claude-opus-4-6"}
        record |= {"type": "assistant", "message": message | {"content": content, "usage": usage}}
    return json.dumps(record, ensure_ascii=False)
