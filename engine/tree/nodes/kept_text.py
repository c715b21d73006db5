"""Leaves out what was not meant to last, and keeps what stays of an entry as it is (decisions C10, C27, C28)."""

from collections.abc import Sequence

from engine.models.cleaning import shortened, without_markup
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
    """The phrase for which a line of an entry of this type is left out, or None: types beside `project` are kept."""
    found = NODE_WORDS["excluded"].search(text) or NODE_WORDS["excluded_korean"].search(text)
    return found[0].casefold() if found and entry_type == "project" else None


def kept_text(type_: str, lines: Sequence[str]) -> str:
    """Gives all of an entry that never shrinks, the pointers of a reference, and nothing of others."""
    if type_ in NEVER_SHRUNK:
        return derived_line("; ".join(part.rstrip(" ;") for line in lines if (part := _bare(line))))
    return _references(lines) if type_ == "reference" else ""


def pointers_once(texts: Sequence[str]) -> str:
    """Gives each URL or pointer of a reference's lines once, in its latest wording; without any the latest line."""
    latest: dict[str, str] = {}
    for line in (part for text in texts for part in text.split("; ")):
        found = NODE_WORDS["url"].search(line) or NODE_WORDS["pointer"].search(line)
        if found is not None:
            latest[found[0]] = line
    return "; ".join(latest.values()) or next(reversed(texts), "")


def _references(lines: Sequence[str]) -> str:
    """The lines of a reference that hold a URL or pointer, or else its first line (decision C28)."""
    told = [NODE_WORDS["key"].sub("", _bare(NODE_WORDS["linked"].sub(r"\1 \2", line))) for line in lines]
    told = [line for line in told if line]
    kept = [line for line in told if NODE_WORDS["url"].search(line) or NODE_WORDS["pointer"].search(line)]
    if len(kept) == 1 and kept[0] != told[0] and len(NODE_WORDS["url"].sub("", kept[0]).split()) < 2:
        kept = [f"{kept[0]} {told[0]}"]
    return derived_line("; ".join(map(_pointing, kept or told[:1])))


def _pointing(line: str) -> str:
    """A reference's line, shortened around its URL, which stays whole."""
    found = NODE_WORDS["url"].search(line)
    if found is None or len(line) <= _LONGEST_POINTER:
        return shortened(line, _LONGEST_POINTER)
    rest = " ".join((line[: found.start()] + line[found.end() :]).split())
    return f"{found[0]} {shortened(rest, max(20, _LONGEST_POINTER - len(found[0])))}"


def _bare(line: str) -> str:
    return without_markup(line.strip().lstrip("-*+• ").strip())
