"""Asks Claude for an answer of a given form, by its SDK (design §5)."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from engine.models.egress import Unsendable, sealed
from engine.models.model_task import NOT_SENT, NOTHING_USED, Usage
from engine.text.safe_text import visible

SECONDS = 10.0  # of a call. None is made twice by itself: one whose answer was lost may have been paid
CACHED_FROM = 20_000  # characters of a text that the service keeps: below 4,096 tokens some models keep nothing
END_TURN = "end_turn"
ADDRESS = "https://api.anthropic.com"
_HEADERS = frozenset({"host", "accept", "accept-encoding", "connection", "user-agent", "anthropic-version"})
"""The headers that are sent, beside those of the SDK; headers added by the environment are removed."""
_FAMILIES = ("content-", "x-stainless-")
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})


class ModelFailed(Exception):
    """The model gave no usable answer. `usage`: what is billed all the same, None if unknown; `stop`: how it ended."""

    def __init__(self, said: str, usage: Usage | None = None, stop: str = "failed") -> None:
        super().__init__(said)
        self.usage = usage
        self.stop = stop


class OtherHost(Exception):
    """A request would go to a host that the operator did not name."""


class Reply(msgspec.Struct, frozen=True):
    """An answer, whole or cut short, and what is billed for it (None: unknown)."""

    text: str
    usage: Usage | None
    stop: str = END_TURN


class Claude:
    """One model. Reads nothing from the environment but the key that the policy names."""

    def __init__(
        self,
        model: str,
        env: Mapping[str, str],
        *,
        key_variable: str = "ANTHROPIC_API_KEY",
        url: str = "",
        seconds: float = 0,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`seconds`: a call's timeout, 0 for the default. `headers` go with each request."""
        self.model = model
        self._seconds = seconds or SECONDS
        self._variable, self._key = key_variable, env.get(key_variable, "")
        self._url = url or ADDRESS
        self._headers = {"x-api-key": self._key, **headers}
        self._client: Any = None
        self._last = ""  # the id of the last answer, by which the service tells why its cache missed

    def ask(self, *, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Reply:
        """Asks once for an answer that fits `schema`; returns answers cut short too, as they are paid. The service
        caches a long `system` for five minutes. Raises `ModelFailed` without a message, or unsent for a secret."""
        asked = self.parameters(system=system, prompt=prompt, schema=schema, max_tokens=max_tokens)
        if len(system) >= CACHED_FROM:
            asked["system"][0]["cache_control"] = {"type": "ephemeral"}
            if self._last:
                asked["diagnostics"] = {"previous_message_id": self._last}
        sdk, client = self.opened()
        try:
            message = client.messages.create(**asked)
        except sdk.APIStatusError as error:  # an answer with an error is not billed
            said = f"{self.model} answered {error.status_code}"
            raise ModelFailed(said, NOTHING_USED, f"http {error.status_code}") from None  # its words may repeat the key
        except sdk.APITimeoutError as error:
            said = f"{self.model} did not answer within {self._seconds:g} s"
            raise _lost(said, error, "timeout") from error
        except sdk.AnthropicError as error:
            said = f"{self.model} cannot be reached: {type(error).__name__}"
            raise _lost(said, error, "cut off") from error
        except ValueError as error:  # an answer that is no JSON at all
            raise ModelFailed(f"{self.model} answered something else than a message", None, "no message") from error
        self._last = str(getattr(message, "id", "") or "")
        return reply_of(message)

    def parameters(self, *, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
        """Returns the request, for a call or a batch; raises `ModelFailed` if a text has a secret."""
        try:
            # The last place before the network, whoever made the text.
            texts = [sealed(system), sealed(prompt)]
        except Unsendable as error:
            raise ModelFailed(str(error), NOTHING_USED, NOT_SENT) from error
        return {
            "model": self.model,
            "max_tokens": max_tokens,
            "system": [{"type": "text", "text": texts[0]}],
            "messages": [{"role": "user", "content": texts[1]}],
            # Structured output: current models no longer take `temperature=0` (decision D19).
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": dict(schema)}},
        }

    def at_home(self, url: str) -> bool:
        """Tells whether an address has the scheme, host and port that the policy names, and no user name."""
        return _origin(url) == _origin(self._url)

    def opened(self) -> tuple[Any, Any]:
        """Returns the SDK and a client; importing it takes 0.8 s."""
        import anthropic

        if self._client is None:
            if not self._key:
                raise ModelFailed(f"{self._variable} is not set", NOTHING_USED, NOT_SENT)
            # A redirect would carry the key to another host.
            line = anthropic.DefaultHttpxClient(follow_redirects=False, event_hooks={"request": [self._bare]})
            self._client = anthropic.Anthropic(
                api_key=self._key,
                base_url=self._url,
                timeout=self._seconds,
                max_retries=0,
                open_telemetry=False,
                http_client=line,
            )
        return anthropic, self._client

    def _bare(self, request: Any) -> None:
        """Removes headers that `ANTHROPIC_CUSTOM_HEADERS` and similar variables add; refuses other hosts."""
        if not self.at_home(str(request.url)):
            raise OtherHost("the request is for another host than the policy names")
        for name in list(request.headers):
            if name.lower() not in _HEADERS and not name.lower().startswith(_FAMILIES):
                del request.headers[name]
        request.headers.update(self._headers)


def _origin(url: str) -> tuple[str, str, int | None, str | None]:
    """Returns scheme, host, port and user name of an address; the port is None if it is no number."""
    parts = urlsplit(url)
    try:
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:
        port = None
    return parts.scheme, (parts.hostname or "").lower(), port, parts.username


def reply_of(message: Any) -> Reply:
    """Returns the text of a message, its usage and its end."""
    blocks = getattr(message, "content", None) or ()
    text = "".join(str(getattr(block, "text", "") or "") for block in blocks if getattr(block, "type", "") == "text")
    stop = getattr(message, "stop_reason", None)
    usage = _usage(getattr(message, "usage", None))
    missed = getattr(getattr(message, "diagnostics", None), "cache_miss_reason", None)
    if usage is not None and missed is not None:
        usage = msgspec.structs.replace(usage, cache_miss=visible(str(getattr(missed, "type", "unknown")))[:40])
    return Reply(text, usage, str(stop) if stop else "no stop reason")


def _usage(found: Any) -> Usage | None:
    """Reads the stated usage; None if it is not plausible."""
    values = [_count(found, "input_tokens"), _count(found, "output_tokens")]
    cached = [_count(found, f"cache_{kind}_input_tokens", 0) for kind in ("read", "creation")]
    hour = _count(getattr(found, "cache_creation", None), "ephemeral_1h_input_tokens", 0)
    if None in (*values, *cached, hour):
        return None
    batch = getattr(found, "service_tier", None) == "batch"
    fields = ("input", "output", "cache_read", "cache_write", "cache_write_hour")
    counts: dict[str, Any] = {name: value or 0 for name, value in zip(fields, (*values, *cached, hour), strict=True)}
    return Usage(batch=batch, **counts)


def _count(found: Any, name: str, otherwise: int | None = None) -> int | None:
    if (value := getattr(found, name, None)) is None:
        return otherwise
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _lost(said: str, error: BaseException, stop: str) -> ModelFailed:
    """Makes the error for a failed call: nothing was used without a connection, else the cost is unknown."""
    if type(error.__cause__).__name__ in _NEVER_SENT:
        return ModelFailed(said, NOTHING_USED, NOT_SENT)
    return ModelFailed(said, None, stop)


CLAUDE_KEY = "ANTHROPIC_API_KEY"
BYTES_A_TOKEN = 3  # the fewest bytes of a token that vocabularies of such models have in prose of any script
_NO_KEY = "none"  # sent where the policy names no key of the server: it wants one to be there, and does not look at it


class HomeModel(Claude):
    """A model on a server with Claude's protocol, asked for plain JSON, since few such servers enforce a schema."""

    def __init__(
        self, model: str, env: Mapping[str, str], *, key_variable: str, url: str, seconds: float, window: int
    ) -> None:
        """`window` in tokens. The key of Claude's own service is never sent to another server."""
        own = env.get(key_variable, "") if key_variable != CLAUDE_KEY else ""
        headers = {"authorization": f"Bearer {own or _NO_KEY}"}
        super().__init__(model, {CLAUDE_KEY: own or _NO_KEY}, url=url, seconds=seconds, headers=headers)
        self._window = window

    def ask(self, *, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Reply:
        """Asks once; returns the JSON object in the reply. Raises `ModelFailed` as `Claude.ask` does."""
        # Such a server cuts what its window cannot hold, and says nothing of it.
        answer = min(max_tokens, self._window // 2)
        if (
            len(f"{system}{prompt}{json.dumps(dict(schema))}".encode("utf-8", "replace")) / BYTES_A_TOKEN
            > self._window - answer
        ):
            what = f"the text is longer than its window (llm.window: {self._window:,})"
            raise ModelFailed(what, NOTHING_USED, NOT_SENT)
        reply = super().ask(system=system, prompt=prompt, schema=schema, max_tokens=answer)
        return replace(reply, text=object_in(reply.text))

    def parameters(self, *, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
        """Returns the request in the oldest form of the protocol, with the answer's form described in words."""
        form = f"Answer with one JSON object of this schema, and nothing else:\n{json.dumps(dict(schema))}"
        asked = super().parameters(system=f"{system}\n\n{form}", prompt=prompt, schema=schema, max_tokens=max_tokens)
        return {
            "model": asked["model"],
            "max_tokens": max_tokens,
            "system": asked["system"][0]["text"],
            "messages": asked["messages"],
        }


def object_in(text: str) -> str:
    """Returns the last whole JSON object in a text, since a model may think aloud first; else the text."""
    decoder, found, place = json.JSONDecoder(), text, text.find("{")
    while place >= 0:
        try:
            _, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        found, place = text[place:end], text.find("{", end)
    return found
