"""`why`: the lines of the prompt that an answer of the agent may rest on."""

import sys
from pathlib import Path
from typing import Any

from engine.context.platforms.platform import SessionKind
from engine.errors import UsageError
from engine.services.origins import AnswerOrigin
from tui.cli.output import Answer, Piece, Styled, TextTable, fields
from tui.cli.settings import Settings, command, opened
from tui.present.context import origins as words

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
        rows.append(["", "", "", Styled(" · ".join(filter(None, (*notes, words.shared_words(one)))), dim=True)])
    title = Styled(words.found_words(made), bold=True)
    facts = {**fields(made, "answer message tokens"), "origins": [_origin_json(one) for one in made.origins]}
    return Answer(facts, [title, TextTable(rows, frozenset({0}), "  ")])


def _text(answer: str | None, file: str | None) -> str:
    if answer is not None:
        return answer
    if file == "-":
        return sys.stdin.read(_LARGEST)
    with Path(str(file)).open(encoding="utf-8", errors="replace") as text:
        return text.read(_LARGEST)


def _origin_json(one: AnswerOrigin) -> dict[str, Any]:
    return {
        **fields(one, "slot label"),
        **{key: getattr(one, key) or None for key in ("path", "line", "entry")},
        **fields(one, "text words"),
        "share": round(one.share, 4),
        "raw": None if one.raw is None else {"path": one.raw.path, "line": one.raw.start, "text": one.raw_text},
    }
