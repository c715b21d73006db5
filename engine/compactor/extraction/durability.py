"""Tells which sentences stay true and clear by themselves, for offline extraction (G9)."""

import re
from datetime import date, timedelta

from engine.compactor.semantic.topic_words import WEAK
from engine.text.language import ASKED
from engine.text.pattern_file import PatternFile

FEWEST_WORDS = 3  # words of a sentence that is more than a fragment (decision A16), in scripts that write blanks
REVIEWED_AFTER = timedelta(days=30)  # age of an episodic file that is reviewed
FEWEST_WIDE = 6  # words, or characters of a script without blanks, from which a sentence says something by itself

_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

WORDS = PatternFile(
    __package__,
    "durability.toml",
    "leaning leaning_object relative passing one_day thought talk reason state one_run rule deadline",
)


def says_something(text: str, fewest_words: int = FEWEST_WORDS) -> bool:
    """Tells whether `text` is more than a fragment, by words or, in scripts without blanks, by characters."""
    return len(text.split()) >= fewest_words or len(_WIDE.findall(text)) >= FEWEST_WIDE


def fleeting_rules(text: str) -> tuple[str, ...]:
    """Returns the rule against a fact that is about one day or a thought; else nothing."""
    return ("a passing event or mood",) if WORDS["one_day"].search(text) or WORDS["thought"].match(text) else ()


def leaning_rules(text: str) -> tuple[str, ...]:
    """Returns the rule against a fact whose subject is named only in an earlier sentence; else nothing."""
    leans = WORDS["leaning"].search(text) or WORDS["leaning_object"].search(text)
    return ("leans on what was said before",) if leans else ()


def passing_rules(text: str) -> tuple[str, ...]:
    """Returns the rules against a sentence that nobody chose."""
    broken = {
        "fragment": not says_something(text) or is_bare(text),
        "leans on what was said before": WORDS["leaning"].search(text),
        "a passing event or mood": WORDS["passing"].search(text),
        "said to somebody": is_talk(text),
    }
    return (*(rule for rule, is_broken in broken.items() if is_broken), *momentary_rules(text))


def momentary_rules(text: str) -> tuple[str, ...]:
    """Returns the rules for which a sentence is only offered: a present state, the result of one run (A35)."""
    if WORDS["rule"].search(text):
        return ()
    told = {"a state that passes": WORDS["state"], "the result of one run": WORDS["one_run"]}
    return tuple(rule for rule, pattern in told.items() if pattern.search(text))


def is_bare(text: str) -> bool:
    """Tells whether a text only names things, without a small word or verb that would make a sentence."""
    words = text.lower()
    is_told = any(word in ASKED | WEAK for word in re.findall(r"[a-z']+", words)) or re.search(r"[a-z]s [a-z]", words)
    return text.isascii() and not is_told


def is_over(text: str, day: date) -> bool:
    """Tells whether a sentence names a deadline that has passed when its note is reviewed, 30 days later."""
    found = WORDS["deadline"].search(text)
    try:
        due = date.fromisoformat(found["day"]) if found else None
    except ValueError:
        return False
    return due is not None and due <= day + REVIEWED_AFTER


def is_talk(text: str) -> bool:
    """Tells whether a sentence only greets, thanks or asks somebody."""
    return bool(WORDS["talk"].search(text))


_TITLES = PatternFile(__package__, "titles.toml", "lead_in", "statement")


def statement(sentence: str) -> str:
    """Removes all announcements before a sentence, such as `Key insight:`, `Ursache:` or `À retenir :`."""
    text, before = sentence.strip(), None
    while before != text:
        before = text
        text = _TITLES["lead_in"].sub("", text, count=1).strip()
    return text or sentence
