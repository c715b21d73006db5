"""Defines the command `memdeck` with its subcommands, loaded when named; `main` prints the version without click."""

import gc
import os
import sys
from typing import Any

import click
from click.shell_completion import CompletionItem

from engine import __version__
from tui.cli.settings import global_options, shown
from tui.registry.commands import COMMANDS, load, words_of

_SCREENS = {"overview": "status", "approvals": "queue", "context": "compile", "history": "log"}
"""Screens of the console whose command has another name."""


class Commands(click.Group):
    """Loads commands when they are named; a first argument that is no command is the folder to open."""

    def invoke(self, ctx: click.Context) -> Any:
        # click would end with exit code 1 where the reader of our output went away.
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            from tui.cli.main import silence

            silence(sys.stdout)
            return 0

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        # A command ends soon, and its imports too leave nothing to collect.
        if cmd_name != "open":
            gc.set_threshold(50_000)
        return load(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From their words alone: to load all modules took a second.
        with formatter.section("Commands"):
            formatter.write_dl([(name, words_of(module)[name].short) for name, module in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        # Names alone: the line that explains a command would load its module, half a second for all of them.
        names = [CompletionItem(name) for name in COMMANDS if name.startswith(incomplete) and name != "open"]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*names, *options, *([] if names or options else [CompletionItem(incomplete, type="dir")])]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # A command goes before a folder of its name; `./NAME` still opens the folder.
        if args and args[0] not in COMMANDS:
            if not looks_like_a_folder(args[0]) and not ctx.resilient_parsing:
                raise click.UsageError(f"no command {args[0]!r}, and no folder of that name{_similar(args[0])}")
            return "open", self.get_command(ctx, "open"), args
        return super().resolve_command(ctx, args)


def looks_like_a_folder(text: str) -> bool:
    """Tells whether `memdeck TEXT` means a folder: it exists, or it is written as a path."""
    return os.sep in text or text in (".", "..", "~") or os.path.isdir(text)  # noqa: PTH112 (no exception on NUL)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    params=global_options(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    options_metavar="[OPTIONS]",
    subcommand_metavar="[DIR] | COMMAND [ARGS]…",
)
@click.version_option(__version__, prog_name="memdeck", message="%(prog)s %(version)s")
@click.option(
    "--install-completion",
    is_flag=False,
    flag_value="",
    metavar="[bash|zsh|fish]",
    help="Write the completion for your shell, and say what is left to do.",
)
@click.pass_context
def cli(context: click.Context, install_completion: str | None) -> int | None:
    """Runs the memory of an AI agent: see it, plan its upkeep, approve the diff, undo it.

    Without a command it opens the console on DIR, or on the current folder."""
    if install_completion is not None:
        from tui.cli import completion

        return shown(context.obj, completion.install_completion(context.obj, install_completion))
    if context.invoked_subcommand is None:
        from tui.cli.open import open_command

        code: int = context.invoke(open_command)
        return code
    return None


def _similar(text: str) -> str:
    import difflib

    close = [_SCREENS[text]] if text in _SCREENS else difflib.get_close_matches(text, COMMANDS, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
