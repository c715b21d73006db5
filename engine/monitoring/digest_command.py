"""Gives the digest to the operator's own command: its words as they stand in the policy, the text on standard input."""

from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from email.policy import SMTPUTF8
from pathlib import Path, PurePath

from engine.errors import MemdeckError, UsageError
from engine.history.git import GitFailed, run_limited
from engine.workspace.programs import find_program, search_path

TIMEOUT = 60.0  # seconds after which the command is stopped with all that it started
MAILERS = frozenset({"msmtp", "sendmail", "ssmtp", "esmtp", "nullmailer-inject"})
"""Programs that take a whole message: the text gets a subject and its character set on top."""
_HINT = "the policy's digest.command names it"


def give(command: Sequence[str], subject: str, text: str, workspace: Path, env: Mapping[str, str]) -> None:
    """Runs the command outside of the workspace, without a shell. `MemdeckError` where it fails or takes too long."""
    if not command:
        raise UsageError("no command is set to send it with", where="digest.command", hint="set it in policy.yaml")
    program = find_program(command[0], workspace, env)
    if program is None:
        raise MemdeckError("there is no such program outside the workspace", where=command[0], hint=_HINT)
    clean = {**env, "PATH": search_path(workspace, env)}
    data = message(subject, text) if PurePath(program).name in MAILERS else text.encode()
    try:
        code, _, err = run_limited([program, *command[1:]], stdin=data, env=clean, timeout=TIMEOUT)
    except GitFailed as error:
        raise MemdeckError(error.message, where=program, hint=_HINT) from error
    if code != 0:
        said = " ".join(err.decode("utf-8", "replace").split())[:200]
        raise MemdeckError(f"it ended with {code}{f': {said}' if said else ''}", where=program, hint=_HINT)


def message(subject: str, text: str) -> bytes:
    """The text as a mail in UTF-8 with a subject; to whom it goes the command's own words say."""
    mail = EmailMessage(policy=SMTPUTF8.clone(linesep="\n"))
    mail["Subject"] = " ".join(subject.split())
    mail.set_content(text, cte="8bit")
    return bytes(mail)
