"""A stand-in for Claude Code: it calls the hooks of its settings as that does, and compacts unless one holds it.

Each hook is a line of shell that gets the event as JSON on stdin, in the session's folder, for its own time at most.
Exit code 0 lets go on, and so does any other but 2; 2, or `{"decision": "block"}` on stdout, holds a compaction. A
hook that takes longer is killed with all that it started, and counts for nothing.
"""

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.engine.sessions.window_logs import answer, compacted

LATER = "2099-03-15T09:00:00Z"
BLOCKS = 2


class HookRun(NamedTuple):
    """How one hook ended: its event, its exit code, None where its time was over, and whether it blocks."""

    event: str
    code: int | None
    blocks: bool


class ClaudeCode:
    """One session of the stand-in, with the hooks of a settings file, over a session file of its own."""

    def __init__(self, settings: str, log: Path, folder: Path, env: Mapping[str, str]) -> None:
        self._hooks: Mapping[str, Sequence[Any]] = json.loads(settings)["hooks"]
        self._log, self._folder, self._env = log, folder, dict(env)
        self.runs: list[HookRun] = []
        self.compactions = 0

    def start(self, *loaded: Path) -> None:
        """Begins a session: each file that it loads is reported."""
        self.call("SessionStart", source="startup")
        for file in loaded:
            self.call("InstructionsLoaded", file_path=str(file), memory_type="Project", load_reason="session_start")

    def compact(self, tokens: int, trigger: str = "auto") -> bool:
        """Compacts unless a hook blocks it; tells whether it did."""
        if any(run.blocks for run in self.call("PreCompact", trigger=trigger, custom_instructions="")):
            return False
        self.compactions += 1
        cut = compacted(tokens, trigger, uuid=f"c{self.compactions}").replace("2026-03-15T09:00:00Z", LATER)
        with self._log.open("a", encoding="utf-8") as file:
            file.write(cut + answer(f"n{self.compactions}", (0, 9_000, 0), at=LATER))
        self.call("PostCompact", trigger=trigger, compact_summary="so far")
        return True

    def call(self, event: str, **more: str) -> list[HookRun]:
        """Calls every hook of an event, one after the other."""
        common = {"session_id": self._log.stem, "transcript_path": str(self._log), "cwd": str(self._folder)}
        told = json.dumps({**common, "permission_mode": "default", "hook_event_name": event, **more}).encode()
        hooks = [hook for matcher in self._hooks.get(event, ()) for hook in matcher["hooks"]]
        made = [self._run(event, hook["command"], float(hook.get("timeout", 60)), told) for hook in hooks]
        self.runs += made
        return made

    def _run(self, event: str, command: str, seconds: float, told: bytes) -> HookRun:
        child = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._folder,
            env=self._env,
            start_new_session=True,
        )
        try:
            out, _ = child.communicate(told, timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return HookRun(event, None, blocks=False)
        return HookRun(event, child.returncode, blocks=child.returncode == BLOCKS or _says_block(out))


def _says_block(out: bytes) -> bool:
    try:
        said = json.loads(out)
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("decision") == "block"
