"""Runs `why`: shows the lines of the prompt that an answer of the agent may rest on."""

import sys
from pathlib import Path
from typing import Any

from engine.context.platforms.platform import SessionKind
from engine.errors import UsageError
from engine.services.origins import AnswerOrigin
from tui.cli.output import Answer, Piece, Styled, TextTable, fields
from tui.cli.settings import Settings, command, opened
from tui.present.context import answer_origins as words

_LARGEST = 1 << 20  # bytes of an answer that are read


@command("why")
def why_command(
    settings: Settings,
    answer: str | None,
    file: str | None,
    message: str,
    source: str | None,
    turn: int | None,
    session: str,
) -> Answer:
    if sum(each is not None for each in (answer, file, source)) != 1 or (turn is not None and source is None):
        raise UsageError("one answer: a text, --file F, or --of SOURCE [--turn N]", where="why")
    kind = SessionKind(session)
    origins = opened(settings).origins
    if source is not None:
        made = origins.of_turn(source, kind, turn)
    else:
        made = origins.of_answer(_text(answer, file), kind, message=message)
    rows: list[list[Piece]] = []
    for each in made.origins:
        rows.append([words.share_words(each), each.slot, words.place_words(each), each.text.strip()])
        raw = words.raw_words(each)
        notes = (f"entry: {each.entry}" if each.entry else "", f"raw: {raw}" if raw else "")
        rows.append(["", "", "", Styled(" · ".join(filter(None, (*notes, words.shared_words(each)))), dim=True)])
    title = Styled(words.found_words(made), bold=True)
    facts = {**fields(made, "answer message tokens"), "origins": [_origin_json(each) for each in made.origins]}
    return Answer(facts, [title, TextTable(rows, frozenset({0}), "  ")])


def _text(answer: str | None, file: str | None) -> str:
    if answer is not None:
        return answer
    if file == "-":
        return sys.stdin.read(_LARGEST)
    with Path(str(file)).open(encoding="utf-8", errors="replace") as text:
        return text.read(_LARGEST)


def _origin_json(origin: AnswerOrigin) -> dict[str, Any]:
    return {
        **fields(origin, "slot label"),
        **{key: getattr(origin, key) or None for key in ("path", "line", "entry")},
        **fields(origin, "text words"),
        "share": round(origin.share, 4),
        "raw": None
        if origin.raw is None
        else {"path": origin.raw.path, "line": origin.raw.start, "text": origin.raw_text},
    }
