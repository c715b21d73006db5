"""Reads decisions, facts, configurations and progress out of one line that labels itself (decisions B5, B6)."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from engine.errors import Damaged
from engine.flush.items import CODES, FlushCategory

_LEAD = re.compile(
    r"\s*(?:>\s*)*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?(?P<box>\[[ xX]\]\s+)?"
    r"(?:[\u2190-\u2bff\ufe0f\U0001f300-\U0001faff]+\s*)?"
)
_LABELS: tuple[tuple[FlushCategory, bool, str], ...] = (
    (FlushCategory.DECISION, False, "decision"),
    (FlushCategory.FACT, False, "fact"),
    (FlushCategory.CONFIGURATION, False, "configuration"),
    (FlushCategory.PROGRESS, True, "completed"),
    (FlushCategory.PROGRESS, False, "open"),
)
_COLON = r"[*_]{0,2}\s*[:：][*_]{0,2}\s*"
_APART = r"[|｜;；,，(（*_—–-]"
_EDGES = " |｜;；,，(（—–-"
_MAY = re.compile(r"[:：=`(（|]|\[[ xX]\]")
"""Stands in every line that states something: the others are not looked at closely."""
_VALUE = r"(?P<value>`[^`]+`|\"[^\"]+\"|\S*\d\S*|\S+(?=[.;]?\s*$))"
"""A value is quoted, has a digit, or ends its line: "updated `README.md` to tell more" sets nothing."""
_CLAUSE = r"(?!\d|(?:then|last|when)\b)(?:\S+\s+){2}\S"
"""A clause has three words at least and begins with no date: "since it is one file", not "since 2019"."""
FOLDER = Path(__file__).parent / "languages"
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
Word = Annotated[str, msgspec.Meta(pattern=r"\S")]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class LabelWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language, as `languages/en.toml` explains them."""

    decision: tuple[Word, ...]
    choice: tuple[Word, ...]
    fact: tuple[Word, ...]
    configuration: tuple[Word, ...]
    set: tuple[Word, ...]
    to: tuple[Word, ...]
    completed: tuple[Word, ...]
    open: tuple[Word, ...]
    rationale: tuple[Word, ...]
    because: tuple[Word, ...]
    clause: tuple[Word, ...]
    source: tuple[Word, ...]
    confidence: tuple[Word, ...]
    of: tuple[Word, ...]
    levels: Mapping[Word, Share]


class StatedItem(NamedTuple):
    """One thing that a line states; a rationale that it lacks may stand on the line below."""

    category: FlushCategory
    text: str
    rationale: str = ""
    source: str = ""
    confidence: float | None = None
    done: bool = False


def statement(line: str) -> StatedItem | None:
    """The statement of a line; None for one that bears no label of the five categories."""
    if not _MAY.search(line):
        return _chosen(line)
    body, box = _body(line)
    if box:
        return StatedItem(FlushCategory.PROGRESS, body, done="x" in box.lower()) if body else None
    for category, done, name in _LABELS:
        found = _label(category, name).match(body)
        if found:
            return _labelled(category, found["text"].strip(), done=done)
    confidence = _patterns()["confidence"].search(body)
    # Without a label only what is set apart as a figure is one: "(confidence: low)".
    if confidence is not None and re.search(r"[:：=]|^\s*[|｜(（]", confidence[0]):
        return _fact(body)
    setting = _patterns()["set"].search(body)
    if setting:
        value = (setting["value"] or "").strip("`").rstrip(".,;")
        return StatedItem(FlushCategory.CONFIGURATION, setting["whole"] or f"{setting['key']} = {value}")
    return _chosen(line)


def _chosen(line: str) -> StatedItem | None:
    """A choice in the words of who makes it, with its reason: "I will go with X since it is one file"."""
    body = _body(line)[0]
    if not _patterns()["choice"].match(body):
        return None
    text, why = reasoned(body)
    return StatedItem(FlushCategory.DECISION, text, why) if why else None


def rationale_line(line: str) -> str:
    """The rationale that a line below a decision gives; empty for any other line."""
    found = _patterns()["why_line"].match(_body(line)[0]) if _MAY.search(line) else None
    return found["why"].strip() if found else ""


def reasoned(text: str) -> tuple[str, str]:
    """Parts what was decided from the reason that the same words give; that is empty where they give none."""
    why = _patterns()["why"].search(text)
    if why is None or not why.start():
        return text, ""
    return _trimmed(text[: why.start()]), _trimmed(why["why"])


def confidence_of(figure: str) -> float | None:
    """`0.8`, `.8`, `80%`, `4/5`, `4 of 5` or a word as a share of one (decision B6); None for what is no confidence."""
    word = " ".join(figure.split())
    level = level_of(word)
    if level is not None:
        return level
    numbers = [float(number.replace(",", ".")) for number in re.findall(r"\d*[.,]?\d+", word)]
    if not numbers or len(numbers) > 2 or numbers[1:] == [0.0]:
        return None
    if len(numbers) == 2:
        share = numbers[0] / numbers[1]
    else:
        share = numbers[0] / 100 if "%" in word or numbers[0] > 1 else numbers[0]
    return share if share <= 1 else None


def _body(line: str) -> tuple[str, str]:
    lead = _LEAD.match(line)
    body, box = (line[lead.end() :].strip(), lead["box"] or "") if lead else (line.strip(), "")
    whole = body.startswith("**") and body.endswith("**") and body.count("**") == 2
    return body[2:-2].strip() if whole else body, box


def _trimmed(text: str) -> str:
    """A part of a statement without what set it apart from the others: a bracket that nothing closes or opens."""
    text = text.strip(_EDGES)
    while text.endswith((")", "）")) and sum(map(text.count, ")）")) > sum(map(text.count, "(（")):
        text = text[:-1].rstrip(_EDGES)
    return text


def _labelled(category: FlushCategory, text: str, *, done: bool) -> StatedItem:
    if category is FlushCategory.DECISION:
        return StatedItem(category, *reasoned(text))
    return _fact(text) if category is FlushCategory.FACT else StatedItem(category, text, done=done)


def _fact(text: str) -> StatedItem:
    confidence = _patterns()["confidence"].search(text)
    # The confidence first: a source goes on to the end of what is left.
    left = text if confidence is None else text[: confidence.start()] + text[confidence.end() :]
    source = _patterns()["source"].search(left)
    bare = left if source is None else left[: source.start()] + left[source.end() :]
    return StatedItem(
        FlushCategory.FACT,
        _trimmed(bare) or text,
        source=_trimmed(source["source"]) if source else "",
        confidence=confidence_of(confidence["figure"] or confidence["before"]) if confidence else None,
    )


@cache
def _label(category: FlushCategory, name: str) -> re.Pattern[str]:
    code = rf"{CODES[category]}(?:-\d+)?|" if category in CODES else ""
    return re.compile(rf"[*_]{{0,2}}(?:{code}{either(name)}){_COLON}(?P<text>\S.*)", re.IGNORECASE)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    levels = either("levels")
    figure = rf"(?:\d*[.,]?\d+(?:\s?%|\s?(?:/|{either('of')})\s?\d+)?|{levels})"
    sure = either("confidence")
    made = {
        "choice": f"(?:{either('choice')})",
        "set": rf"(?:{either('set')})\s*`(?:(?P<key>[^`=\s]+)`\s?.{{0,80}}?(?:{either('to')}|=|→|->)\s*{_VALUE}"
        rf"|(?P<whole>[^`=]+=[^`]+)`)",
        "why": rf"\s*{_APART}*\s*[*_]{{0,2}}(?:(?:{either('rationale')}){_COLON}|(?:{either('because')})\s*"
        rf"|(?:{either('clause')})\s+(?={_CLAUSE}))(?P<why>\S.*)",
        "why_line": rf"[*_]{{0,2}}(?:{either('rationale')}){_COLON}(?P<why>\S.*)",
        "source": rf"\s*{_APART}*\s*[*_]{{0,2}}(?:{either('source')}){_COLON}(?P<source>[^|｜;；()（）*]+)[)）]?",
        "confidence": rf"\s*{_APART}*\s*(?:{sure})[*_]{{0,2}}\s*[:：=]?[*_]{{0,2}}\s*(?P<figure>{figure})[)）]?"
        rf"|\s*[|｜;；,，(（—–]\s*(?P<before>{figure})\s+(?:{sure})[)）]?",
    }
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in made.items()}


def label_words(file: Path) -> LabelWords:
    """The words of a file; `Damaged` names the file and the key that is wrong."""
    try:
        return msgspec.convert(tomllib.loads(file.read_text("utf-8")), LabelWords)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise Damaged(str(error), where=f"flush/languages/{file.name}", hint="correct it, as en.toml says") from error


@cache
def _languages() -> tuple[LabelWords, ...]:
    return tuple(label_words(file) for file in sorted(FOLDER.glob("*.toml")))


@cache
def either(name: str) -> str:
    """A pattern of every language's words under a key, the longest first; the edges of a word in letters hold."""
    words = {word.casefold() for language in _languages() for word in getattr(language, name)}
    return "|".join(map(_bounded, sorted(words, key=lambda word: (-len(word), word))))


def level_of(word: str) -> float | None:
    """The share that a word for a confidence stands for (decision B6)."""
    levels = {known.casefold(): share for language in _languages() for known, share in language.levels.items()}
    return levels.get(word.casefold())


def _bounded(word: str) -> str:
    """A word as a pattern: Chinese, Japanese and Korean ones stand next to others without a space."""
    escaped = re.escape(word).replace(r"\ ", r"\s+")
    if _CJK.search(word):
        return escaped
    return (r"(?<!\w)" if word[0].isalnum() else "") + escaped + (r"(?!\w)" if word[-1].isalnum() else "")
