"""Tells where a plan breaks the prefix that a provider keeps in its cache (decision D39)."""

from collections.abc import Callable, Collection, Mapping
from datetime import date

from engine.context.compile.compiler import compile_prefix
from engine.context.compile.note_text import NoteText, note_text
from engine.context.compile.sources import prefix_pieces
from engine.context.platforms.platform import SessionKind
from engine.errors import Blocked, MemdeckError
from engine.plans.policy.values import ContextPolicy
from engine.text.tokens import TokenCounter

Read = Callable[[str], bytes | None]


def prefix_change(
    paths: Collection[str],
    read: Read,
    after: Mapping[str, bytes | None],
    today: date,
    policy: ContextPolicy,
    counter: TokenCounter,
) -> str:
    """A sentence where the prefix of a main session will be another one; empty where it stays.

    `paths` are the notes there are, `after` holds what those that change will be, None for what moves away.
    """

    def read_after(path: str) -> bytes | None:
        return after[path] if path in after else read(path)

    there = {path for path in paths if after.get(path, b"") is not None} | {p for p, data in after.items() if data}
    before = {piece.path for piece in prefix_pieces(paths, lambda _: "", today, SessionKind.MAIN)}
    then = {piece.path for piece in prefix_pieces(there, lambda _: "", today, SessionKind.MAIN)}
    if not (before | then) & after.keys():
        return ""
    try:
        old = _prefix(paths, read, today, policy, counter)
        new = _prefix(there, read_after, today, policy, counter)
    except Blocked:  # no prompt can be compiled with this budget, so none is cached
        return ""
    if old == new:
        return ""
    differs = (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    same = old[: next(differs, min(len(old), len(new)))]
    return f"breaks the cached prefix at {counter.count(same):,} tokens"


def _prefix(paths: Collection[str], read: Read, today: date, policy: ContextPolicy, counter: TokenCounter) -> str:
    pieces = prefix_pieces(paths, lambda path: _text(read(path)), today, SessionKind.MAIN)
    return compile_prefix(pieces, policy.prompt_tokens, counter, policy.system_prompt).text


def _text(data: bytes | None) -> NoteText | str:
    try:
        return note_text(data) if data is not None else "there is no such file"
    except MemdeckError as error:
        return f"it cannot be read: {error.message}"
