"""Runs a command, and turns every failure into one line and an exit code."""

from __future__ import annotations

import os
import sys

# Nothing is imported before it is needed, `typing` neither: it takes 5 ms, a third of the start of Python itself.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import IO

    import click

    from tui.cli.settings import Settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code (CLI.md §Exit codes)."""
    import gc

    gc.disable()  # imports leave nothing to collect: to look for it took a tenth of `queue`
    import click

    from engine.errors import MemdeckError, remedy
    from tui.cli.root import cli
    from tui.cli.settings import Settings

    gc.freeze()
    gc.enable()
    settings = Settings()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = cli.main(args=given, prog_name="memdeck", standalone_mode=False, obj=settings)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
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
            from tui.bridge.error_log import record

            record(error, "command")
        return _fail(settings, f"{type(error).__name__}: {error} · run again with --debug and report it", 1)
    return result if isinstance(result, int) else 0


def run() -> None:
    """Runs the console script `memdeck`."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if sys.argv[1:] == ["--version"]:
        from engine import __version__

        sys.stdout.write(f"memdeck {__version__}\n")
        code = 0
    else:
        _interrupt_on_sigterm()
        code = main()
    try:
        sys.stdout.flush()
    except OSError:  # told already: what is left in the buffer must not fail again at exit, with a code of Python's own
        silence(sys.stdout)
    if (pool := sys.modules.get("engine.fleet.pool")) is not None and pool.still_at_work():
        os._exit(code)  # nothing waits for the disk of an agent that does not answer
    sys.exit(code)


def _interrupt_on_sigterm() -> None:
    """Makes SIGTERM unwind like Ctrl-C; by default it ends Python without `finally`."""
    import signal

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, interrupt)


def _open_what_is_closed() -> None:
    """Opens the null device for a closed input or output, since the next opened file would take its number."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(descriptor, "r" if name == "stdin" else "w"))


def _fail(settings: Settings, message: str, code: int) -> int:
    from engine.text.secrets.detector import redact
    from tui.cli.output import stderr

    if settings.debug:
        import traceback

        stderr(no_color=True).block(redact(traceback.format_exc(), keep_lines=True).rstrip())
    stderr(settings.no_color).line("memdeck: ", redact(" ".join(message.split())))
    return code


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "memdeck"
    return f"{error.format_message()} · see '{where} --help'"


def silence(stream: IO[str]) -> None:
    """Redirects a closed pipe or a full disk to the null device, so that the last flush at exit raises nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
