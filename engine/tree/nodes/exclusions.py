"""Leaves out of summaries the untyped and `project` entries that were never meant to last (decision C10)."""

import re

PHRASES = ("temporary", "test run", "delete later", "임시", "테스트 중", "나중에 삭제")
"""tree §Compaction Summary Rules 5. Whole phrases: `temporarily` and `contemporary` are other words."""

_LATIN = re.compile(r"(?<![\w-])(?:temporary|test run|delete later)(?![\w-])", re.IGNORECASE)
_KOREAN = re.compile(r"(?<![가-힣])(?:임시|테스트 중|나중에 삭제)")
_ENTRIES = frozenset({"project"})


def excluded_phrase(text: str, entry_type: str) -> str | None:
    """The phrase for which a line of an entry of this type is left out, or None: other types are always kept."""
    if entry_type not in _ENTRIES:
        return None
    found = _LATIN.search(text) or _KOREAN.search(text)
    return found[0].casefold() if found else None
