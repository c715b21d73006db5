"""Reads decisions, facts, configurations and progress out of one line of what was said (decisions B5, B6)."""

import re
from typing import NamedTuple

from engine.flush.items import FlushCategory

_LEAD = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?P<box>\[[ xX]\]\s+)?")
_LABELS: tuple[tuple[FlushCategory, bool, str], ...] = (
    (
        FlushCategory.DECISION,
        False,
        r"DEC-\d+|(?:final |key )?decisions?(?: made)?|decided|entscheidung|beschluss|décision|decisión|决定|決定|결정",
    ),
    (FlushCategory.FACT, False, r"FACT-\d+|facts?(?: learned)?|fakt|fait|hecho|事实|事実|사실"),
    (
        FlushCategory.CONFIGURATION,
        False,
        r"CONFIG-\d+|config(?:uration)?s?(?: changed)?|settings?|einstellung|配置|設定|설정",
    ),
    (FlushCategory.PROGRESS, True, r"completed|done|finished|shipped|erledigt|terminé|terminado|完成|完了|완료"),
    (
        FlushCategory.PROGRESS,
        False,
        r"in progress|wip|todo|to do|next steps?|offen|en cours|pendiente|进行中|進行中|진행 중",
    ),
)
_LABEL = tuple(
    (category, done, re.compile(rf"\*{{0,2}}(?:{names})\*{{0,2}}\s*[:：]\*{{0,2}}\s*(?P<text>\S.*)", re.IGNORECASE))
    for category, done, names in _LABELS
)
_WHY = re.compile(
    r"\s*[|;,(—–-]*\s*(?:\b(?:rationale|reason|why|begründung|grund)\b\s*[:：]"
    r"|\b(?:because|so that|due to|weil|damit|parce que|porque)\b|\b(?<=, )since\b|因为|なぜなら|때문에)"
    r"\s*(?P<why>\S.*)",
    re.IGNORECASE,
)
_WHY_LINE = re.compile(
    r"\*{0,2}(?:rationale|reason|why|begründung|grund)\*{0,2}\s*[:：]\*{0,2}\s*(?P<why>\S.*)", re.IGNORECASE
)
_SOURCE = re.compile(r"\s*[|;,(]\s*source\s*[:：]\s*(?P<source>[^|;()]+)\)?", re.IGNORECASE)
_CONFIDENCE = re.compile(
    r"\s*[|;,(]*\s*\bconfidence\s*[:：=]?\s*(?P<figure>\d+(?:[.,]\d+)?\s?%?|very high|high|certain|medium|low)\)?",
    re.IGNORECASE,
)
_WORDS = {"certain": 1.0, "very high": 0.95, "high": 0.9, "medium": 0.6, "low": 0.3}
"""Confidence in words as a share of one: `high` and what is above it reach the 0.8 that promotes (decision B6)."""
_SET = re.compile(
    r"(?:set|changed|switched|updated) `(?P<key>[^`]+)` (?:to|=|from .{1,80} to) (?P<value>\S.*)", re.IGNORECASE
)
_LONGEST = 400
"""Characters of a sentence that may state a decision without a label."""


class StatedItem(NamedTuple):
    """One thing that a line states; a rationale that it lacks may stand on the line below."""

    category: FlushCategory
    text: str
    rationale: str = ""
    source: str = ""
    confidence: float | None = None
    done: bool = False


def statement(line: str) -> StatedItem | None:
    """The statement of a line; None for one that states nothing of the five categories."""
    lead = _LEAD.match(line)
    body = line[lead.end() :].strip() if lead else line.strip()
    if lead and lead["box"]:
        return StatedItem(FlushCategory.PROGRESS, body, done="x" in lead["box"].lower()) if body else None
    for category, done, pattern in _LABEL:
        found = pattern.match(body)
        if found:
            return _labelled(category, found["text"].strip(), done=done)
    if _CONFIDENCE.search(body) and "confidence" in body.casefold():
        return _fact(body)
    setting = _SET.search(body)
    if setting:
        return StatedItem(FlushCategory.CONFIGURATION, f"{setting['key']} = {setting['value'].rstrip('.')}")
    return _decided(body)


def rationale_line(line: str) -> str:
    """The rationale that a line below a decision gives; empty for any other line."""
    lead = _LEAD.match(line)
    found = _WHY_LINE.match(line[lead.end() :] if lead else line)
    return found["why"].strip() if found else ""


def confidence_of(figure: str) -> float | None:
    """`0.8`, `80%` or a word as a share of one (decision B6); None for what is no confidence."""
    word = figure.strip().casefold()
    if word in _WORDS:
        return _WORDS[word]
    try:
        number = float(word.rstrip("% ").replace(",", "."))
    except ValueError:
        return None
    share = number / 100 if word.endswith("%") or number > 1 else number
    return share if 0 <= share <= 1 else None


def _labelled(category: FlushCategory, text: str, *, done: bool) -> StatedItem:
    if category is FlushCategory.DECISION:
        return _decision(text)
    if category is FlushCategory.FACT:
        return _fact(text)
    return StatedItem(category, text, done=done)


def _decision(text: str) -> StatedItem:
    why = _WHY.search(text)
    if why is None or not why.start():
        return StatedItem(FlushCategory.DECISION, text)
    return StatedItem(FlushCategory.DECISION, text[: why.start()].rstrip(" ,;|(—–-"), why["why"].rstrip(" )"))


def _fact(text: str) -> StatedItem:
    source, confidence = _SOURCE.search(text), _CONFIDENCE.search(text)
    bare = _CONFIDENCE.sub("", _SOURCE.sub("", text)).strip(" |;,()")
    return StatedItem(
        FlushCategory.FACT,
        re.sub(r"^\*{0,2}facts?\*{0,2}\s*[:：]\s*", "", bare, flags=re.IGNORECASE) or text,
        source=source["source"].strip() if source else "",
        confidence=confidence_of(confidence["figure"]) if confidence else None,
    )


def _decided(body: str) -> StatedItem | None:
    """A decision that nobody labelled: the words say that it was taken, and nobody asks or wishes."""
    if len(body) > _LONGEST or body.endswith(("?", "？")):
        return None
    from engine.models.cue_matcher import matcher

    cues = matcher().cues(body)
    return _decision(body) if "decision" in cues and not cues & {"not_decision", "request"} else None
