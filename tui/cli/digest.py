"""`digest`: what a week brought and what is ahead, on one page; sent by the operator's own command."""

import sys

import click

from engine.errors import UsageError
from tui.cli.output import print_json, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present import digest as page


@command("digest", short_help="One page of what was learnt, decided, waits and is ahead.")
@click.option("--since", default="last", metavar="last|7d|DATE", help="Begins with the last digest, 7d ago, a date.")
@click.option("--text", "as_text", is_flag=True, help="Plain text of at most 40 lines (what is printed anyway).")
@click.option("--html", "as_html", is_flag=True, help="One HTML file that loads nothing.")
@click.option("--send", is_flag=True, help="Give the text to the policy's digest.command; the next one begins here.")
@click.option("--read", "mark", is_flag=True, help="You have read it: the next one begins here.")
def digest_command(settings: Settings, since: str, as_text: bool, as_html: bool, send: bool, mark: bool) -> None:
    """Tells what the agent learnt, what was decided, what waits and for how long, and where things are heading.

    Without an earlier digest `--since last` is a week. Nothing is approved by it, nor by any reply to it.
    """
    if as_text + as_html + settings.json + send > 1:
        raise UsageError("--text, --html, --json and --send exclude each other", where="digest")
    with open_console(settings) as console:
        found = console.digest.make(console.digest.since(since))
        if settings.json:
            print_json(found)
        elif as_html:
            sys.stdout.write(page.html(found))
        elif send:
            console.digest.send(page.title(found), page.text(found))
            stdout(settings.no_color).line("sent; the next digest begins here")
        else:
            stdout(settings.no_color).block(page.text(found).rstrip("\n"))
        if mark and not send:
            console.digest.read()
