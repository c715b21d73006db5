"""A workspace in which one fact stands in many kinds of places, and a look of its own at every byte of it."""

import json
import os
import random
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.search.saved_searches import SavedSearch
from engine.services.engine import Engine
from engine.services.proposals import NoteProposal
from engine.text.canonical_json import sha256_hex
from tests.engine.approved import applied
from tests.engine.history.repos import git, write

NOW = datetime(2026, 3, 20, 9, 0, tzinfo=UTC)
SUBJECTS = ("passport", "badge", "locker", "customer number", "Zugangscode", "code d'accès")
FILLER = (
    "The release goes out on Monday.",
    "Bob looks after the exports.",
    "Backups run at night, and are read once a week.",
    "Kein Deploy am Freitag.",
    "Le cache est vidé le soir.",
    "The queue of billing was empty.",
)


class Planted:
    """One workspace with its fact. `places` names every kind of place into which that was put."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.drawn = random.Random(seed)
        self.value = f"{self.drawn.choice('QXZ')}{self.drawn.choice('KJW')}-{self.drawn.randrange(10**5, 10**6)}"
        self.fact = f"The {self.drawn.choice(SUBJECTS)} of Ana is {self.value}"
        self.workspace = folder / "agent"
        self.env: Mapping[str, str] = {
            **os.environ,
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
        }
        self.state = folder / "state" / "memdeck"
        write(folder, {"config/memdeck/policy.yaml": "search: {embedder: none}\ngit: {commit: true}\n"})
        write(self.workspace, self.notes())
        git(self.workspace, "init", "-q")
        git(self.workspace, "config", "user.email", "ana@example.org")
        git(self.workspace, "add", "-A")
        git(self.workspace, "commit", "-q", "-m", f"what Ana said: {self.value}")
        git(self.workspace, "commit", "-q", "--amend", "-m", "notes")
        git(self.workspace, "tag", "-a", "first", "-m", f"with {self.value}")

    def some(self) -> str:
        """A few sentences about other things."""
        return "".join(f"- {self.drawn.choice(FILLER)}\n" for _ in range(self.drawn.randrange(1, 4)))

    def notes(self) -> dict[str, str]:
        fact, value = self.fact, self.value
        node = "---\ntype: {}\nstatus: fixed\nperiod: {}\n---\n# {}\n\n"
        return {
            "memory/2026-03-10.md": f"# 2026-03-10\n\n## travel\n- 10:01 Ana: {fact}. Book the train.\n{self.some()}",
            "raw/conversations/2026/03/10/1001-s.md": _TRANSCRIPT.format(fact=fact, other=self.some().strip()),
            "DailyLogs/2026-03-10.md": f"# 2026-03-10\n\n{self.some()}- {fact}\n",
            "memory/daily/2026-03-10.md": f"{node.format('daily', '2026-03-10', 'Day')}- {fact}\n{self.some()}",
            "memory/weekly/2026-W11.md": f"{node.format('weekly', '2026-W11', 'Week')}{self.some()}- {fact}.\n",
            "memory/monthly/2026-03.md": f"{node.format('monthly', '2026-03', 'Month')}- {value} is Ana's\n",
            "memory/ROOT.md": f"# Root\n\n{self.some()}- **Ana**: {fact.lower()}\n",
            "MEMORY.md": f"# Memory\n\n- {fact}\n{self.some()}",
            "memory/semantic/people.md": f"# People\n\nTitle: Ana\nContext: Travel.\nDurable Insight: {fact}.\n",
            "memory/journal/2026-03-10.md": f"# 2026-03-10\n\n- 2026-03-10: {fact} <!-- x:0123456789 -->\n",
            "knowledge/projects/trip.md": f"# Trip\n\n{self.some()}\nWe go. {fact}. We come back.\n",
            "knowledge/people/ana.md": f"# Ana\n\n- {value}\n{self.some()}",
            "memory/archive/old-archived-2026-03-01.md": f"# Old\n\n* {fact}\n{self.some()}",
            "topics/travel.md": f"---\ntriggers: []\n---\n# Travel\n\n{self.some()}About {value}.\n",
            "export/chat.json": json.dumps({"text": f"{fact}.", "é": 1}),
            "knowledge/reference/other.md": f"# Other\n\n{self.some()}",
        }

    def open(self) -> Engine:
        return Engine.open(self.workspace, env=self.env, clock=lambda: NOW + timedelta(seconds=1))

    def use(self, console: Engine) -> None:
        """Has the fact pass through the queue, the undo store, comments, searches and the index."""
        path = "memory/working/trip.md"
        made = [
            NoteProposal(path=path, action="create", content=f"# Trip\n\n- {self.fact}\n", reason=self.fact),
            NoteProposal(path="memory/working/two.md", action="create", content=f"{self.fact}\n", reason="learnt"),
        ]
        first, second = (console.proposals.propose(one, "agent") for one in made)
        plan = console.plans.load(first.id)
        console.comments.add(plan.id, "1:3", f"is {self.value} right?")
        applied(console, plan)
        base = sha256_hex((self.workspace / path).read_bytes())
        new = NoteProposal(path=path, action="replace", content="# Trip\n\n- planned\n", reason="cut", base=base)
        applied(console, console.plans.load(console.proposals.propose(new, "agent").id))
        console.plans.reject(second.id, f"not {self.value} again")
        third = NoteProposal(path="memory/working/three.md", action="create", content=f"{self.fact}\n", reason="x")
        console.proposals.propose(third, "agent")
        console.search.saved.keep(SavedSearch(name="mine", query=f"passport {self.value}"))
        assert console.search.find(self.value).hits
        for _ in range(2):  # what was seen, and what changed since
            console.status.read()
            console.changes.since_looked(look=True)
        held = self.state / "workspaces" / next((self.state / "workspaces").iterdir()).name
        write(held, {"session-backups/s.jsonl": json.dumps({"text": self.fact}) + "\n", "lasting/x": self.fact})
        write(self.state, {"copied.txt": self.fact, "fleet": f"row {self.fact}"})

    def traces(self) -> list[str]:
        """Every place that still says it: bytes, rows, objects of git. It shares nothing with the product."""
        return [*_in_files(self.workspace, self.value), *_in_files(self.state, self.value), *self._in_git()]

    def _in_git(self) -> Iterator[str]:
        said = subprocess.run(
            ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=self.workspace, capture_output=True, check=True
        ).stdout
        if self.value.encode() in said:
            yield "git objects"
        if git(self.workspace, "log", "--all", "-g", f"--grep={self.value}"):
            yield "reflog"


_TRANSCRIPT = """---
type: conversation
date: 2026-03-10
session_id: s
---
# Session

## 10:01 user

{fact}.

## 10:02 agent

{other}
"""


def _in_files(top: Path, value: str) -> Iterator[str]:
    wanted = {value.lower().encode(form) for form in ("utf-8", "utf-16-le")}
    for file in top.rglob("*"):
        if not file.is_file():
            continue
        data = file.read_bytes()
        if any(one in data.lower() for one in wanted):
            yield str(file.relative_to(top))
        if data.startswith(b"SQLite format 3\0") and file.name != "memory.db":
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
                if any(value.lower() in line.lower() for line in database.iterdump()):
                    yield f"{file.name}, rows"
