"""Applies the operator's own keys: each is checked against all keys, and problems are reported."""

import difflib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tui.keys.caps import key_name, long_key
from tui.keys.catalog import Key
from tui.registry.screens import DIALOGS, EVERYWHERE, PANES, SCREENS

ALWAYS = {"ctrl+q": "leaves memdeck, always", "ctrl+c": "copies or says how to leave", "escape": "leads out, always"}
"""Keys that no configuration changes, so that there is always a way out."""

FIXED = frozenset({"approval", "question"})


class Rebound(NamedTuple):
    """The keys by action name in the toolkit's spelling, and the problems of wishes that were not applied."""

    keymap: dict[str, str]
    problems: tuple[tuple[str, str, str], ...]  # the name in the configuration, what is wrong, and what to do


def rebind(wishes: Mapping[str, Sequence[str]], keys: Sequence[Key]) -> Rebound:
    """Checks each wish; those without a problem are in the keymap."""
    known = {key.name: key for key in keys}
    good: dict[str, tuple[str, ...]] = {}
    problems: list[tuple[str, str, str]] = []
    for name, wanted in wishes.items():
        if (problem := _problem(name, wanted, known)) is None:
            good[name] = tuple(long_key(key) for key in wanted)
        else:
            problems.append((name, *problem))
    for name, what in _clashes(good, known):
        good.pop(name, None)
        problems.append((name, what, "choose another key, or give that one another key too"))
    return Rebound({name: ",".join(bound) for name, bound in good.items()}, tuple(problems))


def untaken(
    wanted: Sequence[str], keys: Sequence[Key], keymap: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the wanted keys in the toolkit's spelling, empty for a wrong one, and what is wrong with those."""
    taken = {bound: f"{key.name} ({key.title})" for key in keys for bound in _bound(key, keymap)} | ALWAYS
    free: list[str] = []
    wrong: list[str] = []
    for key in wanted:
        long = long_key(key)
        why = f"{key!r} is no key" if not _is_key(key) else f"{key} is taken: {taken[long]}" if long in taken else ""
        free.append("" if why else long)
        wrong += [why] if why else []
        taken[long] = taken.get(long, "another command")
    return tuple(free), tuple(wrong)


def _bound(key: Key, keymap: Mapping[str, str]) -> Sequence[str]:
    return keymap[key.name].split(",") if key.name in keymap else key.keys


def _problem(name: str, wanted: Sequence[str], known: Mapping[str, Key]) -> tuple[str, str] | None:
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        return "there is no such key", f"did you mean {close[0]}?" if close else "memdeck keys lists them all"
    if known[name].scope in FIXED:
        return "this key cannot be changed", "what a person's yes looks like never changes"
    if not wanted:
        return "it needs one key at least", "like ctrl+r, or [j, down]"
    for key in wanted:
        if not _is_key(key):
            return f"{key!r} is no key", "like r, R, ?, ctrl+r, f5, space or pgdn"
        if long_key(key) in ALWAYS and long_key(key) not in known[name].keys:
            return f"{key_name(long_key(key))} is taken: it {ALWAYS[long_key(key)]}", "choose another key"
    return None


def _is_key(key: str) -> bool:
    from textual.keys import Keys

    *modifiers, last = long_key(key).split("+")
    named = {entry.value for entry in Keys} | {long_key(sign) for sign in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"}
    is_sign = len(last) == 1 and last.isprintable() and not last.isspace()
    return (is_sign or last in named or last in ("space", "plus")) and set(modifiers) <= {"ctrl", "shift", "alt"}


def _clashes(good: Mapping[str, Sequence[str]], known: Mapping[str, Key]) -> list[tuple[str, str]]:
    """Returns the wishes whose key has another meaning where both can be pressed."""
    bound = {name: tuple(good.get(name, key.keys)) for name, key in known.items()}
    clashes = []
    for name, wanted in good.items():
        for other, keys in sorted(bound.items(), key=lambda entry: not entry[0].startswith(known[name].scope + ".")):
            shared = set(wanted) & set(keys)
            if other != name and shared and _meet(known[name], known[other]):
                clashes.append((name, f"{key_name(min(shared))} is already {other} ({known[other].title})"))
                break
    return clashes


def _meet(first: Key, second: Key) -> bool:
    """Tells whether two actions with one key can be pressed at the same place and differ."""
    if _bare(first.action) == _bare(second.action):
        return False
    if first.scope == second.scope:
        return True
    both = {first.scope, second.scope}
    apart = both & DIALOGS.keys() or both <= PANES.keys()
    return not apart and not both.isdisjoint({EVERYWHERE, SCREENS, *PANES})


def _bare(action: str) -> str:
    return action.removeprefix("app.")
