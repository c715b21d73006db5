"""Selects sentences that last by themselves, which extraction is asked for offline (G9), and makes titles of them."""

import re
from collections.abc import Sequence

from engine.text.pattern_file import PatternFile

FEWEST_WORDS = 3
"""Words of a sentence that is more than a fragment (decision A16), in scripts that write blanks."""
FEWEST_WIDE = 6
"""Words, or characters of a script without blanks, from which a sentence says something by itself."""

_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

WORDS = PatternFile(
    __package__, "durability.toml", "leaning leaning_object relative passing one_day thought talk reason"
)


def says_something(text: str, fewest_words: int = FEWEST_WORDS) -> bool:
    """Tells whether `text` is more than a fragment: enough words, or characters where words have no blanks."""
    return len(text.split()) >= fewest_words or len(_WIDE.findall(text)) >= FEWEST_WIDE


def is_wide(text: str) -> bool:
    """Tells whether `text` is of a script whose words have no blanks between them."""
    return bool(_WIDE.search(text))


def speaks_of_a_day(text: str) -> bool:
    """Tells whether a sentence counts time from the day it was said on: `today`, `three weeks ago`, `gestern`."""
    return bool(WORDS["relative"].search(text))


def fleeting_rules(text: str) -> tuple[str, ...]:
    """The rule by which a stated fact is passed over: it tells of one day, or of a thought, and says nothing later."""
    return ("a passing event or mood",) if WORDS["one_day"].search(text) or WORDS["thought"].match(text) else ()


def leaning_rules(text: str) -> tuple[str, ...]:
    """The rule by which a stated fact is passed over: what it is about was named before it."""
    return (
        ("leans on what was said before",)
        if WORDS["leaning"].search(text) or WORDS["leaning_object"].search(text)
        else ()
    )


def passing_rules(text: str) -> tuple[str, ...]:
    """The rules by which a sentence that nobody chose is passed over."""
    broken = {
        "fragment": not says_something(text),
        "leans on what was said before": WORDS["leaning"].search(text),
        "a passing event or mood": WORDS["passing"].search(text),
        "said to somebody": is_talk(text),
    }
    return tuple(rule for rule, is_broken in broken.items() if is_broken)


def is_talk(text: str) -> bool:
    """Tells whether a sentence greets, thanks or asks somebody, and says nothing of the matter."""
    return bool(WORDS["talk"].search(text))


LONGEST_TITLE = 80
"""Characters of an entry's title; half as many in Chinese, Japanese and Korean."""
TITLE_WORDS = 4
"""Characters a title may have, and words below which a clause makes none."""

_FIGURE = re.compile(r"\d+")
_TITLES = PatternFile(__package__, "titles.toml", "lead_in clause condition begun listed goes_on opens half trailing")


def statement(sentence: str) -> str:
    """The sentence without what announces it: `Key insight:`, `Ursache:`, `À retenir :`, one after the other."""
    text, before = sentence.strip(), None
    while before != text:
        before = text
        text = _TITLES["lead_in"].sub("", text, count=1).strip()
    return text or sentence


def short_title(sentence: str) -> str:
    """The sentence's first clause, or as many of its words as a heading bears; never more than it says itself."""
    text = statement(sentence)
    longest = LONGEST_TITLE // 2 if is_wide(text) else LONGEST_TITLE
    head = _first_clause(text, longest)
    if head and (len(text) > longest or len(_FIGURE.findall(head)) == len(_FIGURE.findall(text))):
        return _bare(head)
    if len(text) <= longest:
        return _bare(text)
    cut = text.rfind(" ", 0, longest + 1)
    shorter = text[: cut if cut > longest // 3 else longest]
    opens = max((match.start() for match in _TITLES["opens"].finditer(shorter)), default=0)
    shorter = shorter[:opens] if opens > longest // 3 else shorter
    # Without the small words that a cut leaves hanging at its end, unless little else is left.
    bare = _TITLES["trailing"].sub("", _TITLES["half"].sub("", shorter))
    return _bare(bare if says_something(bare, TITLE_WORDS) else shorter)


def joint_title(sentences: Sequence[str]) -> str:
    """The title of an entry that states several facts: of two it names both where there is room."""
    if len(sentences) == 2 and names_both(*sentences):
        return _both(*sentences)
    return short_title(sentences[0])


def names_both(first: str, second: str) -> bool:
    """Tells whether one title has room for two facts."""
    both = _both(first, second)
    return len(both) <= (LONGEST_TITLE // 2 if is_wide(both) else LONGEST_TITLE)


def _both(first: str, second: str) -> str:
    return f"{short_title(first)}; {short_title(second)}"


def _first_clause(text: str, longest: int) -> str:
    """The first clause that fits and says something by itself; a condition or a time needs what follows it."""
    if _TITLES["condition"].search(text):
        return ""
    for match in _TITLES["clause"].finditer(text):
        head = text[: match.start()]
        if len(head) > longest:
            break
        if _TITLES["listed"].search(head) and match[0] == "," and not _TITLES["goes_on"].match(text, match.end()):
            continue
        head = _TITLES["begun"].sub("", head)
        if says_something(head, TITLE_WORDS):
            return head
    return ""


def _bare(text: str) -> str:
    return text.strip().rstrip(" .,;:!?，。；：！？、–—-") or text.strip()
