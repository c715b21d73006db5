"""A server of the operator's own that speaks Claude's protocol, as Ollama, llama.cpp, LM Studio and vLLM do."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from engine.models.claude import Claude, ModelFailed, Reply
from engine.models.price import NOT_SENT, NOTHING_USED

CLAUDE_KEY = "ANTHROPIC_API_KEY"
BYTES_A_TOKEN = 3  # the fewest bytes of a token that vocabularies of such models have in prose of any script
_NO_KEY = "none"
"""Sent where the policy names no key of the server: such a server wants one to be there, and does not look at it."""


class HomeModel(Claude):
    """One model of such a server. It is asked for plain JSON, since few of them hold an answer to a schema."""

    def __init__(
        self, model: str, env: Mapping[str, str], *, key_variable: str, url: str, seconds: float, window: int
    ) -> None:
        """`window` in tokens. The key of Claude's own service is sent to nobody else."""
        own = env.get(key_variable, "") if key_variable != CLAUDE_KEY else ""
        headers = {"authorization": f"Bearer {own or _NO_KEY}"}
        super().__init__(model, {CLAUDE_KEY: own or _NO_KEY}, url=url, seconds=seconds, headers=headers)
        self._window = window

    def ask(self, *, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Reply:
        """Asks once; the text of the reply is the JSON object in it. Raises `ModelFailed` as `Claude.ask` does."""
        # Such a server cuts what its window cannot hold, and says nothing of it.
        answer = min(max_tokens, self._window // 2)
        if (
            len(f"{system}{prompt}{json.dumps(dict(schema))}".encode("utf-8", "replace")) / BYTES_A_TOKEN
            > self._window - answer
        ):
            raise ModelFailed(
                f"the text is longer than its window (llm.window: {self._window:,})", NOTHING_USED, NOT_SENT
            )
        reply = super().ask(system=system, prompt=prompt, schema=schema, max_tokens=answer)
        return replace(reply, text=object_in(reply.text))

    def parameters(self, *, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
        """The question in the oldest form of the protocol; the form of the answer is told in words."""
        form = f"Answer with one JSON object of this schema, and nothing else:\n{json.dumps(dict(schema))}"
        asked = super().parameters(system=f"{system}\n\n{form}", prompt=prompt, schema=schema, max_tokens=max_tokens)
        return {
            "model": asked["model"],
            "max_tokens": max_tokens,
            "system": asked["system"][0]["text"],
            "messages": asked["messages"],
        }


def object_in(text: str) -> str:
    """Gives the last whole JSON object of a text: a model may think aloud first, or put a fence around it. The text
    itself where there is none."""
    decoder, found, place = json.JSONDecoder(), text, text.find("{")
    while place >= 0:
        try:
            _, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        found, place = text[place:end], text.find("{", end)
    return found
