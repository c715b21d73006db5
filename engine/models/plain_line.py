"""Cleans text of a note for one line: no hidden characters, block markup or link targets."""

import re
from collections.abc import Sequence
from html import unescape

from engine.text.invisible import INVISIBLE, SKIN_TONES
from engine.text.pattern_file import PatternFile
from engine.text.text_lines import TextLines

LONGEST_POINT = 400  # characters of a point's text; a longer sentence is cut at a clause or a word, with an ellipsis
LONGEST_LIST = 600  # the same of a list of a note's own lines

_HIDDEN = re.compile(f"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufe0e\ufe0f{SKIN_TONES}{INVISIBLE}]")
_BREAK = re.compile("[\r\x0b\x0c\x85\u2028\u2029]")
_ESCAPE_CODE = re.compile("(?:\x1b\\[|\x9b)[0-9:;<=>?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\\\)")

_FORMS = PatternFile(__package__, "cleaning.toml", "mark links tag emphasis entity block_start schema_label clause_end")


def clean_lines(text: str) -> list[str]:
    """Splits text into lines without hidden characters: control, bidirectional, zero-width, tags and skin tones."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    # Looking at each different character once is five times faster than searching the text.
    used = "".join(set(text))
    if _HIDDEN.search(used) or _BREAK.search(used):
        text = _HIDDEN.sub("", _BREAK.sub(" ", _ESCAPE_CODE.sub("", text)))
    return text.split("\n")


def cleaned(lines: Sequence[str]) -> Sequence[str]:
    """Cleans lines; returns the same object if nothing changes, since a log may be long."""
    used = set(lines.text) - {"\n"} if isinstance(lines, TextLines) else set[str]().union(*lines)
    if _HIDDEN.search("".join(used)) or _BREAK.search("".join(used)) or not used.isdisjoint("\r\n"):
        return clean_lines("\n".join(line.replace("\n", " ") for line in lines))
    return lines or [""]


def without_markup(line: str) -> str:
    """Removes emphasis, link targets, images, comments and tags; keeps inline code."""
    if "-->" in line or "<!--" in line:
        line = _without_comments(line)
    if not ("`" in line and "*" in line) and not _FORMS["mark"].search(line):
        line = line.replace("**", "")  # all that most lines hold: the other marks take ten times as long
        return _FORMS["emphasis"].sub(_named, line) if "*" in line else line
    line = _FORMS["entity"].sub(lambda name: unescape(name[0]).replace("\xa0", " "), line)
    line = _FORMS["tag"].sub(lambda tag: tag[1] or " ", _FORMS["links"].sub(_named, line))
    return _FORMS["emphasis"].sub(_named, line)


def _named(mark: re.Match[str]) -> str:
    return (mark[1] or mark[mark.lastindex].replace("**", "")) if mark.lastindex else ""


def _without_comments(text: str) -> str:
    """Removes `<!-- … -->`, and unpaired comment marks."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start)
        kept.append(text[at:start])
        if end < 0:
            return "".join((*kept, text[start:].replace("<!--", "")))
        at = end + 3
    return "".join((*kept, text[at:])).replace("-->", "")


def point_text(sentence: str, longest: int = LONGEST_POINT) -> str:
    """Returns one line of at most `longest` characters that begins no block and no schema field."""
    text = sentence
    while "<!--" in text or "-->" in text:
        # What stood around a comment may close up to a new mark.
        text = _without_comments(text)
    text = " ".join(text.split())
    before = None
    while before != text:
        before = text
        text = _FORMS["schema_label"].sub("", _FORMS["block_start"].sub("", text))
    return shortened(text, longest)


def shortened(text: str, longest: int) -> str:
    """Cuts a text above `longest` characters at a clause or word, and adds `…`."""
    if len(text) <= longest:
        return text
    head = text[: longest - 2]
    clause = max((match.start() for match in _FORMS["clause_end"].finditer(head)), default=0)
    cut = clause if clause > longest * 2 // 3 else head.rfind(" ")
    if head[:cut].count("`") % 2:
        cut = head.rfind("`", 0, cut)
    if cut < longest // 2:
        cut = len(head)
    return head[:cut].rstrip(" ,;:，、；：—–") + " …"
