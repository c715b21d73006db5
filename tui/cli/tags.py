"""`tag`: the tags of memory, and one more on what is committed."""

from typing import TYPE_CHECKING

import click

from engine.errors import UsageError
from tui.cli.output import Styled, print_json, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present.words import moment, safe

if TYPE_CHECKING:
    from engine.history.tags import MemoryTag

KINDS = ("milestone", "before")


@command("tag", short_help="The tags of memory; `milestone NAME` and `before NAME` make one.")
@click.argument("kind", required=False, metavar="[milestone|before]")
@click.argument("name", required=False, metavar="[NAME]")
def tag_command(settings: Settings, kind: str | None, name: str | None) -> None:
    """Lists the tags of memory, or tags what is committed now as memory/milestone/NAME or memory/before/NAME.

    Each day and each week with a commit gets a tag by itself, and so does what a plan of risk tier C is applied to.
    """
    from engine.history.tags import TagKind

    if kind is not None and (kind not in KINDS or not name):
        raise UsageError("this is no tag", where=f"tag {kind}"[:100], hint=f"memdeck tag {'|'.join(KINDS)} NAME")
    with open_console(settings) as console:
        if kind is None or name is None:
            _print_tags(settings, console.repository.tags())
            return
        made = console.repository.tag(TagKind(kind), name)
    if settings.json:
        print_json({"tag": made})
    else:
        stdout(settings.no_color).line(f"tagged {made}")


def _print_tags(settings: Settings, tags: "tuple[MemoryTag, ...]") -> None:
    if settings.json:
        print_json(tags)
        return
    printer = stdout(settings.no_color)
    printer.table([[safe(tag.name), tag.commit[:12], Styled(moment(tag.at), dim=True)] for tag in tags])
    if not tags:
        printer.line("no tag of memory yet · memdeck tag milestone NAME makes one")
