"""Tells by the form of a block, in any language, that it says a state which passes: counts, signs, one run's result.

A linear model over the encoder, and one over signs of form, were tried on lines that a strict reader marked, each
source left out in turn: of the blocks they were surest of, half were no such lines. What stands here errs less.
"""

import re

from engine.models.evidence import UNITS
from engine.text.language import HAN, HANGUL, KANA

WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]")
WORD = re.compile(r"(?<![\w./\\@#=-])[^\W\d_]{2,}(?:['’-][^\W\d_]+)*(?![\w/\\=(]|[.:][\w/])")
_CODE = re.compile(r"`[^`]*`|https?://\S+")
_TIMES = re.compile(r"\d{4}-\d\d(?:-\d\d)?|\d{1,2}[:：]\d\d")
_PARTS = re.compile(r"\s[/|·—–-]\s|[,;、，；:：()（）]|→")
_COUNT = re.compile(
    r"(?<![\w.:/#$€§-])[~≈≥≤><+]*(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\+?(?:\s?%)?(?![\w/:-]|\.\d)(?:(?<=%)|\s*(?P<unit>[^\W\d_]+))"
)
_RATIO = re.compile(r"(?<![\w/.-])(\d[\d,]*)\s?/\s?(\d[\d,]*)(?![\w/.-])")
_SHARE = re.compile(r"(?<![≥≤<>=\d])(?<![≥≤<>=] )\d+(?:\.\d+)?\s?%")
_SIGN = re.compile("[✅✓✔❌✗✘⚠⏳☑🔴🟠🟡🟢🚧]")
_LOGGED = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b\W+\d{4}-\d\d-\d\d")
_SHOUTED = re.compile(r"[^:：]{1,40}[:：]\s*[A-Z]{2,}(?=$|[,(.，（]|\s\W)")
_DATED = re.compile(r"[^:：]{1,40}[:：]\s*[~≈]?\d{4}-\d\d-\d\d")
_FIGURE = re.compile(r"(?<= · )[+-]?\d[\d,]*\+?(?= · |$)")
_RETURNED = re.compile(r"(?:^|\s)\w+=[\w.-]+$")
_FEW, _SOME = 4, 8  # words beside which a share, and a ratio or a sign, are all that a block says


def word_count(text: str) -> float:
    """Counts the words beside names of files, code and figures; a character of a script without blanks is half one."""
    plain = _CODE.sub(" ", text)
    return len(WORD.findall(plain)) + len(WIDE.findall(plain)) / 2


def is_passing(text: str) -> bool:
    """Tells whether a block says little but counts, a share of so many, or the sign of a state behind a name."""
    plain, words = _TIMES.sub(" ", _CODE.sub(" ", text)), word_count(text)
    named, *signs = _SIGN.split(text)
    is_short = words <= _SOME and "`" not in text and "://" not in text
    ratios = sum(_of(*found) for found in _RATIO.findall(plain))
    return (
        ratios > (0 if is_short else 1)
        or (is_short and bool(signs) and _PARTS.search(named) is not None)
        or ((words <= _FEW or bool(signs)) and _SHARE.search(plain) is not None)
        or len(signs) > 2
        or (is_short and any(form.match(text) for form in (_SHOUTED, _DATED)))
        or (is_short and any(form.search(text) for form in (_FIGURE, _RETURNED)))
        or _LOGGED.match(text.lstrip("`")) is not None
        or _counts(plain, words)
    )


def is_tally(text: str) -> bool:
    """Tells whether a block is a count of things and little else; beside others like it, it adds up one day."""
    found = _COUNT.match(text)
    return found is not None and word_count(text) <= _SOME and (found["unit"] or "").casefold() not in UNITS


def _of(part: str, whole: str) -> bool:
    return int(part.replace(",", "")) <= int(whole.replace(",", ""))


def _counts(plain: str, words: float) -> bool:
    """Tells whether most parts of a block are counts of things; figures with a unit are none."""
    parts = [part for part in _PARTS.split(plain) if part.strip()]
    counted = [
        found for part in parts if (found := _COUNT.search(part)) and (found["unit"] or "").casefold() not in UNITS
    ]
    return len(counted) > 1 and 2 * len(counted) >= len(parts) and words <= 4 * len(counted)
