"""The commands there are, each with the module that holds it, and the options that all of them take."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # no command is loaded to know its name
    import click

COMMANDS = {
    "open": "tui.cli.open",
    "demo": "tui.cli.demo",
    "connect": "tui.cli.connect",
    "disconnect": "tui.cli.connect",
    "init": "tui.cli.plan_commands",
    "status": "tui.cli.status",
    "plan": "tui.cli.plans",
    "queue": "tui.cli.plans",
    "show": "tui.cli.plans",
    "apply": "tui.cli.apply",
    "approve": "tui.cli.batch",
    "edit": "tui.cli.entry_edit",
    "reject": "tui.cli.objections",
    "comment": "tui.cli.objections",
    "undo": "tui.cli.apply",
    "redo": "tui.cli.plans",
    "log": "tui.cli.history",
    "recall": "tui.cli.recall",
    "revert": "tui.cli.plan_commands",
    "forget": "tui.cli.forget",
    "correct": "tui.cli.forget",
    "receipt": "tui.cli.forget",
    "tag": "tui.cli.history",
    "explore": "tui.cli.share",
    "share": "tui.cli.share",
    "changes": "tui.cli.monitoring",
    "consolidations": "tui.cli.consolidations",
    "trends": "tui.cli.monitoring",
    "reports": "tui.cli.reports",
    "digest": "tui.cli.reports",
    "cost": "tui.cli.cost",
    "kept": "tui.cli.monitoring",
    "check": "tui.cli.maintenance",
    "recover": "tui.cli.maintenance",
    "state": "tui.cli.maintenance",
    "search": "tui.cli.search",
    "index": "tui.cli.search",
    "evaluate": "tui.cli.evaluate",
    "load": "tui.cli.context",
    "compile": "tui.cli.context",
    "why": "tui.cli.why",
    "probe": "tui.cli.evaluate",
    "window": "tui.cli.window",
    "flushes": "tui.cli.window",
    "schedule": "tui.cli.schedule",
    "tree": "tui.cli.tree",
    "topics": "tui.cli.topics",
    "capture": "tui.cli.capture",
    "import": "tui.cli.plan_commands",
    "export": "tui.cli.plan_commands",
    "review": "tui.cli.plan_commands",
    "store": "tui.cli.store",
    "lifecycle": "tui.cli.reports",
    "replay": "tui.cli.replay",
    "extraction": "tui.cli.extraction",
    "batches": "tui.cli.cost",
    "links": "tui.cli.links",
    "lint": "tui.cli.plan_commands",
    "hook": "tui.cli.hook",
    "mcp": "tui.cli.mcp",
    "policy": "tui.cli.maintenance",
    "doctor": "tui.cli.maintenance",
    "config": "tui.cli.console_settings",
    "keys": "tui.cli.console_settings",
}
"""Every command and the module that holds it; imported when it is asked for, so that each starts fast."""

GLOBAL_OPTIONS: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("-w", "--workspace"), {"metavar": "DIR", "help": "The workspace (default: the current folder)."}),
    (("--json",), {"is_flag": True, "help": "One JSON value on stdout, nothing else there."}),
    (("--now",), {"metavar": "ISO8601", "help": "A what-if clock, marked as simulated."}),
    (("--policy",), {"metavar": "FILE", "help": "A policy that narrows the operator's own."}),
    (("--no-color",), {"is_flag": True, "help": "No colours (NO_COLOR works too)."}),
    (("--no-pager",), {"is_flag": True, "help": "Long answers all at once."}),
    (("--debug",), {"is_flag": True, "help": "A traceback with an error."}),
    (("--read-only",), {"is_flag": True, "help": "Nothing can be approved."}),
)
"""Names and attributes of each option, taken before the command's name and after it."""


def load(name: str) -> "click.Command | None":
    """The command, its module loaded now; None where there is none of that name."""
    module = COMMANDS.get(name)
    if module is None:
        return None
    found: click.Command = getattr(import_module(module), f"{name}_command")
    return found
