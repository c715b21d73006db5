"""The title of an entry: a statement of the sentence it comes from, without a lead-in (compactor §Entry Schema)."""

import re
from collections.abc import Sequence

from engine.compactor.extraction.durability import is_wide, says_something
from engine.text.pattern_file import PatternFile

LONGEST_TITLE = 80
"""Characters of an entry's title; half as many in Chinese, Japanese and Korean."""
TITLE_WORDS = 4
"""Characters a title may have, and words below which a clause makes none."""

_FIGURE = re.compile(r"\d+")
_WORDS = PatternFile(__package__, "titles.toml", "lead_in clause condition begun listed goes_on opens half trailing")


def statement(sentence: str) -> str:
    """The sentence without what announces it: `Key insight:`, `Ursache:`, `À retenir :`, one after the other."""
    text, before = sentence.strip(), None
    while before != text:
        before = text
        text = _WORDS["lead_in"].sub("", text, count=1).strip()
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
    opens = max((match.start() for match in _WORDS["opens"].finditer(shorter)), default=0)
    return _without_trailing(shorter[:opens] if opens > longest // 3 else shorter)


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
    if _WORDS["condition"].search(text):
        return ""
    for match in _WORDS["clause"].finditer(text):
        head = text[: match.start()]
        if len(head) > longest:
            break
        if _WORDS["listed"].search(head) and match[0] == "," and not _WORDS["goes_on"].match(text, match.end()):
            continue
        head = _WORDS["begun"].sub("", head)
        if says_something(head, TITLE_WORDS):
            return head
    return ""


def _without_trailing(text: str) -> str:
    """`text` without the small words that a cut leaves hanging at its end, unless little else is left."""
    shorter = _WORDS["trailing"].sub("", _WORDS["half"].sub("", text))
    return _bare(shorter if says_something(shorter, TITLE_WORDS) else text)


def _bare(text: str) -> str:
    return text.strip().rstrip(" .,;:!?，。；：！？、–—-") or text.strip()
