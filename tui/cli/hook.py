"""Runs `hook` for a connected tool: reads its event from stdin, answers on stdout, and never fails."""

import gc
import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from typing import TYPE_CHECKING, Any

from engine.errors import Refused
from tui.cli.settings import Settings, command, open_console, workspace_path

if TYPE_CHECKING:
    from engine.context.compile.given_beside_prompt import GivenText
    from engine.services.engine import Engine

MOST_BYTES = 1024 * 1024  # bytes of one event
PROMPT_SECONDS = 0.6
"""Seconds after which a prompt goes on with what is ready; Python's start comes before (D64)."""
START_SECONDS, JUDGE_SECONDS = 15.0, 6.0  # seconds after which `start` ends, and after which it judges no more notes
"""Tools kill the hook after 20 s, and 10,000 notes take minutes: judged notes are kept, and the next start goes on."""
_ENDS = frozenset({"SessionEnd", "on_session_finalize"})  # events that end a session; after others it may go on
_TRIES = 20  # times that a session is looked at whose transcript another process writes, a second between them
EVENTS = ("prompt", "start", "loaded", "compact", "stop")


@command("hook")
def hook_command(settings: Settings, event: str, tool: str) -> int:
    gc.disable()  # a process of a second has nothing to collect, and looking takes a tenth of it
    late = Timer(START_SECONDS if event == "start" else PROMPT_SECONDS, _give_up)
    late.daemon = True
    if event in ("prompt", "start"):
        late.start()
    # Whatever goes wrong here, in whatever way, is no business of the session that waits for it.
    with suppress(Exception):
        told = json.loads(sys.stdin.buffer.read(MOST_BYTES))
        if isinstance(told, dict):
            _prompt(settings, told, tool) if event == "prompt" else _event(settings, event, told, tool)
    late.cancel()
    return 0


def _prompt(settings: Settings, told: dict[str, Any], tool: str) -> None:
    """Asks the server of this workspace; without one, searches by words alone."""
    from engine.extras.connect.prompt_socket import asked
    from engine.state.folder import StateFolder, state_home
    from engine.workspace.values import WorkspaceIdentity

    folder = workspace_path(settings).resolve(strict=True)
    facts = folder.stat()
    state = StateFolder.locate(WorkspaceIdentity(str(folder), facts.st_dev, facts.st_ino), state_home(os.environ))
    answer = asked(state.path, json.dumps(told | {"tool": tool}).encode())
    if answer is not None:
        _say(told, answer.decode())
        return
    with open_console(settings) as console:
        console.search.words_only = True
        topics = given_beside(console, told, notes=False)
        _READY.append((told, topics.text))
        console.heartbeat.beat(f"hook {tool} prompt")
        keep_given(console, told | {"tool": tool}, topics)
        given = given_beside(console, told, look=False)
        _say(told, given.text)
        keep_given(console, told | {"tool": tool}, given)


_READY: list[tuple[dict[str, Any], str]] = []  # the answer with topics alone, while notes are looked for


def _give_up() -> None:
    """Prints what is ready, and ends the process whatever it waits for."""
    with suppress(Exception):
        for told, text in _READY:
            _say(told, text)
    os._exit(0)


def given_beside(console: "Engine", told: dict[str, Any], *, look: bool = True, notes: bool = True) -> "GivenText":
    """Returns the text given beside the message of an event; Hermes puts the message into `extra`."""
    more = told.get("extra")
    message = told.get("prompt") or (more.get("user_message") if isinstance(more, dict) else "")
    text, session = message[:MOST_BYTES] if isinstance(message, str) else "", str(told.get("session_id", ""))
    return console.context.beside(text, look=look, notes=notes, session=session)


class PromptAnswers:
    """Answers prompts in a long-running server; reads the workspace again only if its state changed."""

    def __init__(self, console: "Engine") -> None:
        self._console = console
        self._pulse: tuple[tuple[int, int], ...] | None = None
        Thread(target=self.answer, args=(b'{"prompt": "warm up"}',), daemon=True).start()

    def answer(self, question: bytes) -> bytes:
        """Returns the text for a prompt; empty if there is none or after an error."""
        from engine.state.folder import StateFolder

        with suppress(Exception):
            told, pulse = json.loads(question), StateFolder(self._console.state_folder).pulse()
            given = given_beside(self._console, told, look=pulse != self._pulse)
            self._pulse = pulse
            Thread(target=self._after, args=(told, given), daemon=True).start()
            return given.text.encode()
        return b""

    def _after(self, told: dict[str, Any], given: "GivenText") -> None:
        """Records the answer once it is out, and reads the workspace for the next prompt."""
        with suppress(Exception):
            if "tool" in told:  # what warms it up is no prompt
                self._console.heartbeat.beat(f"hook {told['tool']} prompt")
            keep_given(self._console, told, given)
            self._console.context.beside("")


def keep_given(console: "Engine", told: dict[str, Any], given: "GivenText") -> None:
    """Records for the operator what a session was given, and when."""
    from engine.context.load.observation import GIVEN

    session, tool = str(told.get("session_id", "")), str(told.get("tool", ""))
    for path in dict.fromkeys(item.path for item in given.items if item.path):
        console.context.report_load(tool, session, str(console.workspace / path), GIVEN)


def _say(told: dict[str, Any], text: str) -> None:
    """Prints the answer at once, in the form that the tool reads; prints nothing for an empty one."""
    event = str(told.get("hook_event_name", ""))
    more = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    if text:
        _READY.clear()
        sys.stdout.write(json.dumps({"context": text} if event == "pre_llm_call" else more) + "\n")
        sys.stdout.flush()


def _event(settings: Settings, event: str, told: dict[str, Any], tool: str) -> None:
    from tui.cli.compaction_events import take_event
    from tui.cli.output import print_json

    with open_console(settings) as console:
        console.heartbeat.beat(f"hook {tool} {event}")
        if event == "start":
            _start(console, told)
        elif event == "stop":
            _stop(console, told, tool)
        else:
            done = take_event(console, told)
            if settings.json:
                print_json(done)


def _start(console: "Engine", told: dict[str, Any]) -> None:
    """Makes the due plans, judges notes while there is time, and says how many changes wait."""
    from engine.plans.planning import PlanRequest
    from tui.present.words import noun

    until = time.monotonic() + JUDGE_SECONDS
    console.plans.make("tree", PlanRequest(scheduled=True, unattended=True))
    waiting = console.status.read().queue.pending
    text = f"{noun(waiting, 'change')} of this memory wait for the operator's yes in memdeck. " if waiting else ""
    _READY.append((told, text))
    # What is judged now need not be while a prompt waits.
    if left := console.flags.look(MOST_BYTES, lambda: time.monotonic() > until).unread:
        text += f"{noun(left, 'note')} of this memory reach no prompt before memdeck has judged them."
    _say(told, text.strip())


def _stop(console: "Engine", told: dict[str, Any], tool: str) -> None:
    """Captures the session of the event; if it has ended, a dry run extracts what it taught."""
    path, ended = str(told.get("transcript_path", "")), told.get("hook_event_name") in _ENDS
    file, only = _session_file(path, tool), "" if path else str(told.get("session_id"))
    if file is None:
        return
    for _ in range(_TRIES):
        # The hook of the last turn may still be at it when the session ends.
        taken = console.connected.take([(file, tool, ended)], only=only)
        if not any(isinstance(step.error, Refused) for step in taken):
            break
        time.sleep(1)


def _session_file(path: str, tool: str) -> Path | None:
    """Returns the session's file if it lies in a home of the tool, else the tool's database, or None."""
    from engine.extras.connect.tool_data import ToolPlaces

    places = ToolPlaces(tool, os.environ, Path("/"))
    home, file = os.path.realpath(places.home), os.path.realpath(path or places.path(places.data.database or "/"))
    return Path(file) if places.data.sessions and file.startswith(home + os.sep) and Path(file).is_file() else None
