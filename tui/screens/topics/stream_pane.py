"""Shows the stream of messages as a pane, live or of a replay, and takes judgements on decisions."""

from time import monotonic

from textual import on
from textual.message import Message
from textual.timer import Timer

from engine.errors import MemdeckError
from engine.topics.decision_log import LogEntry, Useful, UsefulnessJudgement
from tui.dialogs.picker import Picker
from tui.present.choices import Choice
from tui.present.spans import Line, Span
from tui.present.topics import funnel_figures as figures
from tui.present.topics.message_stream import Stream, StreamRow, StreamRows
from tui.present.topics.replay import Replay
from tui.present.topics.verdicts import MARKS
from tui.present.words import safe
from tui.screens.hosted import Hosted
from tui.screens.topics import replay as replaying
from tui.screens.topics.heard_sessions import HeardSessions
from tui.widgets.key_guard import KeyGuard
from tui.widgets.line_list import LineList

_SETTLE_SECONDS = 0.06  # seconds for which the cursor rests on a message before its decisions are laid out
_SETTLE_SECONDS_BEHIND = 0.4  # the same while a burst goes through
_WIDE_STREAM = 100  # cells of the stream from which on a message's row says what each tier let through
_EDGES = 6  # cells that a pane's corners and the blanks around its title take
TOO_FRESH = "this came just as you pressed the key: the stream is held, press it again to judge"


class StreamPane(Hosted, LineList):
    """A row for each message and each decision about it."""

    class Changed(Message):
        """Says that the rows, the judgements or the replay changed, and with them the figures."""

    class Rested(Message):
        """Says that the cursor rests on a row, whose detail to show."""

    def __init__(self, heard: HeardSessions) -> None:
        super().__init__(ident="stream", empty="reading topics…")
        self.heard = heard
        self.stream = self.live = Stream()  # the stream on screen, and the live one: while a replay plays, they are two
        self.recalled = ""  # names the past day that is shown until something comes
        self.marks: dict[tuple[str, str], Useful] = {}
        self.replay: Replay | None = None
        self.quiet = KeyGuard()
        """Refuses judgements of a row that moved under the cursor a moment ago."""
        self.quiet.begin(float("-inf"))
        self._settling: Timer | None = None
        self._anchor: StreamRow | None = None  # the row under the cursor, which stays on it when rows come and go

    # Rows

    @property
    def place(self) -> StreamRow | None:
        return self.under(self.stream.rows)

    @property
    def decided(self) -> tuple[LogEntry, str] | None:
        """The message and topic that a judgement would be about; None if that is unclear."""
        if self.place is None:
            return None
        entry, part = self.stream.entry(self.place), self.place.part
        if part < 0 and len(entry.decisions) == 1:
            part = 0
        return (entry, entry.decisions[part].topic) if 0 <= part < len(entry.decisions) else None

    @property
    def following(self) -> bool:
        """Tells whether the cursor is on the last row and follows it."""
        return self.cursor >= self.count - 1

    def show_rows(self, *, to_end: bool = False) -> None:
        """Shows the rows; the cursor stays on its message, or on the last row."""
        follow = to_end or self.following
        rows = StreamRows(self.stream, self.marks, wide=self.size.width >= _WIDE_STREAM, dim=bool(self.recalled))
        at = len(rows) - 1 if follow or self._anchor is None else self.stream.index(self._anchor)
        if not len(rows):
            self.show_empty("", self._nothing())
        self.show(rows, at)
        self._anchor = self.place
        self._settle()

    def show_all(self, *, to_end: bool = True) -> None:
        self.show_rows(to_end=to_end)
        self.post_message(self.Changed())

    def _nothing(self) -> tuple[Line, ...]:
        if self.stream.filter:
            return figures.told("no message matches\nesc clears the filter")
        problem = self.heard.problem
        return figures.trouble(problem) if problem else figures.empty_lines(self.heard.topics)

    def _settle(self) -> None:
        """Shows the detail of the row a moment later, since its layout costs more than moving (ten milliseconds)."""
        if self._settling is None:
            seconds = _SETTLE_SECONDS_BEHIND if self.heard.behind else _SETTLE_SECONDS
            self._settling = self.set_timer(seconds, self._settled)

    def _settled(self) -> None:
        self._settling = None
        self.post_message(self.Rested())

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        self._anchor = self.place
        self._settle()

    def go_to(self, key: str) -> None:
        if (place := self.stream.place_of(key)) is not None:
            self.go(self.stream.index(place))

    def take_in(self) -> bool:
        """Adds new messages to the live stream without moving the row under the cursor; tells whether any came."""
        fresh = self.heard.fresh()
        if self.stream is self.live:
            self._anchor = self.place
        if fresh and self.recalled:
            self.live.set_filter(self.stream.filter)
            self.live.pause(self.stream.paused)
            self.stream, self.recalled = self.live, ""
            self.quiet.begin(monotonic())
        self.live.add(fresh)
        return bool(fresh)

    def recall(self, entries: tuple[LogEntry, ...]) -> None:
        """Shows a past day until a message comes."""
        if entries and self.replay is None and not self.live.messages:
            self.stream, self.recalled = Stream(), f" · last on {entries[-1].at:%Y-%m-%d}"
            self.stream.set_filter(self.live.filter)
            self.stream.add(entries)
            self.show_all()

    def begin(self, recent: tuple[LogEntry, ...]) -> None:
        """Puts the messages of the log before those that came since the start."""
        self.take_in()
        came = self.live.entries()
        # The monitor may have heard some of them before the log was read.
        known = {entry.key for entry in came}
        live = Stream()
        live.add([*(entry for entry in recent if entry.key not in known), *came])
        if self.stream is self.live:
            self.stream = live
        self.live = live
        self.show_all()

    def advance(self, seconds: float) -> None:
        """Plays the messages of a replay that are due after `seconds` more."""
        if self.replay is not None and (played := self.replay.advance(seconds)):
            self._anchor = self.place
            self.stream.add(played)
            self.show_all(to_end=self.following)
            self.refresh_bindings()

    def sift(self, text: str) -> None:
        if text != self.stream.filter:
            self.stream.set_filter(text)
            self.show_all()

    def title(self) -> Line:
        width = self.outer_size.width - _EDGES - len(self.recalled)
        if self.replay is not None:
            return self.replay.title(width)
        if self.heard.stopped:
            return figures.STOPPED
        paused, shown = self.stream.waiting if self.stream.paused else None, self.stream.filter
        live = figures.live_title(self.heard.reading, paused=paused, following=self.following, shown=shown, width=width)
        return (*live, Span(self.recalled, "warn"))

    # The operator's word on a decision: useful or not, or that a topic should have woken and did not

    def lacks_decision(self) -> str:
        return "put the cursor on a decision first" if self.decided is None else ""

    def lacks_message(self) -> str:
        return "no message is selected" if self.place is None or self.heard.topics is None else ""

    def action_judge(self, useful: str) -> None:
        """Records whether the decision under the cursor was right: `was_useful` (autopoiesis §5.5)."""
        if not self.quiet.over(monotonic()):
            self._hold()
            self.deck.say(TOO_FRESH, title="Held", severity="warning")
        elif self.decided is not None:
            self._keep(*self.decided, Useful(useful))

    def action_missed(self) -> None:
        """Asks which topic the message under the cursor should have activated."""
        if self.place is None or self.heard.topics is None:
            return
        entry = self.stream.entry(self.place)
        woke = {decision.topic for decision in entry.decisions if decision.activated}
        asleep = (topic for topic in self.heard.topics.topics if topic.id not in woke)
        choices = tuple(Choice(safe(topic.id), safe(topic.description), value=topic.id) for topic in asleep)
        picker = Picker("Should have activated", choices, placeholder="which topic?")
        self.deck.ask(picker, lambda topic: self._keep(entry, topic, Useful.YES))

    def _keep(self, entry: LogEntry, topic: str, useful: Useful) -> None:
        """Shows a judgement at once and saves it; removes it if it cannot be saved."""
        key, before = (entry.key, topic), self.marks.get((entry.key, topic))
        self.marks[key] = useful
        self.show_all(to_end=False)

        def kept(judgement: UsefulnessJudgement) -> None:
            if judgement.topic not in {decision.topic for decision in entry.decisions}:  # else its row says so
                self.deck.say(f"{judgement.topic}: {MARKS[judgement.useful].word}")

        def refused(error: MemdeckError) -> None:
            if before is None:
                self.marks.pop(key, None)
            else:
                self.marks[key] = before
            self.show_all(to_end=False)
            self.deck.fail(error)

        self.deck.bridge.read(lambda engine: engine.topics.judge(entry, topic, useful), kept, refused)

    # Holding the stream, and replays

    @property
    def held(self) -> bool:
        return self.stream.paused if self.replay is None else self.replay.paused

    @property
    def pause_words(self) -> str:
        return "Go on" if self.held else ""

    def lacks_replay(self) -> str:
        return "no replay plays: R chooses one" if self.replay is None else ""

    def lacks_unended(self) -> str:
        over = self.replay is not None and self.replay.over
        return "the replay is at its end: esc leads back to what is said now" if over else ""

    def action_pause(self) -> None:
        self._hold(not self.held)

    def _hold(self, on: bool = True) -> None:
        if self.replay is not None:
            self.replay.paused = on and not self.replay.over
        else:
            self.stream.pause(on)
            self.show_rows(to_end=not on)
        self.post_message(self.Changed())
        self.refresh_bindings()

    def action_replay(self) -> None:
        replaying.choose(self)

    def play(self, replay: Replay | None) -> None:
        """Shows a replay from its beginning, or with None the live stream."""
        self.replay, self.stream, self.recalled = replay, Stream() if replay is not None else self.live, ""
        self.show_all()

    def action_step(self) -> None:
        if self.replay is not None:
            self.stream.add(self.replay.step())
            self.show_all()
            self.refresh_bindings()

    def action_speed(self, by: int) -> None:
        if self.replay is not None:
            self.replay.faster(by)
            self.post_message(self.Changed())
