"""Questions with known answers, one JSON object a line: the question, and the notes that answer it."""

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

import msgspec

from engine.errors import UsageError, remedy

NAME = "questions.jsonl"
FIELDS = ("question", "evidence_paths", "evidence_transcripts", "category", "answerable")
ADVERSARIAL = "adversarial"  # the category of questions that have no answer, as sets of questions name it
_SHAPE = '{"question": "…", "evidence_paths": ["memory/….md"]}'
_MOST_BYTES = 100_000_000  # bytes of a file of questions, which is read whole


class EvaluationQuestion(msgspec.Struct, frozen=True):
    """A question, and the paths of the notes any of which answers it. `kind` is free text: each kind has its own
    figures. `answerable` is false if no note is meant to answer; `line` is the question's line in its file, from 1."""

    text: str
    evidence: frozenset[str]
    kind: str = ""
    answerable: bool = True
    line: int = 0


class EvaluationSet(msgspec.Struct, frozen=True):
    """All questions of a file. `about_transcripts`: the evidence are transcripts. `ignored`: unknown fields."""

    asked: tuple[EvaluationQuestion, ...]
    about_transcripts: bool = False
    ignored: tuple[str, ...] = ()


class _Line(msgspec.Struct):
    question: str
    evidence_paths: list[str] = []
    evidence_transcripts: list[str] = []
    category: str = ""
    answerable: bool = True


def read_questions(file: Path) -> EvaluationSet:
    """Reads every question of the file. `UsageError` names the file, or the line and what is wrong with it."""
    found: list[EvaluationQuestion] = []
    about_transcripts = False
    ignored: dict[str, None] = {}
    for number, line in _lines(file):
        fields = _fields(file, number, line)
        answer = _line(file, number, fields)
        about_transcripts |= bool(answer.evidence_transcripts)
        ignored.update(dict.fromkeys(name for name in fields if name not in FIELDS))
        evidence = frozenset(answer.evidence_transcripts or answer.evidence_paths)
        answerable = answer.answerable and answer.category.lower() != ADVERSARIAL
        found.append(EvaluationQuestion(answer.question, evidence, answer.category, answerable, number))
    if not found:
        raise UsageError("there is no question in it", where=file.name, hint=f"a line each, like {_SHAPE}")
    return EvaluationSet(tuple(found), about_transcripts, tuple(ignored))


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise UsageError("larger than 100 MB", where=str(file), hint="ask fewer questions")
        data = file.read_bytes()
    except FileNotFoundError as error:
        hint = f"write it, a line each, like {_SHAPE}"
        raise UsageError("there is no such file", where=str(file), hint=hint) from error
    except OSError as error:
        what = error.strerror or str(error)
        raise UsageError(what, where=str(file), hint=remedy(error, "name a file that can be read")) from error
    yield from ((n, line) for n, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1) if line.strip())


def _fields(file: Path, number: int, line: bytes) -> dict[str, object]:
    where = f"{file.name}:{number}"
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}", where=where, hint=f"one object a line, like {_SHAPE}") from error
    if not isinstance(found, dict):
        raise UsageError("not an object", where=where, hint=f"like {_SHAPE}")
    return found


def _line(file: Path, number: int, fields: dict[str, object]) -> _Line:
    where = f"{file.name}:{number}"
    if "question" not in fields:
        names = ", ".join(f"`{name}`" for name in list(fields)[:8]) or "nothing"
        near = get_close_matches("question", list(fields), 1, 0.5)
        hint = f"rename `{near[0]}` to `question`" if near else f"like {_SHAPE}"
        raise UsageError(f"no field `question`; it has {names}", where=where, hint=hint)
    try:
        return msgspec.convert(fields, _Line)
    except msgspec.ValidationError as error:
        raise UsageError(str(error), where=where, hint=f"like {_SHAPE}") from error
