"""The git hooks that `memdeck init` installs for the agent's git alone (autopoiesis §3.5, decisions D23, D24, D51):
plain `sh` (`hooks/*.sh`), which reads staged bytes by id, so that any file name works."""

import os
from collections.abc import Mapping

from engine.history.git import SHORT, Git, read_regular
from engine.text.pattern_file import source
from engine.text.safe_text import visible_line
from engine.workspace.layout import MEMORY_MD_LINES

HOOK_FOLDER = ".git/hooks"
_LARGEST = 1 << 20  # bytes that are read of a hook of another folder
_SCRIPTS = {
    "pre-commit": "pre-commit",
    "pre-merge-commit": "pre-merge-commit",
    "post-commit": "post-commit",
    "post-merge": "post-commit",
}


def unused_hooks(git: Git) -> str:
    """Gives the folder of hooks that git uses in place of memdeck's, if its `pre-commit` calls none of them; empty
    otherwise. Tools like husky set such a `core.hooksPath`, and so do people who want no hook."""
    asked = ("--show-scope", "-z", "--type=path", "--get-all", "core.hooksPath")
    code, out, _ = git.attempt("config", *asked, timeout=SHORT)
    cells = os.fsdecode(out).split("\0") if code == 0 else []
    # Each of our own calls of git turns hooks off by a setting on its command line.
    named = [value for scope, value in zip(cells[::2], cells[1::2], strict=False) if scope != "command"]
    folder = named[-1] if named else ""
    if not folder or (git.top / folder).resolve() == (git.top / HOOK_FOLDER).resolve():
        return ""
    try:
        text = read_regular(git.top / folder / "pre-commit", _LARGEST)
    except OSError:
        text = b""
    return "" if f"{HOOK_FOLDER}/pre-commit".encode() in text else visible_line(folder)


def _script(name: str) -> str:
    """Gives the text of a script with the limits of MEMORY.md in place of `@WARNING@`, `@FULL@` and `@OVER@`."""
    text = source(__package__, f"hooks/{name}.sh").decode("utf-8")
    for band, lines in MEMORY_MD_LINES:
        text = text.replace(f"@{band.upper()}@", str(lines))
    return text


HOOKS: Mapping[str, str] = {f"{HOOK_FOLDER}/{hook}": _script(script) for hook, script in _SCRIPTS.items()}
"""The text of each hook by its path in the workspace."""
CALL_OURS = f"let its pre-commit call {HOOK_FOLDER}/pre-commit, or take core.hooksPath out of git's settings"
