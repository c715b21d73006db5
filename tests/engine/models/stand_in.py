"""A stand-in for Claude: shortens each numbered sentence by leaving words out, the same way each time."""

import json
import re
from typing import Any

from tests.engine.models.loopback import Answer, asked_text, message

_FILLERS = re.compile(
    r"(?i)(?<![\w'’-])(?:(?:just|really|very|quite|actually|basically|simply|definitely|pretty|the|a|an"
    r"|eigentlich|einfach|wirklich|der|die|das|ein|eine) )+(?=\w)"
)
_TOPIC = re.compile(r"^\[[^\[\]]*\] ")
_NUMBERED = re.compile(r"(?m)^(\d+)\. (.*)$")


def numbered_lines(asked: dict[str, Any]) -> dict[int, str]:
    """The sentences that a request puts to the model, by their numbers."""
    return {int(number): text for number, text in _NUMBERED.findall(asked_text(asked))}


def shortened(text: str) -> str:
    """A sentence without words that say nothing."""
    return _FILLERS.sub("", text)


def shortening(asked: dict[str, Any]) -> Answer:
    """Answers a question about a node: each sentence shorter, and without its topic."""
    lines = numbered_lines(asked).items()
    found = [{"text": shortened(_TOPIC.sub("", text)), "lines": [number]} for number, text in lines]
    tokens: dict[str, Any] = {
        "input_tokens": len(asked_text(asked)) // 4,
        "output_tokens": len(json.dumps(found)) // 4,
    }
    return message(json.dumps({"sentences": found}), **tokens)
