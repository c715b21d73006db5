"""The entry point: finds the command, runs it, and turns every failure into one line and an exit code."""

import os
import signal
import sys
from collections.abc import Sequence
from typing import IO, Any

import click

from engine.errors import MemdeckError, remedy
from tui.bridge.error_log import record
from tui.cli.output import stderr
from tui.cli.settings import Settings, global_options
from tui.registry.commands import COMMANDS, load

_SCREENS = {"overview": "status", "approvals": "queue", "context": "compile", "history": "log"}
"""Screens of the console whose command has another name."""


class Commands(click.Group):
    """Loads commands when they are named; a first argument that is no command is the folder to open."""

    def invoke(self, ctx: click.Context) -> Any:
        # click would end with exit code 1 where the reader of our output went away.
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _silence(sys.stdout)
            return 0

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # A command goes before a folder of its name; `./NAME` still opens the folder.
        if args and args[0] not in COMMANDS:
            if not looks_like_a_folder(args[0]):
                raise click.UsageError(f"no command {args[0]!r}, and no folder of that name{_similar(args[0])}")
            return "open", self.get_command(ctx, "open"), args
        return super().resolve_command(ctx, args)


def looks_like_a_folder(text: str) -> bool:
    """Tells whether `memdeck TEXT` means the folder TEXT: it is one, or it is written like a path."""
    return os.sep in text or text in (".", "..", "~") or os.path.isdir(text)  # noqa: PTH112 (no exception on NUL)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    params=global_options(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    options_metavar="[OPTIONS]",
    subcommand_metavar="[DIR] | COMMAND [ARGS]…",
)
@click.version_option(package_name="memdeck", prog_name="memdeck", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> int | None:
    """Runs the memory of an AI agent: see it, plan its upkeep, approve the diff, undo it.

    Without a command it opens the console on DIR, or on the current folder.
    """
    if context.invoked_subcommand is None:
        from tui.cli.open import open_command

        code: int = context.invoke(open_command)
        return code
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code (CLI.md §Exit codes)."""
    settings = Settings()
    try:
        result = cli.main(args=_arguments(arguments), prog_name="memdeck", standalone_mode=False, obj=settings)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)
        return 0
    except (KeyboardInterrupt, click.Abort):
        return _fail(settings, "cancelled", 3)
    except MemdeckError as error:
        return _fail(settings, error.line(), error.exit_code)
    except click.ClickException as error:
        return _fail(settings, _usage(error), error.exit_code)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        what_to_do = remedy(error, "run again with --debug to see where")
        return _fail(settings, f"{where}{error.strerror or error} · {what_to_do}", 1)
    except Exception as error:  # noqa: BLE001 — the top edge: whatever went wrong ends as one line
        # Read-only means that nothing is written, not even to the log of errors.
        if not settings.read_only:
            record(error, "command")
        return _fail(settings, f"{type(error).__name__}: {error} · run again with --debug and report it", 1)
    return result if isinstance(result, int) else 0


def run() -> None:
    """The console script `memdeck`."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if hasattr(signal, "SIGTERM"):
        # By default SIGTERM ends Python without `finally`; this way it unwinds like Ctrl-C.
        signal.signal(signal.SIGTERM, _interrupt)
    code = main()
    try:
        sys.stdout.flush()
    except OSError:  # told already: what is left in the buffer must not fail again at exit, with a code of Python's own
        _silence(sys.stdout)
    sys.exit(code)


def _arguments(arguments: Sequence[str] | None) -> list[str]:
    return list(sys.argv[1:] if arguments is None else arguments)


def _interrupt(_signal: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def _open_what_is_closed() -> None:
    """Nowhere in place of a closed input or output: else the next file opened would take its number."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(descriptor, "r" if name == "stdin" else "w"))


def _fail(settings: Settings, message: str, code: int) -> int:
    from engine.text.secrets.detector import redact

    if settings.debug:
        import traceback

        stderr(no_color=True).block(redact(traceback.format_exc(), keep_lines=True).rstrip())
    stderr(settings.no_color).line("memdeck: ", redact(" ".join(message.split())))
    return code


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "memdeck"
    return f"{error.format_message()} · see '{where} --help'"


def _similar(text: str) -> str:
    import difflib

    close = [_SCREENS[text]] if text in _SCREENS else difflib.get_close_matches(text, COMMANDS, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _silence(stream: IO[str]) -> None:
    """Points a closed pipe or a full disk at nowhere, so that the last flush at exit stays quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
