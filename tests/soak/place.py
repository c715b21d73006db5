"""A workspace with the operator's home, made anew for every point from a stage that was kept."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from tests.engine.sessions.window_logs import answer

KEPT = ("ws", "home", "state")
"""What a stage holds: the workspace, the operator's home with policy and crontab, the state folder."""

POLICY = """\
search: {embedder: none}
topics: {scorer: tfidf}
limits:
  working: {files: 2}
"""
POLICY_PRICED = """\
search: {embedder: endpoint, model: paid, url: "http://127.0.0.1:9", usd_per_million_tokens: 1.0, max_usd: 5.0}
topics: {scorer: tfidf}
limits:
  working: {files: 2}
"""

NOTE = """\
---
date: {day}
---
# {name}

## Events
- {name} was moved to the new server
- Decision: {name} keeps its own queue

## Insights
Lesson: {lesson}
"""
EPISODIC = """\
---
date: {day}
---
# Exports

## Insights
- Lesson: Exports must be checked by their row count before they are sent
- Lesson: Always keep the last export until the next one was read
"""
LESSONS = {
    "billing": "Always drain the queue before a schema migration of billing",
    "search": "Never rebuild the search index while the nightly export runs",
    "login": "Prefer short sessions for login tokens behind the proxy",
}
TOPIC = """\
---
type: topic
triggers:
  - type: pattern
    match: "deploy|release"
  - type: webhook
    source: github
  - type: cron
    schedule: "0 8 * * *"
activation: auto
priority: medium
similarity_threshold: 0.2
---
# Deploy

Look at the queue before a deploy of the release.
"""
SESSION = """\
---
type: conversation
date: {day}
session_id: {day}-a
---
# Session

## 09:00 — user

Please deploy the release of billing today.

## 09:01 — agent

The deploy of the release is done, the queue was empty.
"""

OTHER = (
    '{"type": "user", "uuid": "u", "sessionId": "s", "timestamp": "2026-02-16T18:45:00Z",'
    ' "message": {"role": "user", "content": "Look after billing."}}\n'
)
"""A session of another tool."""
GIT = """#!/bin/sh
MEMDECK_FAULTS={page} LD_PRELOAD={library} exec {git} "$@"
"""
CRONTAB = """#!/bin/sh
export MEMDECK_FAULTS={page} LD_PRELOAD={library}
case "$1" in
  -l) cat "$HOME/crontab" 2>/dev/null || {{ echo "no crontab for you" >&2; exit 1; }} ;;
  -) cat > "$HOME/crontab.new" && mv "$HOME/crontab.new" "$HOME/crontab" ;;
esac
"""
SYSTEMCTL = "#!/bin/sh\nexit 0\n"


class Place:
    """Folders under `base`; the state folder under `beside`, which may be on another mount."""

    def __init__(self, base: Path, beside: Path) -> None:
        self.base = base
        self.folders = {"ws": base / "ws", "home": base / "home", "state": beside / "state"}
        self.limbo = tuple(dict.fromkeys((base / "limbo", beside / "limbo")))
        """Folders on each device for files that lose their last name before a power cut."""
        for folder in (*self.folders.values(), *self.limbo, base / "stages", base / "bin", base / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def workspace(self) -> Path:
        return self.folders["ws"]

    def roots(self) -> tuple[Path, ...]:
        """The folders that a power cut takes something from."""
        return (*self.folders.values(), self.base / "tmp")

    def environment(self) -> dict[str, str]:
        """What a command run here gets to see."""
        home = self.folders["home"]
        return {
            "PATH": f"{self.base / 'bin'}:/usr/bin:/bin",
            "HOME": str(home),
            "XDG_STATE_HOME": str(self.folders["state"]),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_DATA_HOME": str(home / "data"),
            "TMPDIR": str(self.base / "tmp"),
            "TERM": "xterm",
            "NO_COLOR": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "ANTHROPIC_API_KEY": "k",
        }

    def furnish(self, page: Path, library: Path, today: date) -> None:
        """Programs, policy, notes and a repository with one commit."""
        git = shutil.which("git") or "git"
        _program(self.base / "bin/git", GIT.format(page=page, library=library, git=git))
        _program(self.base / "bin/crontab", CRONTAB.format(page=page, library=library))
        _program(self.base / "bin/systemctl", SYSTEMCTL)
        self.policy(POLICY)
        _write(self.folders["home"] / ".gitconfig", "[user]\n\tname = Ana\n\temail = ana@example.org\n")
        _write(self.folders["home"] / "other/s.jsonl", OTHER)
        _write(self.folders["home"] / "remembered/MEMORY.md", "- The port of billing is 5432.\n")
        _write(self.folders["home"] / "reviewed/before/knowledge/reviewed.md", "# Reviewed\n\n- a line of before\n")
        _write(self.folders["home"] / "reviewed/after/knowledge/reviewed-too.md", "# Reviewed\n\n- a line of after\n")
        _write(self.folders["home"] / "session.md", SESSION.format(day=today - timedelta(days=2)))
        _write(self.folders["home"] / "session.jsonl", answer("m1", (0, 9_000, 0), text="- drain first [CURATE]"))
        _write(self.folders["home"] / "asked/a.md", "# Billing\n\nThe queue of billing lies on the new server.\n")
        question = '{"question": "where is the queue of billing", "evidence_paths": ["a.md"]}\n'
        _write(self.folders["home"] / "asked/questions.jsonl", question)
        for path, text in notes(today):
            _write(self.workspace / path, text)
        for command in (["init", "-q", "-b", "main", "--template="], ["add", "."], ["commit", "-qm", "notes"]):
            subprocess.run([git, *command], cwd=self.workspace, env=self.environment(), check=True)

    def git(self, *arguments: str) -> None:
        """Ordinary git, as the operator would call it."""
        git = shutil.which("git") or "git"
        subprocess.run([git, *arguments], cwd=self.workspace, env=self.environment(), check=True)

    def policy(self, text: str) -> None:
        _write(self.folders["home"] / "config/memdeck/policy.yaml", text)

    def keep(self, stage: str) -> None:
        """Keeps all as it is now, under a name."""
        kept = self.base / "stages" / stage
        for name in KEPT:
            (kept / name).mkdir(parents=True)
            copy(self.folders[name], kept / name)

    def has(self, stage: str) -> bool:
        return (self.base / "stages" / stage).is_dir()

    def restore(self, stage: str) -> None:
        """Everything as it was kept; the folders themselves stay, for plans are bound to the workspace's inode."""
        for folder in (self.base / "tmp", *self.limbo):
            empty(folder)
        shutil.rmtree(f"{self.workspace}-extract", ignore_errors=True)
        for name in KEPT:
            empty(self.folders[name])
            copy(self.base / "stages" / stage / name, self.folders[name])

    def ballast(self, folder: str) -> Path:
        """Where a file lies that fills the disk of a folder, seen by nobody."""
        return self.workspace / ".git/ballast" if folder == "ws" else self.folders[folder] / "ballast"

    def schedule(self) -> dict[str, bytes]:
        """The operator's crontab and units, of which another program may read any at any instant."""
        every = contents(self.folders["home"])
        return {name: data for name, data in every if name == "crontab" or name.endswith((".service", ".timer"))}

    def owed(self) -> list[Path]:
        """What git is owed, as the state folder knows it."""
        return sorted(self.folders["state"].rglob("owed/[!.]*.json"))

    def files(self) -> dict[str, bytes]:
        """The user's own files: not git's, not the search index, not what lies aside while an operation runs."""
        return {name: data for name, data in contents(self.workspace) if not is_ours(name)}


def notes(today: date) -> Iterator[tuple[str, str]]:
    for age, (name, lesson) in enumerate(LESSONS.items(), start=9):
        day = today - timedelta(days=age)
        yield f"memory/working/{day}-{name}.md", NOTE.format(day=day, name=name, lesson=lesson)
    day = today - timedelta(days=40)
    yield f"memory/episodic/{day}-exports.md", EPISODIC.format(day=day)
    for age, topic in ((20, "billing"), (19, "search"), (3, "login")):
        day = today - timedelta(days=age)
        log = (
            f"# {day}\n\n## {topic}\n- request: look after {topic}\n- decisions: {topic} goes by plan B\n- done: yes\n"
        )
        yield f"memory/{day}.md", log
    yield "memory/semantic/openclaw.md", "Title: Backups\nContext: every night\nDurable Insight: Backups are tested\n"
    yield "MEMORY.md", "# Memory\n\n- the agent is called Silas\n"
    yield "topics/deploy.md", TOPIC
    yield f"raw/conversations/{today - timedelta(days=2)}-a.md", SESSION.format(day=today - timedelta(days=2))
    yield "knowledge/projects/billing.md", "# Billing\n\nThe queue of billing lies on the new server.\n"


def fill(file: Path, left: int) -> None:
    """Fills a disk with one file, but for so many bytes."""
    with file.open("wb") as opened:
        disk = os.fstatvfs(opened.fileno())
        os.posix_fallocate(opened.fileno(), 0, max(1, disk.f_bavail * disk.f_frsize - left))


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file's name below the folder and its bytes; of a link, where it points."""
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent) / name
            data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
            yield str(path.relative_to(folder)), data


def is_ours(name: str) -> bool:
    """Whether a path below the workspace is git's, the search index, or what lies aside while an operation runs."""
    return name.startswith((".git/", ".memdeck/", "memory.db"))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _program(path: Path, text: str) -> None:
    _write(path, text)
    path.chmod(0o755)


def empty(folder: Path) -> None:
    """Removes all in a folder; the folder itself stays."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            Path(entry.path).unlink()


def copy(source: Path, target: Path) -> None:
    """Copies all in a folder into another, with its times and modes."""
    subprocess.run(["cp", "-a", f"{source}/.", f"{target}/"], check=True)
