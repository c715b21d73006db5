"""Notes as agents leave them: session dumps, heartbeat logs, chat exports and lists, made of written lines.

Each format follows a real one (OpenClaw's session-memory hook, its heartbeat, exports of Telegram, Slack and Discord).
`SEEN` was looked at while the rules of cleaning were written, `UNSEEN` was not. What a machine wrote and what a person
would keep are apart, so that a summary can be judged line by line.
"""

import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

Turn = tuple[str, str]
T = TypeVar("T")


class Bank(msgspec.Struct, frozen=True):
    """Lines to draw from: `noise` by format, `turns` of a conversation, and `kept`, what is worth a summary."""

    heads: tuple[str, ...]
    noise: tuple[str, ...]
    beats: tuple[str, ...]
    chat: tuple[str, ...]
    """Lines of a chat export, with `{}` for what is said."""
    turns: tuple[Turn, ...]
    kept: tuple[str, ...]
    lists: tuple[str, ...]


SEEN = Bank(
    heads=(
        (
            "# Session: 2026-02-23 10:01:20 UTC\n\n- **Session Key**: agent:main:main\n"
            "- **Session ID**: c5628b21-8f0e-4c1d-9d1b-0a7c3f1e22aa\n- **Source**: telegram\n\n"
            "## Conversation Summary\n"
        ),
        (
            "# Session: 2026-03-02 18:44:03 UTC\n\n- **Session Key**: agent:main:cron:9f2a\n"
            "- **Session ID**: 0b3a9f7e-11d2-4f6a-8a60-7f1be2a9c410\n- **Source**: cron\n\n## Conversation Summary\n"
        ),
        "## Session — 2026-03-05 09:12:44\n",
    ),
    noise=(
        (
            "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. Do not infer or repeat old "
            "tasks from prior chats. If nothing needs attention, reply HEARTBEAT_OK."
        ),
        "If nothing needs attention, reply HEARTBEAT_OK.",
        "Current time: Monday, February 23rd, 2026 — 10:01 AM (Europe/Berlin)",
        "System: [2026-02-23 10:02:11 GMT+1] Exec completed (mild-sag, code 0) :: 14 packages are up to date",
        "System: [2026-03-02 18:45:00] Cron: weekly backup finished in 42s",
        "[tool: Bash] ls -la memory/",
        'toolResult: {"status": "ok", "path": "memory/2026-02-23.md"}',
        (
            "Pre-compaction memory flush. Store durable memories now (use memory/2026-02-23.md; create memory/ if "
            "needed). If nothing to store, reply with NO_REPLY."
        ),
        "A new session was started via /new or /reset. Greet the user in your configured persona.",
        "NO_REPLY",
        "[message_id: 4711]",
        "Conversation info (untrusted metadata):",
        "Sender (untrusted metadata): label: ana (8812345670) id: 8812345670 username: ana_k",
        "Downloading model… 45 % (1.2/2.7 GB)",
        "Processed 120/400 files",
        "https://example.org/issues/4711",
        "/home/agent/workspace/memory/2026-02-23.md",
        "[cron:9f2a weekly-report] Run the weekly report and send it. Reply DONE when finished.",
        "✅ Done.",
        "Step 3/7: installing dependencies",
    ),
    beats=(
        "- 08:00 heartbeat: ok",
        "- 08:30 heartbeat: ok",
        "- 09:00 HEARTBEAT_OK",
        "- 09:30 Heartbeat check — nothing to report",
        "- 10:00 heartbeat: checked inbox, 0 new\\nchecked calendar, nothing\\n",
        "- 10:30 heartbeat ok, all systems nominal",
        "- 11:00 Heartbeat: no changes since last check",
        "## Heartbeat 11:30\n- inbox: 0 unread\n- calendar: nothing in the next 2h\n- status: all clear",
    ),
    chat=(
        "[Telegram Ana (@ana_k) id:8812345670 +3m 2026-02-23 10:04 GMT+1] {}\n[message_id: 4711]",
        "[23.02.26, 10:04:11] Ana: {}",
        "Ana — Today at 10:04 AM\n{}",
    ),
    turns=(
        ("user", "The landlord agreed to 1,150 euros a month, starting on 1 May."),
        ("assistant", "Great, I've noted the rent. Let me know if you need anything else!"),
        ("user", "I moved the dentist appointment to 14 March at 9:30."),
        ("assistant", "Done! I updated your calendar."),
        ("user", "We decided to keep Postgres, because the team knows it and the migration would cost a month."),
        ("assistant", "Sounds good. Here is what I will do next:"),
        ("user", "My sister Clara is allergic to peanuts, so never suggest a recipe with them."),
        ("assistant", "Understood, no peanuts."),
        ("user", "The backup disk failed again; it is the third time this year."),
        ("assistant", "I'm sorry to hear that. Would you like me to look for a replacement?"),
        ("user", "I prefer short answers without bullet points."),
        ("user", "ok"),
        ("user", "thanks!"),
    ),
    kept=(
        "The router was replaced and the outage of Sunday night is over.",
        "The invoice 2026-114 over 480 euros was paid.",
        "The water meter stood at 1,204 cubic metres.",
    ),
    lists=(
        "Things to pack for the trip:\n- the passport and the two chargers\n- the blue folder with the tickets",
        (
            "Three problems were found:\n1. The cache grows by 2 GB a day.\n2. The nightly job starts twice.\n"
            "3. The alert goes to an address that nobody reads."
        ),
        "The plan for the week is:\n- Monday: call the bank about the card\n- Thursday: send the tax form",
        "- Findings of the audit:\n  - two keys were older than a year and were rotated\n  - one port was open",
    ),
)

UNSEEN = Bank(
    heads=(
        (
            "# Session: 2026-04-11 07:30:09 GMT+9\n\n- **Session Key**: agent:work:discord:channel:99120034\n"
            "- **Session ID**: 5ad01c77-90aa-4b51-b7a2-2d9cf00d13e9\n- **Source**: discord\n\n## Conversation Summary\n"
        ),
        (
            "# Session Log\n\nSession ID: 77aa10\nSession Key: agent:main:whatsapp:dm:49151000000\nModel: large-2\n"
            "Channel: whatsapp\n"
        ),
        "## Session — 2026-04-12 22:10:31\n",
    ),
    noise=(
        (
            "Read HEARTBEAT.md if it exists. Follow it strictly. When reading HEARTBEAT.md, use workspace file "
            "/home/agent/w/HEARTBEAT.md (exact case). If nothing needs attention, reply HEARTBEAT_OK."
        ),
        "Consider outstanding tasks from HEARTBEAT.md and reply HEARTBEAT_OK when there are none.",
        "Current time: Saturday, April 11th, 2026 — 7:30 AM (Asia/Tokyo) / 2026-04-10 22:30 UTC",
        "System (untrusted): [2026-04-11 07:31:45 GMT+9] Exec failed (quick-reef, code 1) :: npm ERR! missing script",
        "System: [2026-04-12 22:11] Hook session-memory: saved context to memory/2026-04-12-taxes.md",
        "[tool: Read] memory/2026-04-10.md",
        "[tool result] 12 lines",
        "tool_result: exit 0",
        "Session nearing compaction. Store durable memories now.",
        "Write any lasting notes to memory/2026-04-12.md; reply with NO_REPLY if nothing to store.",
        "[Queued messages while agent was busy]",
        "Replied message (untrusted, for context):",
        "Chat history since last reply (untrusted, for context):",
        "[media attached: /home/agent/media/inbound/img-22.jpg (image/jpeg)]",
        "Uploading 3 of 12…",
        "████████░░ 80 %",
        "[2/5] compiling",
        "<https://example.net/a/b?c=d>",
        "~/work/site/index.html",
        "memory/2026-04-12-taxes.md",
        "cron job 'daily-digest' started at 07:30",
        "Working on it…",
        "HEARTBEAT_OK",
        "ANNOUNCE_SKIP",
    ),
    beats=(
        "- 12:00 — heartbeat, nothing new",
        "- 12:30 — heartbeat, nothing new",
        "- [13:00] Heartbeat OK",
        "- 13:30 HB ok",
        "- 14:00 heartbeat: emails 0, calendar 0, mentions 0",
        "14:30 Heartbeat poll received. Nothing needs attention.",
        "- 15:00 Heartbeat: no urgent mail.\\n\\nWeather unchanged.",
        "### 15:30 heartbeat\nAll quiet.",
    ),
    chat=(
        "[WhatsApp +49151000000 +12s Sat 2026-04-11 07:33 GMT+9] {}",
        "[Discord Guild #home channel id:99120034 2026-04-11 07:33] ben_h (Ben): {} [from: ben_h (552201)]",
        "11/04/2026, 07:33 - Ben: {}",
        "ben_h  07:33\n{}",
    ),
    turns=(
        ("user", "The tax office accepted the form and pays back 312 euros in June."),
        ("assistant", "That's wonderful news! Congratulations!"),
        ("user", "I cancelled the gym, my last day there is 30 April."),
        ("assistant", "Got it. I've made a note:"),
        ("user", "We chose the train instead of flying, because the luggage is free and the strike is over."),
        ("assistant", "Here are the steps I took:"),
        ("user", "My daughter Mia starts school on 7 September."),
        ("assistant", "How exciting! Do you want me to set a reminder?"),
        ("user", "The deploy broke the login for two hours, since the cookie name had changed."),
        ("assistant", "I've rolled it back. Everything works again."),
        ("user", "Please never send mail in my name without asking first."),
        ("user", "hm"),
        ("user", "cool, thx"),
    ),
    kept=(
        "The new boiler was installed and the old one was taken away.",
        "The contract with the provider ends on 31 December.",
        "The garden needs water twice a week until September.",
    ),
    lists=(
        "What went wrong with the release:\n- the tests of the payment page were skipped\n- nobody watched the logs",
        "To remember for next year:\n* the fair is in the second week of May\n* the hotel must be booked in January",
        "Beschlossen wurde:\n- Die Daten bleiben in Frankfurt.\n- Der Dienst wird am 3. Juni abgeschaltet.",
        "买的东西：\n- 两张去上海的火车票\n- 一个新的硬盘",
    ),
)


def notes(bank: Bank, count: int) -> Iterator[str]:
    """`count` notes of a bank, the formats in turn; the same ones every time."""
    makers = (_session, _beats, _chat, _mixed)
    for number in range(count):
        yield makers[number % len(makers)](bank, random.Random(number))


def _session(bank: Bank, drawn: random.Random) -> str:
    """A session dump: a head, then turns with what the platform put between them."""
    lines = [drawn.choice(bank.heads)]
    for speaker, text in _some(bank.turns, drawn, 7):
        lines.append(f"{speaker}: {text}")
        if drawn.random() < 0.6:
            noise = drawn.choice(bank.noise)
            lines.append(f"user: {noise}" if drawn.random() < 0.5 else noise)
    return "\n".join(lines) + "\n"


def _beats(bank: Bank, drawn: random.Random) -> str:
    """A heartbeat log with an event or two in it."""
    lines = ["# 2026-02-23", "", drawn.choice(bank.kept), ""]
    lines += _some(bank.beats, drawn, 5)
    lines.insert(drawn.randrange(4, len(lines)), f"- {drawn.choice(bank.turns[::2])[1]}")
    lines.append(drawn.choice(bank.noise))
    return "\n".join(lines) + "\n"


def _chat(bank: Bank, drawn: random.Random) -> str:
    """A chat export, one line or two for each message."""
    form = drawn.choice(bank.chat)
    lines = [form.format(text) for _, text in _some(bank.turns, drawn, 8)]
    lines.insert(drawn.randrange(len(lines)), drawn.choice(bank.noise))
    return "\n".join(lines) + "\n"


def _mixed(bank: Bank, drawn: random.Random) -> str:
    """A note of one's own with lists, among lines of machines."""
    lines = ["# Notes", "", *_some(bank.lists, drawn, 2), "", *_some(bank.kept, drawn, 2), "", drawn.choice(bank.noise)]
    return "\n\n".join(lines) + "\n"


def _some(items: Sequence[T], drawn: random.Random, count: int) -> list[T]:
    """Up to `count` of `items`, in their order."""
    return [items[place] for place in sorted(drawn.sample(range(len(items)), min(count, len(items))))]
