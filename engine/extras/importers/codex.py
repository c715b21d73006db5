"""Reads sessions of Codex: `rollout-….jsonl`, whose `response_item` lines are the messages to and from the model."""

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from engine.extras.importers.session import ImportedSession, NoTurn, SessionBuilder, number, string
from engine.sessions.codex import CALLS, is_head, of_helper, payload
from engine.sessions.platforms.rules import line_kind
from engine.text.transcript_marks import Speaker, text_blocks

_RESULTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})


class CodexSessions:
    """Reads file after file. Earlier versions have no envelope around each line."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The one session of a file: that of its first head, as in its name."""
        reading = _Reading(SessionBuilder(source.rpartition("/")[2].partition(".jsonl")[0], source, "codex"))
        for entry in reading.built.lines(data):
            reading.take(entry)
        yield from reading.built.done()


class _Reading:
    """The parts of one file, in order. A fork begins with its ancestors' heads and history. A line's key consists of
    the oldest head, the turn and the text, so that it is the same in every copy."""

    def __init__(self, built: SessionBuilder) -> None:
        self.built = built
        self._headed = self._is_side = False
        self._origin = self._turn = self._chain = ""
        self._times: Counter[str] = Counter()

    def take(self, entry: dict[str, Any]) -> None:
        item, kind = payload(entry), string(entry.get("type"))
        if is_head(entry):
            self._head(item)
        elif self._is_side:
            self.built.left_out[NoTurn.SIDE_CHAIN] += 1
        elif kind == "event_msg":
            self._event(item)
        elif kind == "response_item" or item is entry:
            self._item(item, entry.get("timestamp"))
        else:
            self.built.left_out[NoTurn.SUMMARY if kind == "compacted" else line_kind("codex", entry)] += 1
            if kind == "turn_context":
                self.built.model = string(item.get("model")) or self.built.model
                self._turn = string(item.get("turn_id"))

    def _head(self, item: Mapping[str, Any]) -> None:
        self._origin = string(item.get("id"))
        if not self._headed:
            self._headed, self.built.session = True, self._origin or self.built.session
            self._is_side = of_helper(item)
            self.built.left_out[f"{NoTurn.SIDE_CHAIN} file"] += self._is_side
            self.built.begins(item.get("timestamp"))

    def _event(self, item: Mapping[str, Any]) -> None:
        """Takes the session's running total, and withdrawn questions. The rest repeats other lines."""
        self.built.left_out["event_msg"] += 1
        info = item.get("info")
        total = info.get("total_token_usage") if isinstance(info, dict) else None
        if item.get("type") == "token_count" and isinstance(total, dict):
            self.built.tokens["total"] = (number(total.get("input_tokens")), number(total.get("output_tokens")))
        elif item.get("type") == "thread_rolled_back":
            self.built.take_back(number(item.get("num_turns")), NoTurn.ABANDONED)

    def _item(self, item: Mapping[str, Any], time: object) -> None:
        kind, ident = string(item.get("type")), string(item.get("call_id"))
        if kind == "message" and item.get("role") in ("user", "assistant"):
            role = Speaker.USER if item["role"] == "user" else Speaker.AGENT
            said = text_blocks(item.get("content"))
            self.built.say(role, said, time, key=self._key(role, "\n".join(said)))
        elif kind == "message":
            self.built.left_out["instructions"] += 1
        elif kind in CALLS:
            name = string(item.get("name")) or "shell"
            self.built.call(name, item.get(CALLS[kind]), time, ident, key=self._key("call", ident))
        elif kind in _RESULTS:
            self.built.result(ident, item.get("output"))
        else:
            self.built.left_out[line_kind("codex", item)] += 1

    def _key(self, what: str, text: str) -> str:
        """The key of a text in this turn; in files without turns, of the whole text up to it."""
        place = self._turn or self._chain
        self._times[said := f"{self._origin}\0{place}\0{what}\0{text}"] += 1
        data = f"{said}\0{self._times[said]}".encode("utf-8", "surrogatepass")
        self._chain = blake2b(data, digest_size=16).hexdigest()
        return self._chain
