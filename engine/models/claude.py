"""Claude, asked for an answer of a given shape: the operator's policy decides whether, the SDK how (design §5)."""

from collections.abc import Mapping
from typing import Any

import msgspec

SECONDS = 10.0
"""How long a call may take, and a second one after it where the first could not be made."""
INSTALL = "install memdeck[claude]"


class ModelFailed(Exception):
    """The model gave no usable answer; `str` says why in half a sentence."""


class Reply(msgspec.Struct, frozen=True):
    """The text of an answer, JSON by the schema that was asked for, and what was counted."""

    text: str
    input_tokens: int
    output_tokens: int


class Claude:
    """One model. `env` holds `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`; nothing else is looked for."""

    def __init__(self, model: str, env: Mapping[str, str]) -> None:
        self.model = model
        self._env = env
        self._client: Any = None

    def ask(self, *, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Reply:
        """One answer that fits `schema`. Raises `ModelFailed`."""
        sdk, client = self._opened()
        try:
            message = client.messages.create(
                model=self.model,
                max_tokens=max_tokens,
                system=system,
                messages=[{"role": "user", "content": prompt}],
                output_config={"effort": "low", "format": {"type": "json_schema", "schema": dict(schema)}},
            )
        except sdk.APIStatusError as error:
            raise ModelFailed(f"{self.model} answered {error.status_code}") from error
        except sdk.APITimeoutError as error:
            raise ModelFailed(f"{self.model} did not answer within {SECONDS:g} s") from error
        except sdk.AnthropicError as error:
            raise ModelFailed(f"{self.model} cannot be reached: {type(error).__name__}") from error
        except ValueError as error:  # an answer that is no JSON at all
            raise ModelFailed(f"{self.model} answered something else than a message") from error
        return self._reply(message)

    def _reply(self, message: Any) -> Reply:
        if getattr(message, "stop_reason", None) != "end_turn":
            raise ModelFailed(f"{self.model} stopped early ({getattr(message, 'stop_reason', None)})")
        text = "".join(block.text for block in message.content or () if block.type == "text")
        usage = message.usage
        return Reply(text, usage.input_tokens, usage.output_tokens)

    def _opened(self) -> tuple[Any, Any]:
        """The SDK and a client; importing it takes 0.8 s."""
        try:
            import anthropic
        except ImportError:
            raise ModelFailed(f"the package anthropic is missing: {INSTALL}") from None
        if self._client is None:
            key = self._env.get("ANTHROPIC_API_KEY")
            if not key:
                raise ModelFailed("ANTHROPIC_API_KEY is not set")
            address = self._env.get("ANTHROPIC_BASE_URL") or None
            self._client = anthropic.Anthropic(api_key=key, base_url=address, timeout=SECONDS, max_retries=1)
        return anthropic, self._client
