"""Opens the details of a row of the Overview: a notice, a due job, a trigger."""

from collections.abc import Sequence

from engine.plans.memory_status import Status
from engine.plans.plan import QueueEntry
from tui.dialogs.text_reader import TextReader
from tui.present.overview import due_jobs
from tui.present.overview import triggers_notices as overview
from tui.screen_host import ScreenHost


def open_row(app: ScreenHost, pane: str, status: Status, index: int, plans: Sequence[QueueEntry]) -> None:
    """Opens the details of a row of a pane."""
    match pane:
        case "attention":
            app.push_screen(TextReader(*overview.attention_detail(status, index)))
        case "due":
            app.push_screen(TextReader(*due_jobs.due_detail(status, index)))
        case "triggers" if index < len(fired := overview.fired(status)):
            explain_trigger(app, overview.trigger_detail(status, fired[index], tuple(plans)))
        case "triggers":
            app.push_screen(TextReader(*overview.quiet_detail(status)))


def explain_trigger(app: ScreenHost, detail: overview.TriggerDetail) -> None:
    """Explains a trigger; `enter` opens the plan that waits because of it."""
    leads = "shows the plan" if detail.plan else ""
    app.ask(TextReader(detail.title, detail.lines, leads=leads), lambda _: app.open_plan(detail.plan))
