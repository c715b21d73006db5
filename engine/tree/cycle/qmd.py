"""Runs `qmd update` after new nodes, where the policy says so: in the background, with a timeout (C23)."""

import os
import signal
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.workspace.system_calls import find_program, search_path

if TYPE_CHECKING:
    import subprocess

Run = Literal["off", "update", "embed"]

PATIENCE = 5.0  # seconds that closing waits for a run under way; then it is stopped


class Qmd:
    """Runs `qmd update` (and `qmd embed`) one after the other. `problem`: the last error, or empty. Runs in the root
    folder: qmd knows its collections by path, and its runtime would load settings and modules from the working one."""

    def __init__(
        self,
        workspace: Path,
        run: Run,
        timeout: float,
        program: Sequence[str] = ("qmd",),
        env: Mapping[str, str] = os.environ,
    ) -> None:
        self._workspace, self._env, self._program = workspace, env, tuple(program)
        self._run, self._timeout = run, timeout
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.problem = ""

    def refresh(self) -> None:
        """Starts a run and returns at once; does nothing if it is off or already running."""
        if self._run == "off" or (self._thread is not None and self._thread.is_alive()):
            return
        self._thread = threading.Thread(target=self._work, name="qmd", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Waits up to `PATIENCE` seconds for the run, then kills it."""
        if self._thread is not None:
            self._thread.join(PATIENCE)
            if self._thread.is_alive():
                self._stop()

    def _work(self) -> None:
        for word in ("update", "embed") if self._run == "embed" else ("update",):
            self.problem = self._one(word)
            if self.problem:
                return

    def _one(self, word: str) -> str:
        import subprocess

        program = find_program(self._program[0], self._workspace, self._env)
        if program is None:
            return f"qmd {word} cannot be started: there is no {self._program[0]} outside the workspace"
        try:
            self._process = subprocess.Popen(
                [program, *self._program[1:], word],
                cwd="/",
                env={**self._env, "PATH": search_path(self._workspace, self._env)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            return f"qmd {word} cannot be started: {error.strerror or error}"
        try:
            code = self._process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            self._stop()
            return f"qmd {word} took longer than {self._timeout:g} s and was stopped"
        return f"qmd {word} failed with exit code {code}" if code else ""

    def _stop(self) -> None:
        """Kills the run and its children, which share a process group."""
        if self._process is not None and self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
