"""Words made safe for a crontab line and for a systemd unit; what neither can hold is refused."""

import re
import shlex

from engine.errors import UsageError

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def printable(word: str) -> str:
    """`word`, or `UsageError` where it holds a newline, another control character, or bytes that are not UTF-8."""
    if _UNPRINTABLE.search(word):
        raise UsageError("a control character cannot be scheduled", where=ascii(word), hint="rename the folder")
    return word


def for_crontab(word: str) -> str:
    """One word of a crontab command: quoted for the shell, with `%` kept from becoming a newline."""
    return shlex.quote(printable(word)).replace("%", r"\%")


def for_systemd(word: str) -> str:
    """One word of `ExecStart=` or `Environment=`: in double quotes, with specifiers kept literal."""
    escaped = printable(word).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def for_systemd_command(word: str) -> str:
    """`for_systemd`, with `$` kept from naming a variable: a command line expands those, a setting does not."""
    return for_systemd(word).replace("$", "$$")
