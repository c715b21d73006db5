"""Runs `memdeck --install-completion`: writes click's completion where the shell looks for it."""

import os
from pathlib import Path

from click.shell_completion import BashComplete, FishComplete, ZshComplete

from engine.errors import Refused, UsageError
from tui.cli.output import Answer
from tui.cli.root import cli
from tui.cli.settings import Settings
from tui.present.glyphs import PASSED

_MARK = "_MEMDECK_COMPLETE"
"""The variable by which the script asks memdeck; a file without it is not replaced."""
_DATA, _CONFIG = ("XDG_DATA_HOME", ".local/share"), ("XDG_CONFIG_HOME", ".config")
PLACES = {
    "bash": (BashComplete, _DATA, "bash-completion/completions/memdeck", "new shells have it, by bash-completion"),
    "zsh": (ZshComplete, _DATA, "zsh/site-functions/_memdeck", "put `fpath=({} $fpath)` before `compinit` in ~/.zshrc"),
    "fish": (FishComplete, _CONFIG, "fish/completions/memdeck.fish", "new shells have it"),
}
"""By shell: click's script, a base folder, the file below it, the next step; `{}` is the file's folder."""


def install_completion(settings: Settings, shell: str) -> Answer:
    """Writes the completion of a shell, by default that of `$SHELL`; changes no file of the shell itself."""
    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in PLACES:
        raise UsageError(f"no completion for the shell {name!r}", hint=f"name one of {', '.join(PLACES)}")
    completion, (variable, usual), below, after = PLACES[name]
    file = Path(os.environ.get(variable) or Path.home() / usual) / below
    if settings.read_only:
        raise Refused("--read-only writes nothing", where=str(file))
    if file.exists() and _MARK not in file.read_text("utf-8", errors="replace"):
        raise Refused("another completion is there", where=str(file), hint="move it away first")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(completion(cli, {}, "memdeck", _MARK).source(), encoding="utf-8")
    todo = after.format(file.parent)
    return Answer({"shell": name, "file": str(file), "next": todo}, [f"{PASSED.glyph} {file}: {todo}"])
