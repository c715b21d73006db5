"""Sends notes to a memory store after the confirm dialog, with their diffs on screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.present.words import noun, safe

if TYPE_CHECKING:
    from engine.extras.stores.store_service import SentText, StorePush
    from engine.plans.operation import Approval
    from tui.shell.host import ShellHost


def push_to_store(app: ShellHost, store: str, paths: Sequence[str]) -> None:
    """Computes what would be sent to a store, and asks about it."""
    title = "what a push would send"
    app.bridge.look_on(title, lambda engine, _: engine.stores.outgoing(store, paths), lambda push: ask(app, push))
    app.show_work_soon()


def ask(app: ShellHost, push: StorePush) -> None:
    """Shows the diffs with the question; without any, says why."""
    from tui.dialogs.confirm import ConfirmDialog
    from tui.present.store_push import about_push
    from tui.screens.lifecycle.store_push import StorePushScreen

    if not push.texts:
        app.say("; ".join(push.problems) or "the notes of the last pull are as the store has them", title=push.store)
        return
    if app.in_dialog:
        return
    behind = StorePushScreen(push)

    def answered(approvals: tuple[Approval, ...] | None) -> None:
        behind.dismiss(None)
        for approval in approvals or ():
            _send(app, push, approval)

    app.clear_notifications()
    app.push_screen(behind)
    behind.dialog = ConfirmDialog(about_push(push), behind)
    app.push_screen(behind.dialog, answered)


def _send(app: ShellHost, push: StorePush, approval: Approval) -> None:
    title = f"push {noun(len(push.texts), 'note')}"
    app.bridge.long(
        title, lambda engine, _: engine.stores.push(push, approval), lambda sent: show_sent(app, push, sent)
    )
    app.show_work()


def show_sent(app: ShellHost, push: StorePush, sent: tuple[SentText, ...]) -> None:
    """Says what happened to each note; unsent ones stay on screen until closed."""
    from tui.dialogs.text_reader import TextReader
    from tui.present.store_push import sent_lines, sent_words

    if all_sent := sent_words(sent):
        app.say(all_sent, title=safe(push.store))
    else:
        app.push_screen(TextReader(f"Push to {safe(push.store)}", sent_lines(sent), hang=2))
    app.read_all()
