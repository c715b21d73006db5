"""One fault at one call of one command, and what it came to."""

import shlex

import msgspec


class Point(msgspec.Struct, frozen=True):
    """`across`: the state folder lies on another mount than the workspace."""

    command: str
    mode: str
    at: int
    across: bool = False

    def line(self) -> str:
        """The command that makes this point again."""
        mount = " --across" if self.across else ""
        return f"python -m tests.soak --command {shlex.quote(self.command)} --mode {self.mode} --at {self.at}{mount}"


class Result(msgspec.Struct, frozen=True):
    """What one point came to. `reached`: the run made that call, so that the fault took place."""

    reached: bool
    code: int
    problems: tuple[str, ...] = ()
