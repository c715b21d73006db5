"""Cuts a block of text into sentences, in any of five languages, in one pass."""

import re
from collections.abc import Iterator

from engine.models.language import HAN, KANA

_CLOSERS = "\"'”’»)\\]*_`」』）】"
_END = re.compile(rf"[.!?…]+[{_CLOSERS}]*(?:\s+|(?=[{HAN}{KANA}])|$)|[。！？｡]+[{_CLOSERS}]*\s*")
_OPENING = "\"'„“«([`*_「『（【"
_ABBREVIATIONS = frozenset(
    "e.g i.e etc vs cf approx resp incl ca no nos fig eq sec dept mr mrs ms dr prof st jr sr inc ltd co corp al est min "
    "max z.b d.h u.a bzw usw ggf evtl inkl zzgl vgl nr bspw sog jan feb mar apr jun jul aug sep sept oct nov dec okt "
    "dez z.t o.ä u.u i.d.r s.o s.u abs art str tel hr fr a.m p.m u.s".split()
)


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Offsets of each sentence of `text` (end excluded), without the blanks around it; together they cover the text."""
    start = 0
    for match in _END.finditer(text):
        if _ends_a_sentence(text, match):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    if start < end:
        yield start, end


def _ends_a_sentence(text: str, match: re.Match[str]) -> bool:
    if text[match.start()] in "。！？｡!?" or match.end() == len(text):
        return True
    following = text[match.end() : match.end() + 4].lstrip(_OPENING)[:1]
    if following.islower():
        return False
    words = text[max(0, match.start() - 24) : match.start()].split()
    word = words[-1].lstrip(_OPENING).lower() if words else ""
    # "3. Mai", "J. Smith" and "z. B." do not end a sentence at their dot.
    return not (word.isdigit() and len(word) <= 2 or len(word) == 1 and word.isalpha() or word in _ABBREVIATIONS)
