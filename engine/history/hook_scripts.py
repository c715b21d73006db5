"""The git hooks that `memdeck init` gives the agent's repository (autopoiesis §3.5, decisions D23, D24, D51).

The agent's own git runs them, memdeck's never does. They are plain `sh` and git (`hooks/*.sh`), read staged bytes by
their ids and never a file by its name, and so hold for any name, for the first commit and for a merge.
"""

from collections.abc import Mapping
from importlib.resources import files

from engine.workspace.layout import MEMORY_MD_LINES

HOOK_FOLDER = ".git/hooks"
_SCRIPTS = {
    "pre-commit": "pre-commit",
    "pre-merge-commit": "pre-merge-commit",
    "post-commit": "post-commit",
    "post-merge": "post-commit",
}


def _script(name: str) -> str:
    """The text of a script, with the limits of MEMORY.md for `@WARNING@`, `@FULL@` and `@OVER@`."""
    text = files(__package__).joinpath(f"hooks/{name}.sh").read_text("utf-8")
    for band, lines in MEMORY_MD_LINES:
        text = text.replace(f"@{band.upper()}@", str(lines))
    return text


HOOKS: Mapping[str, str] = {f"{HOOK_FOLDER}/{hook}": _script(script) for hook, script in _SCRIPTS.items()}
"""By its workspace-relative path, the text of each hook."""
