"""Commands run in this process, on a prepared workspace or a demonstration, with a terminal of their own."""

import os
import pty
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import NamedTuple

import pytest

from engine.services.engine import Engine
from tests.prepared import Prepared
from tests.ready_demo import Demo, copy, shared
from tests.values import append_plan, compaction, without_confirmations
from tui.cli import prompt, settings
from tui.cli.main import main


class Ran(NamedTuple):
    """What a command gave back."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def command(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return command


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> Prepared:
    """A workspace behind every command, in which no plan waits."""
    made = Prepared(now=datetime.now(UTC))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, made.env[name])
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def waiting(workspace: Prepared) -> Prepared:
    """A workspace behind every command where a plan of tier B and one of tier C wait, which ask nothing first."""
    for plan in (compaction(1), append_plan(2)):
        workspace.add(without_confirmations(plan))
    return workspace


@pytest.fixture
def stubbed(workspace: Prepared, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prepared]:
    """The same workspace, but each command runs on its one engine, of which the test may stub what it likes."""

    def the_engine(chosen: settings.Settings) -> Engine:
        settings.simulated_now(chosen)  # it is read as ever, and followed by nobody
        return workspace.engine

    monkeypatch.setattr(settings, "new_console", the_engine)
    workspace.stub.gives("close", None)
    yield workspace
    workspace.stub.mends("close")


_MARK = b"\0"
"""No command writes it: text is made safe before it is shown."""


class Typist:
    """A person at a terminal: types ahead, and reads all that is shown as it comes."""

    def __init__(self) -> None:
        self._master, self._slave = pty.openpty()
        self.name = os.ttyname(self._slave)
        self._shown = bytearray()
        self._marks = 0
        self._answers: list[tuple[str, str, Callable[[], object]]] = []
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def types(self, text: str) -> None:
        os.write(self._master, text.encode())

    def answers(self, question: str, text: str, first: Callable[[], object] = bool) -> None:
        """Types once a question stands there, after those that were given before; `first` comes before the typing."""
        self._answers.append((question, text, first))

    def reads(self) -> str:
        """A line of what nobody has read yet, as the shell would get it."""
        return os.read(self._slave, 1 << 16).decode()

    def shown(self) -> str:
        """Everything on the terminal so far. A command that ended has written all it had to say, before the mark.

        The system echoes typed text when it comes to it, so an echo may follow the mark.
        """
        self._marks += 1
        os.write(self._slave, _MARK)
        until = monotonic() + 30
        while self._shown.count(_MARK) < self._marks:
            assert monotonic() < until, "the terminal is not read to its end"
            sleep(0.001)
        return self._shown.replace(_MARK, b"").decode()

    def goes_away(self) -> None:
        """The person closes the window."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def close(self) -> None:
        os.close(self._slave)
        self._reader.join(5)
        self.goes_away()

    def _read(self) -> None:
        while True:
            try:
                read = os.read(self._master, 1 << 16)
            except OSError:
                return
            if not read:
                return
            self._shown += read
            while self._answers and self._answers[0][0].encode() in self._shown:
                _, text, first = self._answers.pop(0)
                first()
                self.types(text)


@pytest.fixture
def typist(monkeypatch: pytest.MonkeyPatch) -> Iterator[Typist]:
    """A terminal in the place of `/dev/tty`."""
    person = Typist()
    monkeypatch.setattr(prompt, "TERMINAL", person.name)
    monkeypatch.setenv("TERM", "xterm")
    yield person
    person.close()


@pytest.fixture
def no_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process without a controlling terminal."""
    monkeypatch.setattr(prompt, "TERMINAL", str(tmp_path / "no-tty"))


@pytest.fixture(scope="session")
def made_demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return copy(shared(tmp_path_factory), tmp_path_factory.mktemp("cli-demo"))


@pytest.fixture
def demo(made_demo: Demo, monkeypatch: pytest.MonkeyPatch) -> Demo:
    """A demonstration to look at; whoever changes it makes one of his own."""
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, made_demo.env[name])
    monkeypatch.chdir(made_demo.folder)
    return made_demo
