"""The console in a real pseudo-terminal on the demo workspace: bytes in, bytes out."""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from engine.services.engine import Engine
from tests.ready_demo import Demo, copy

pytestmark = pytest.mark.pty

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 40.0
# What a console may write: text, and sequences that paint. Anything else in the output came from content.
_PAINTING = re.compile(
    rb"\x1b\[[0-9;:?>=<$ ]*[@-~]"  # CSI: colours, cursor, modes
    rb"|\x1b\][0-9]+;[^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC, named below
    rb"|\x1bP[^\x1b]*\x1b\\|\x1b[()][A-Z0-9]|\x1b[=>78c]|\x1b_[^\x1b]*\x1b\\"
)


class Screen:
    """A console under test: what was typed goes in, what a person would see comes out."""

    def __init__(self, *arguments: str, demo: Demo, size: tuple[int, int] = (36, 120)) -> None:
        environment = {
            **os.environ,
            **demo.env,
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }
        environment.pop("NO_COLOR", None)
        self.child: pexpect.spawn[bytes] = pexpect.spawn(
            sys.executable,
            ["-m", "tui.cli", *arguments],
            cwd=str(demo.folder),
            env=environment,
            dimensions=size,
            timeout=SECONDS,
        )
        self.child.delaybeforesend = None
        self._screen = pyte.Screen(size[1], size[0])
        self._stream = pyte.ByteStream(self._screen)
        self.written = b""

    @property
    def pid(self) -> int:
        assert self.child.pid is not None
        return self.child.pid

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    def read(self, seconds: float = 0.05) -> None:
        """Takes what the console wrote meanwhile."""
        try:
            written = self.child.read_nonblocking(1 << 16, seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return
        self.written += written
        # pyte takes the parameters of private CSI sequences for text; none of them paints.
        self._stream.feed(re.sub(rb"\x1b\[[>=<][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p", b"", written))

    def until(self, seen: str | Callable[[str], bool]) -> str:
        """Reads until the text is on screen; fails with the screen where it never comes."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            self.read()
            if (seen in self.text) if isinstance(seen, str) else seen(self.text):
                return self.text
            if not self.child.isalive():
                break
        raise AssertionError(f"{seen!r} never came:\n{self.text}")

    def press(self, *keys: str) -> None:
        """Presses keys one after the other."""
        for key in keys:
            self.child.send(key)
            self.read(0.06)

    def type_word(self, word: str) -> None:
        """Types into the field for the approval word as a person does, who sees each letter before the next."""
        for end in range(1, len(word) + 1):
            self.child.send(word[end - 1])
            self.until(f"▕ {word[:end]}▁")
            time.sleep(0.03)

    def ask_for_approval(self) -> None:
        """Opens the dialog once the plan's diff counts as seen, and waits until its field takes keys."""
        self.until("create memory/semantic")
        self.until(lambda text: "type APPROVED" in text or self.pressed("\x01"))
        # Each change is to be seen: a page that the next key leaves before it is painted does not count.
        self.until(lambda text: "enter [ APPROVED ]" in text or self.pressed("\x1b[6~", 0.1))

    def pressed(self, key: str, seconds: float = 0.5) -> bool:
        """Presses a key and gives its answer a moment to come; False, so that who waits looks again."""
        self.press(key)
        self.read(seconds)
        return False

    def gone(self) -> int | None:
        """Waits for the end; the exit code, or minus the signal."""
        end = time.monotonic() + SECONDS
        while self.child.isalive() and time.monotonic() < end:
            self.read(0.1)
        return self.child.exitstatus if self.child.exitstatus is not None else -(self.child.signalstatus or 0)


def prepared(today: Demo, base: Path) -> Demo:
    """A demonstration of today, with a plan that waits."""
    made = copy(today, base)
    with Engine.open(made.folder, env=made.env) as console:
        assert console.plans.make("compact").plan is not None
    return made


@pytest.fixture
def demo(today: Demo, tmp_path: Path) -> Demo:
    """A workspace to change."""
    return prepared(today, tmp_path)


@pytest.fixture(scope="module")
def waiting(today: Demo, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """A workspace for all that change nothing in it."""
    return prepared(today, tmp_path_factory.mktemp("waiting"))


def shown(demo: Demo) -> Iterator[Screen]:
    screen = Screen(str(demo.folder), demo=demo)
    yield screen
    if not screen.child.closed:
        screen.child.close(force=True)


@pytest.fixture
def console(demo: Demo) -> Iterator[Screen]:
    """The console on a workspace of its own."""
    yield from shown(demo)


@pytest.fixture
def looking(waiting: Demo) -> Iterator[Screen]:
    """The console on the workspace of all that change nothing."""
    yield from shown(waiting)


def files_of(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and ".git/" not in str(path))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_it_starts_paints_and_quits(waiting: Demo) -> None:
    """A size that a parent exported is not believed: the right of every pane was out of sight."""
    screen = Screen(str(waiting.folder), demo=waiting._replace(env={**waiting.env, "COLUMNS": "200", "LINES": "60"}))
    screen.until("semantic shard over its risk line")
    assert "Overview" in screen.text and "? Keys" in screen.text
    screen.press("2")
    screen.until("create memory/semantic")
    panes = next(line for line in screen.text.split("\n") if "╭─ Queue" in line)
    assert len(panes.rstrip()) == 120 and panes.rstrip().endswith("─╮")
    screen.press("q")
    assert screen.gone() == 0
    assert b"\x1b[?1049l" in screen.written, "the terminal is given back"


def test_a_plan_is_approved_by_typing_and_taken_back_byte_for_byte(console: Screen, demo: Demo) -> None:
    before = files_of(demo.folder)
    console.until("Approvals ⟨2⟩")
    console.press("2")
    console.until("approval  ○ not given")
    console.ask_for_approval()
    console.type_word("APPROVED")
    console.press("\r")
    console.until("execution ✓ applied")
    assert files_of(demo.folder) != before
    # Other work may be under way at that moment; the console says so, and a person presses again.
    console.until(lambda text: "Restores" in text or console.pressed("z"))
    console.until("y undo")
    console.press("y")
    console.until(lambda text: "execution · undone" in text)
    assert files_of(demo.folder) == before
    console.press("q")
    assert console.gone() == 0


def test_a_bracketed_paste_approves_nothing(looking: Screen, waiting: Demo) -> None:
    before = files_of(waiting.folder)
    looking.until("Approvals ⟨2⟩")
    looking.press("2")
    looking.ask_for_approval()
    looking.child.send("\x1b[200~APPROVED\r\x1b[201~")
    looking.until("pasted, not typed")
    looking.child.send("APPROVED\r")
    time.sleep(0.5)
    looking.read()
    assert "APPROVED ▕ APPROVED" not in looking.text
    assert files_of(waiting.folder) == before


def test_hang_up_ends_it_at_once(looking: Screen) -> None:
    looking.until("semantic shard over its risk line")
    os.kill(looking.pid, signal.SIGHUP)
    assert looking.gone() == 128 + signal.SIGHUP
    assert b"\x1b[?1049l" in looking.written, "a terminal that is still there is given back"


def test_a_vanished_terminal_ends_it_and_burns_nothing(looking: Screen) -> None:
    looking.until("semantic shard over its risk line")
    pid = looking.pid
    os.close(looking.child.child_fd)
    end = time.monotonic() + 20
    while time.monotonic() < end and os.waitpid(pid, os.WNOHANG)[0] == 0:
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    looking.child.closed = True


def test_terminate_gives_the_terminal_back(looking: Screen) -> None:
    looking.until("semantic shard over its risk line")
    os.kill(looking.pid, signal.SIGTERM)
    assert looking.gone() == 128 + signal.SIGTERM
    assert b"\x1b[?1049l" in looking.written


def test_a_dumb_terminal_is_refused_with_what_to_use_instead(waiting: Demo) -> None:
    environment = {**os.environ, **waiting.env, "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    arguments = ["-m", "tui.cli", str(waiting.folder)]
    child = pexpect.spawn(sys.executable, arguments, env=environment, encoding="utf-8", timeout=SECONDS)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 3
    assert "memdeck status" in str(child.before)


def test_an_ascii_terminal_gets_ascii(waiting: Demo) -> None:
    screen = Screen(str(waiting.folder), demo=waiting._replace(env={**waiting.env, "LC_ALL": "C"}))
    screen.until("semantic shard over its risk line")
    assert screen.text.isascii()
    screen.press("q")
    assert screen.gone() == 0


def test_hostile_names_and_notes_put_no_control_byte_on_the_terminal(demo: Demo) -> None:
    """Bytes as they reach the terminal (G13)."""
    working = demo.folder / "memory/working"
    for number, name in enumerate(
        ("[@click=app.quit]x", "\x1b]0;owned\x07", "\x1b[2J", "\u202egnp", "\x9b31m", "a\nb")
    ):
        text = f"# {name}\n\n- decided: {name} \x1b]52;c;QVBQUk9WRUQ=\x07 [/foo] \u202e\n" * 3
        (working / f"2026-01-{number + 1:02}-{name}.md").write_text(text, encoding="utf-8")
    screen = Screen(str(demo.folder), demo=demo)
    screen.until("skipped:")
    screen.press(*"\t\t\t", "j", "\r")
    screen.until("Skipped")  # its name stands in the list as well
    screen.press("\x1b")
    screen.until(lambda text: "Skipped" not in text)
    screen.press("d")
    screen.until("which system")
    screen.press("\r")
    screen.until("A plan waits")
    screen.press("2")
    screen.until("approval  ○ not given")
    screen.press(*["\x1b[C"] * 12)
    screen.press("q")
    assert screen.gone() == 0
    left = _PAINTING.sub(b"", screen.written)
    assert not re.search(rb"[\x00-\x06\x0b\x0c\x0e-\x1f\x7f]", left)
    for title in re.findall(rb"\x1b\](\d+);", screen.written):
        assert title not in (b"0", b"2", b"52", b"8")
    assert "\u202e".encode() not in screen.written and "\x9b".encode() not in screen.written
