"""`python -m tui.cli`: the command where its console script is not installed."""

from tui.cli.main import run

run()
