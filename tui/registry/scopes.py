"""Lists the scopes in which keys work: each with the module that gives them, and its heading on the card."""

EVERYWHERE = "console"
SCREENS = "screen"
CONSOLE = "tui.app"
"""The module whose keys work everywhere."""
PANES: tuple[tuple[str, str], ...] = (
    ("list", "tui.widgets.line_list"),
    ("text", "tui.widgets.text_pane"),
    ("diff", "tui.widgets.diff_view"),
    ("source", "tui.widgets.source_text"),
    ("queue", "tui.screens.approvals.queue_pane"),
    ("filter", "tui.widgets.filter_field"),
    ("query", "tui.screens.search.panes"),
    ("preview", "tui.screens.search.panes"),
    ("message", "tui.screens.context.panes"),
    ("calendar", "tui.screens.tree.calendar"),
    ("gauges", "tui.screens.overview.gauge_cards"),
)
"""Scopes of panes, which screens are made of, and their modules."""

DIALOGS: tuple[tuple[str, str], ...] = (
    ("choice", "tui.dialogs.picker"),
    ("command-line", "tui.shell.command_line"),
    ("reading", "tui.dialogs.text_reader"),
    ("find", "tui.dialogs.find_bar"),
    ("tour", "tui.shell.tour"),
    ("jump", "tui.shell.jump"),
    ("taking-back", "tui.screens.history.undo"),
    ("recall", "tui.screens.history.recall"),
    ("why", "tui.screens.context.why"),
    ("blind", "tui.screens.lifecycle.blind"),
    ("batch", "tui.screens.approvals.batch"),
    ("entry", "tui.screens.approvals.entry_editor"),
    ("beside", "tui.screens.approvals.entry_pair"),
    ("past-runs", "tui.screens.approvals.reports"),
    ("agent-changes", "tui.screens.overview.agent_changes"),
    ("what-if", "tui.dialogs.what_if"),
    ("life", "tui.screens.tree.line_life"),
    ("lanes", "tui.screens.topics.lanes"),
    ("chart", "tui.screens.overview.chart"),
    ("costs", "tui.screens.overview.costs"),
    ("question", "tui.dialogs.line_input"),
    ("approval", "tui.dialogs.confirm"),
)
"""Scopes of dialogs. `approval` and `question` cannot be rebound: what a person's yes looks like never changes."""

TITLES = {
    EVERYWHERE: "Everywhere",
    SCREENS: "On every screen",
    "list": "In a list",
    "text": "In a text",
    "diff": "In a diff",
    "source": "In a source",
    "queue": "In the queue",
    "filter": "In the field of a filter (`/`)",
    "query": "In the field of the search",
    "preview": "In the note beside the hits",
    "message": "In the field of the message",
    "calendar": "In the calendar of the tree (`c`)",
    "gauges": "On the gauges of the Overview (`c`)",
    "choice": "In a list to choose from (`?`, `ctrl+p`)",
    "command-line": "In the command line (`:`)",
    "reading": "In a text over the screen",
    "find": "While finding (`/`)",
    "tour": "In the tour",
    "jump": "While jumping",
    "taking-back": "While undoing",
    "recall": "In the past (`r` in History)",
    "blind": "While a replay is judged (`b` on Lifecycle)",
    "why": "While an answer is looked into (`a` on Context)",
    "batch": "While many plans are asked about",
    "entry": "While an entry is edited",
    "beside": "In a side by side",
    "past-runs": "In the past dry runs",
    "agent-changes": "In the agent's changes",
    "life": "In the ladder of a line (`L`)",
    "lanes": "In the lanes of the topics (`L`)",
    "chart": "In the chart of a gauge",
    "costs": "In the costs of models (`:cost`)",
    "what-if": "While a date is asked for (`t`)",
    "question": "In a question",
    "approval": "In the question before a plan is applied (fixed)",
}
