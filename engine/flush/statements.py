"""Reads what one line states: a decision, a fact, a priority (decisions B5, B6, B26)."""

import re
from typing import Any, NamedTuple

from engine.flush.items import FlushCategory
from engine.flush.label_words import LABELS, level_of, patterns

_LEAD = re.compile(
    r"\s*(?:>\s*)*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?(?P<box>\[[ xX]\]\s+)?"
    r"(?:[\u2190-\u2bff\ufe0f\U0001f300-\U0001faff]+\s*)?"
)
_ALONE = ("decision", "fact", "learning", "promote")
"""Labels that, alone on a line, apply to the lines below; with a colon, the label of kept text does too."""
_LONGEST_LABEL = 80
FIELDS = ("rationale", "source", "confidence")  # the fields that a statement may have, by the names of their words
_EDGES = " |｜;；,，(（—–-"
_MAY = re.compile(r"[:：=`(（|\[【—–]| - ")
"""Matches something in every line that states anything; other lines are skipped quickly."""


class StatedItem(NamedTuple):
    """One thing that a line states; a missing rationale may follow on the next line."""

    category: FlushCategory
    text: str
    rationale: str = ""
    source: str = ""
    confidence: float | None = None
    done: bool = False
    promote: bool = False
    is_whole: bool = True
    """True if it has all words of its line; False for a setting taken out of a sentence."""


def statement(line: str) -> StatedItem | None:
    """Returns what a line states; None without a label, a figure or a priority."""
    if not _MAY.search(line):
        return _chosen(line)
    body, box = _body(line)
    if box:
        return StatedItem(FlushCategory.PROGRESS, body, done="x" in box.lower()) if body else None
    found = patterns()["label"].match(body)
    if found and found["text"].strip():
        return _labelled(found)
    confidence = patterns()["confidence"].search(body) or patterns()["front"].match(body)
    # Without a label only what is set apart as a figure is one: "(confidence: low)", "High confidence: …".
    if confidence is not None and (
        re.search(r"[:：=]|^\s*[|｜(（\[,，;；—–]", confidence[0]) or re.match(r"\s*[:：—–]", body[confidence.end() :])
    ):
        return _fact(body)
    if setting := patterns()["set"].search(body):
        value = (setting["value"] or "").strip("`").rstrip(".,;")
        whole = setting["whole"] or setting["bare"]
        return StatedItem(FlushCategory.CONFIGURATION, whole or f"{setting['key']} = {value}", is_whole=False)
    if found := patterns()["promote"].search(body):
        return StatedItem(FlushCategory.LEARNING, f"{body[: found.start()]}{body[found.end() :]}".strip(), promote=True)
    return StatedItem(FlushCategory.KEPT, body) if patterns()["kept"].search(body) else _chosen(line)


def label_alone(line: str, *, is_heading: bool) -> str:
    """Returns the name of the label that a line consists of; empty for another line."""
    if len(line) > _LONGEST_LABEL or not (is_heading or line.rstrip().endswith((":", "：", "**"))):
        return ""
    found = patterns()["label"].match(_body(line.strip("# ") if is_heading else line)[0])
    if found is None or found["text"].strip():
        return ""
    return next((name for name in _ALONE if found[name]), "kept" if found["kept"] and not is_heading else "")


def stated_below(label: str, line: str) -> StatedItem:
    """Returns what a line below a label states."""
    return _stated(label, _body(line)[0])


def _chosen(line: str) -> StatedItem | None:
    """Returns a choice with its reason in first-person words: "I will go with X since it is one file"; else None."""
    body = _body(line)[0]
    if not patterns()["choice"].match(body):
        return None
    text, why = reasoned(body)
    return StatedItem(FlushCategory.DECISION, text, why) if why else None


def fields_of(line: str) -> dict[str, Any]:
    """Returns the reason, source or confidence that a line adds to the statement above, by name."""
    found = patterns()["field"].match(_body(line)[0]) if _MAY.search(line) else None
    if found is None:
        return {}
    share = confidence_of(found["confidence"]) if found["confidence"] else None
    given = {"rationale": found["rationale"], "source": found["source"], "confidence": share}
    return {name: value for name, value in given.items() if value is not None}


def reasoned(text: str) -> tuple[str, str]:
    """Splits a decision into what was decided and its reason, which may be empty."""
    why = patterns()["why"].search(text)
    if why is None or not why.start():
        return text, ""
    return _trimmed(text[: why.start()]), _trimmed(why["why"])


def confidence_of(figure: str) -> float | None:
    """Reads `0.8`, `.8`, `80%`, `4/5`, `4 of 5` or a word as a share of 1 (decision B6); else None."""
    word = " ".join(figure.split())
    if (level := level_of(word)) is not None:
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
    """Strips separators, and closing brackets without an opening one."""
    text = text.strip(_EDGES)
    while text.endswith((")", "）")) and sum(map(text.count, ")）")) > sum(map(text.count, "(（")):
        text = text[:-1].rstrip(_EDGES)
    return text


def _labelled(found: re.Match[str]) -> StatedItem | None:
    label = next(name for name in LABELS if found[name])
    if LABELS[label] is FlushCategory.PROGRESS and found["sep"].strip() not in (":", "："):
        return None
    made, note = _stated(label, found["text"].strip()), found["note"]
    share = confidence_of(note) if note else None
    if share is not None and made.confidence is None:
        return made._replace(confidence=share)
    return made._replace(text=f"{made.text} ({note})") if note and share is None else made


def _stated(label: str, text: str) -> StatedItem:
    category = LABELS[label]
    match label:
        case "decision":
            return StatedItem(category, *reasoned(text))
        case "fact":
            made, end = _fact(text), patterns()["end"].search(text)
            return made._replace(confidence=confidence_of(end["figure"])) if end and made.confidence is None else made
        case _:
            return StatedItem(category, text, done=label == "completed", promote=label == "promote")


def _fact(text: str) -> StatedItem:
    confidence = patterns()["confidence"].search(text) or patterns()["front"].match(text)
    # The confidence first: a source goes on to the end of what is left.
    left = text if confidence is None else text[: confidence.start()] + text[confidence.end() :]
    source = patterns()["source"].search(left)
    bare = left if source is None else left[: source.start()] + left[source.end() :]
    return StatedItem(
        FlushCategory.FACT,
        _trimmed(bare) or text,
        source=_trimmed(source["source"]) if source else "",
        confidence=confidence_of(confidence["figure"] or confidence["before"]) if confidence else None,
    )
