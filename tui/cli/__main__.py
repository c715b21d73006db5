"""Runs `python -m tui.cli`, the command without its console script."""

from tui.cli.main import run

run()
