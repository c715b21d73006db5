"""Takes the operator's word on a decision: useful or not, or that a topic should have woken and did not."""

from engine.errors import MemdeckError
from engine.topics.decision_log import LogEntry, Useful, UsefulnessJudgement
from tui.dialogs.picker import Picker
from tui.present.choices import Choice
from tui.present.topics.verdicts import MARKS
from tui.present.words import safe
from tui.screens.topics.panes import TopicsPanes

TOO_FRESH = "this came just as you pressed the key: the stream is held, press it again to judge"


def judge(page: TopicsPanes, useful: Useful) -> None:
    """Keeps the judgement; on screen at once, taken back where it cannot be kept."""
    if page.decided is not None:
        _keep(page, *page.decided, useful)


def missed(page: TopicsPanes) -> None:
    """Asks which topic should have woken for the message under the cursor."""
    if page.place is None or page.topics is None:
        return
    entry = page.stream.entry(page.place)
    woke = {one.topic for one in entry.decisions if one.activated}
    choices = tuple(
        Choice(safe(topic.id), safe(topic.description), value=topic.id)
        for topic in page.topics.topics
        if topic.id not in woke
    )

    picker = Picker("Should have activated", choices, placeholder="which topic?")
    page.deck.ask(picker, lambda topic: _keep(page, entry, topic, Useful.YES))


def _keep(page: TopicsPanes, entry: LogEntry, topic: str, useful: Useful) -> None:
    key, before = (entry.key, topic), page.marks.get((entry.key, topic))
    page.marks[key] = useful
    page.show_all(to_end=False)

    def kept(judgement: UsefulnessJudgement) -> None:
        if judgement.topic not in {one.topic for one in entry.decisions}:  # else its row says so
            page.deck.say(f"{judgement.topic}: {MARKS[judgement.useful].word}")

    def refused(error: MemdeckError) -> None:
        if before is None:
            page.marks.pop(key, None)
        else:
            page.marks[key] = before
        page.show_all(to_end=False)
        page.deck.fail(error)

    page.deck.bridge.read(lambda engine: engine.topics.judge(entry, topic, useful), kept, refused)
