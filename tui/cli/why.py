"""`why`: the lines of the prompt that an answer of the agent may rest on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.context.platforms.platform import SessionKind
from engine.errors import UsageError
from tui.cli.context import SESSION
from tui.cli.output import Answer, Piece, Styled, TextTable, fields
from tui.cli.settings import Settings, command, opened
from tui.present.context import origins as words

if TYPE_CHECKING:
    from engine.services.origins import AnswerOrigin, AnswerOrigins

_LARGEST = 1 << 20
"""Bytes of an answer that are read."""


@command("why", short_help="Why did it say that? The lines of the prompt behind an answer.")
@click.argument("answer", required=False, metavar="[ANSWER]")
@click.option("--file", "file", metavar="F", help="A file that holds the answer; `-` reads it from stdin.")
@click.option("--message", default="", metavar="TEXT", help="The message that was answered.")
@click.option("--of", "source", metavar="SOURCE", help="A session: its last answer, or the one of --turn.")
@click.option("--turn", type=click.IntRange(1), help="The number of the turn in that session.")
@SESSION
def why_command(
    settings: Settings,
    answer: str | None,
    file: str | None,
    message: str,
    source: str | None,
    turn: int | None,
    session: str,
) -> Answer:
    """Compiles the prompt for the message and names the lines that share the answer's rare words, likeliest first.

    Each with its file, line, entry and raw turn. What shares no rare word is not named: it is not from the prompt.
    """
    if sum(one is not None for one in (answer, file, source)) != 1 or (turn is not None and source is None):
        raise UsageError("one answer: a text, --file F, or --of SOURCE [--turn N]", where="why")
    kind = SessionKind(session)
    origins = opened(settings).origins
    if source is not None:
        made = origins.of_turn(source, kind, turn)
    else:
        made = origins.of_answer(_text(answer, file), kind, message=message)
    rows: list[list[Piece]] = []
    for one in made.origins:
        rows.append([words.share_words(one), one.slot, words.place_words(one), one.text.strip()])
        raw = words.raw_words(one)
        notes = (f"entry: {one.entry}" if one.entry else "", f"raw: {raw}" if raw else "")
        words_below = " · ".join(filter(None, (*notes, words.shared_words(one))))
        rows.append(["", "", "", Styled(words_below, dim=True)])
    title = Styled(words.found_words(made), bold=True)
    return Answer(origins_json(made), [title, TextTable(rows, frozenset({0}), "  ")])


def _text(answer: str | None, file: str | None) -> str:
    if answer is not None:
        return answer
    if file == "-":
        return sys.stdin.read(_LARGEST)
    with Path(str(file)).open(encoding="utf-8", errors="replace") as text:
        return text.read(_LARGEST)


def origins_json(found: "AnswerOrigins") -> dict[str, Any]:
    return {**fields(found, "answer message tokens"), "origins": [_origin_json(one) for one in found.origins]}


def _origin_json(one: "AnswerOrigin") -> dict[str, Any]:
    return {
        **fields(one, "slot label"),
        **{key: getattr(one, key) or None for key in ("path", "line", "entry")},
        **fields(one, "text words"),
        "share": round(one.share, 4),
        "raw": None if one.raw is None else {"path": one.raw.path, "line": one.raw.start, "text": one.raw_text},
    }
