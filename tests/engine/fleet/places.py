"""Agents of a test's own: workspaces, an operator's folders, and a program in the place of ssh."""

import os
from collections.abc import Mapping
from pathlib import Path

from engine.fleet.fleet import Fleet
from engine.services.engine import utc_now


class Places:
    """A home with agents in it, and the operator's list of them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.env: Mapping[str, str] = {
            **os.environ,
            "HOME": str(home),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        }

    def agent(self, name: str, memory: str = "# Memory\n- deploys go through staging\n") -> Path:
        folder = self.home / "agents" / name
        (folder / "memory").mkdir(parents=True)
        (folder / "MEMORY.md").write_text(memory, "utf-8")
        return folder

    def list_them(self, text: str) -> Path:
        file = self.home / "config" / "memdeck" / "fleet.yaml"
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_text(text, "utf-8")
        return file

    def ssh(self, script: str) -> Path:
        """Puts a program in the place of ssh, which writes down what it is called with."""
        program = self.home / "bin" / "ssh"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {self.home}/called\n{script}\n', "utf-8")
        program.chmod(0o755)
        return self.home / "called"

    def fleet(self, *, local: bool = False) -> Fleet:
        return Fleet(self.env, utc_now, local=local)

    def looked(self, patience: float = 60) -> Fleet:
        return self.fleet().refresh(patience)
