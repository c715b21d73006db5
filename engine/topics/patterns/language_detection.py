"""Detects the natural language of a message, if there is enough text (decision D31)."""

import re
from functools import lru_cache
from typing import Any

from engine.text.language import language_of

SAMPLE = 1_000  # characters looked at
SURE = 0.85  # the least probability that counts
LETTERS = 16  # letters of a text without which its language is not guessed
WIDE_LETTERS = 4  # Chinese, Japanese and Korean say in four characters what others say in sixteen letters

_NOT_PROSE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|[@#/][\w./-]+", re.DOTALL)
_WIDE = {"zh", "ja", "ko"}


def detect_language(text: str) -> str:
    """Returns the ISO 639-1 code; empty if unclear. Ignores code and links."""
    sample = _NOT_PROSE.sub(" ", text[: 4 * SAMPLE])[:SAMPLE]
    letters = sum(map(str.isalpha, sample))
    script = language_of(sample)
    if script in _WIDE:
        return script if letters >= WIDE_LETTERS else ""
    if letters < LETTERS:
        return ""
    code, probability = _identifier().classify(sample.encode("utf-8", "replace").decode())
    return str(code) if probability >= SURE else ""


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
