"""Globs on the paths in tool calls (autopoiesis §4.2): `*.py`, `src/**/test_*.py`."""

from functools import lru_cache

from engine.topics.patterns.regex import BadPattern, check, quoted

LONGEST = 200  # characters of a glob, which becomes a pattern (decision D16)


def glob_problem(glob: str) -> str:
    """Says why a glob cannot be used; empty where it can."""
    if len(glob) > LONGEST:
        return f"the glob {quoted(glob)} is longer than {LONGEST} characters"
    try:
        check(glob_pattern(glob))
    except BadPattern:
        return f"{quoted(glob)} is no glob"
    return ""


@lru_cache(maxsize=4096)
def glob_pattern(glob: str) -> str:
    """The glob as an RE2 pattern for a whole path. `*` and `?` stop at a slash, `**/` is any number of folders, `[…]` a
    set, `{a,b}` either. Without a slash it is about the last part of a path; a glob that is no absolute path may begin
    at any folder."""
    start = r"\A" if glob.startswith(("/", "**")) else r"(?:\A|/)"
    return start + translated(glob) + r"\z"


def translated(glob: str) -> str:
    """The glob itself as RE2 text, neither end fixed."""
    parts, at, depth = [], 0, 0
    while at < len(glob):
        char = glob[at]
        if glob.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 3
            continue
        if glob.startswith("**", at):
            parts.append(".*")
            at += 2
            continue
        closing = glob.find("]", at + 2) if char == "[" else -1
        if closing > 0:
            parts.append(_class(glob[at + 1 : closing]))
            at = closing + 1
            continue
        if char == "{" and "}" in glob[at:]:
            depth += 1
            parts.append("(?:")
        elif char == "}" and depth:
            depth -= 1
            parts.append(")")
        elif char == "," and depth:
            parts.append("|")
        else:
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char) or literal(char))
        at += 1
    return "(?s:" + "".join(parts) + ")"


def _class(inner: str) -> str:
    negated = inner[:1] in ("!", "^")
    body = inner[1:] if negated else inner
    safe = "".join(char if char.isalnum() or char == "-" else f"\\x{{{ord(char):x}}}" for char in body)
    return f"[{'^/' if negated else ''}{safe}]"


def literal(text: str) -> str:
    """Text as RE2 takes it literally."""
    return "".join(char if char.isalnum() or char == "_" else f"\\x{{{ord(char):x}}}" for char in text)
