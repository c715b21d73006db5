"""A workspace and its state folder that another version wrote, in another place."""

import tarfile
from datetime import datetime
from pathlib import Path

from engine.plans.grant import grant
from engine.plans.operation import Approval, Reversal, Witness
from engine.services.engine import Engine
from engine.state.folder import StateFolder, state_home
from engine.workspace.paths import WorkspaceRoot

WITNESS = Witness(tty="/dev/pts/1", processes=("bash(1)",), user="ana", channel="terminal")


def unpacked(name: str, base: Path, now: datetime) -> Engine:
    """Opens the workspace of an archive beside this file: its state folder takes the name that belongs to the place."""
    with tarfile.open(Path(__file__).with_name(name)) as written:
        # Before 3.11.4 Python knows no filter; the archive is the tests' own.
        written.extraction_filter = getattr(tarfile, "data_filter", None)
        written.extractall(base)
    folder, env = base / "agents" / "silas", {"XDG_STATE_HOME": str(base / "state"), "HOME": str(base)}
    (there,) = (base / "state" / "memdeck" / "workspaces").iterdir()
    with WorkspaceRoot.open(folder) as root:
        state = StateFolder.locate(root.identity, state_home(env)).path
    for made in sorted(state.rglob("*"), reverse=True):
        made.rmdir() if made.is_dir() else made.unlink()
    state.rmdir()
    there.rename(state)
    return Engine.open(folder, env=env, clock=lambda: now)


def approval(reversal: Reversal, now: datetime) -> Approval:
    return grant(
        target=reversal.digest,
        numbers=reversal.numbers,
        risk_tier=reversal.risk_tier,
        typed="y",
        answers=(),
        witness=WITNESS,
        now=now,
        nonce="0" * 16,
        shown="each",
    )
