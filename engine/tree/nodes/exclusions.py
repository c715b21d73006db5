"""Leaves out of summaries the untyped and `project` entries that were never meant to last (decision C10)."""

from engine.text.pattern_file import PatternFile

NODE_WORDS = PatternFile(__package__, "node_words.toml", "telling ticket key done open_again excluded excluded_korean")
_ENTRIES = frozenset({"project"})


def excluded_phrase(text: str, entry_type: str) -> str | None:
    """The phrase for which a line of an entry of this type is left out, or None: other types are always kept."""
    if entry_type not in _ENTRIES:
        return None
    found = NODE_WORDS["excluded"].search(text) or NODE_WORDS["excluded_korean"].search(text)
    return found[0].casefold() if found else None
