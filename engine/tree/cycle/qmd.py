"""Tells `qmd` of new nodes, where the operator has it: in the background, with a limit, and never fatal (C23)."""

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
    """Runs `qmd update` (and `qmd embed`) one after the other. `problem` says what went wrong last, or is empty. It
    runs at the root folder: qmd knows its collections by their paths, and its runtime would read settings and start
    modules that lie in the working folder."""

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
        """Starts a run and returns at once; nothing where it is off or still under way."""
        if self._run == "off" or (self._thread is not None and self._thread.is_alive()):
            return
        self._thread = threading.Thread(target=self._work, name="qmd", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Waits a moment for a run under way, then stops it."""
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
        """Stops the run with all that it started: it has a session of its own."""
        if self._process is not None and self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
