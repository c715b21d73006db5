"""Routes that the operator gives: an entry by its number, or many at once by a pattern of their titles (A21)."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from engine.compactor.semantic.shards import FOLDER, checked_route
from engine.errors import UsageError

_FULL_PATH = re.compile(rf"=\s*({FOLDER}/.*)", re.DOTALL)


def read_route(text: str) -> tuple[str, str]:
    """Pattern and path of `PATTERN=PATH`; no pattern where the text is a path alone."""
    if text.startswith(f"{FOLDER}/"):
        return "", text.strip()
    # A title may have the sign as well as a path, so that a path in full decides.
    full = _FULL_PATH.search(text)
    pattern, mark, path = (text[: full.start()], "=", full[1]) if full else text.rpartition("=")
    return (pattern.strip(), path.strip()) if mark else ("", text.strip())


def matches(pattern: str, title: str) -> bool:
    """Tells whether a title is like a pattern with `*`, `?` and `[…]`, in any case."""
    return fnmatchcase(title.casefold(), pattern.casefold())


def routed(routes: Mapping[int | str, str], titles: Mapping[int, str]) -> dict[int, str]:
    """The shard of each entry that has a route, by number; a number comes before a pattern, an earlier one first.

    Raises `UsageError` for a number or a pattern that no entry has, and for a path that is no shard.
    """
    numbers = {key: checked_route(path) for key, path in routes.items() if isinstance(key, int)}
    check_numbers(numbers, titles)
    found: dict[int, str] = {}
    for key, path in routes.items():
        if isinstance(key, str):
            able = [number for number, title in titles.items() if matches(key, title)]
            if not able:
                raise UsageError(
                    "no entry has a title like this", where=key, hint="like '*backup*=memory/semantic/x.md'"
                )
            found |= {number: checked_route(path) for number in able if number not in found}
    return found | numbers


def check_numbers(given: Mapping[int, str], titles: Mapping[int, str]) -> None:
    """Raises `UsageError` for a number that no entry has."""
    for number in given.keys() - titles.keys():
        known = f"the entries are 1 to {len(titles)}" if titles else "this plan has no entries"
        raise UsageError(f"there is no entry {number}", hint=known)
