"""Chooses what a summary keeps word for word, and what it always omits (decisions C10, C27, C28)."""

from collections.abc import Sequence

from engine.models.plain_line import shortened, without_markup
from engine.text.derived import derived_line
from engine.text.pattern_file import PatternFile
from engine.tree.topic_headings import NEVER_SHRUNK

NODE_WORDS = PatternFile(
    __package__,
    "node_words.toml",
    """telling ticket key done open_again excluded excluded_korean comment supplement pointer url linked stamped remark
    speaker opens""",
)
_LONGEST_POINTER = 200  # characters of a reference's line around its URL


def excluded_phrase(text: str, entry_type: str) -> str | None:
    """Returns the phrase for which a project's line is omitted; None if it stays. Other types stay."""
    found = NODE_WORDS["excluded"].search(text) or NODE_WORDS["excluded_korean"].search(text)
    return found[0].casefold() if found and entry_type == "project" else None


def kept_by_type(type_: str, lines: Sequence[str]) -> str:
    """Returns the text of an entry that never shrinks, or the pointers of a reference; empty for other types."""
    if type_ in NEVER_SHRUNK:
        return derived_line("; ".join(part.rstrip(" ;") for line in lines if (part := _bare(line))))
    return _references(lines) if type_ == "reference" else ""


def pointers_once(texts: Sequence[str]) -> str:
    """Returns each URL or pointer once, in its latest wording; the latest line if there is none."""
    latest: dict[str, str] = {}
    for line in (part for text in texts for part in text.split("; ")):
        found = NODE_WORDS["url"].search(line) or NODE_WORDS["pointer"].search(line)
        if found is not None:
            latest[found[0]] = line
    return "; ".join(latest.values()) or next(reversed(texts), "")


def _references(lines: Sequence[str]) -> str:
    """Returns the lines of a reference with a URL or pointer, else its first line (decision C28)."""
    told = [NODE_WORDS["key"].sub("", _bare(NODE_WORDS["linked"].sub(r"\1 \2", line))) for line in lines]
    told = [line for line in told if line]
    kept = [line for line in told if NODE_WORDS["url"].search(line) or NODE_WORDS["pointer"].search(line)]
    if len(kept) == 1 and kept[0] != told[0] and len(NODE_WORDS["url"].sub("", kept[0]).split()) < 2:
        kept = [f"{kept[0]} {told[0]}"]
    return derived_line("; ".join(map(_pointing, kept or told[:1])))


def _pointing(line: str) -> str:
    """Shortens a reference's line around its URL."""
    found = NODE_WORDS["url"].search(line)
    if found is None or len(line) <= _LONGEST_POINTER:
        return shortened(line, _LONGEST_POINTER)
    rest = " ".join((line[: found.start()] + line[found.end() :]).split())
    return f"{found[0]} {shortened(rest, max(20, _LONGEST_POINTER - len(found[0])))}"


def _bare(line: str) -> str:
    return without_markup(line.strip().lstrip("-*+• ").strip())
