"""Finds program code in a message, and its languages: fences first, then lines that prose never has (D31)."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from engine.text.markdown import FencedBlock, fenced_blocks
from engine.topics.patterns.regex import pattern_set

ENOUGH = 2
"""So many different signs of one language make code without a fence."""

NAMES = {
    "py": "python",
    "python3": "python",
    "js": "javascript",
    "jsx": "javascript",
    "mjs": "javascript",
    "ts": "typescript",
    "tsx": "typescript",
    "sh": "shell",
    "bash": "shell",
    "zsh": "shell",
    "console": "shell",
    "shell-session": "shell",
    "c++": "cpp",
    "cc": "cpp",
    "hpp": "cpp",
    "h": "c",
    "cs": "csharp",
    "c#": "csharp",
    "golang": "go",
    "rs": "rust",
    "rb": "ruby",
    "yml": "yaml",
    "kt": "kotlin",
    "ps1": "powershell",
    "htm": "html",
}
"""Names of languages in fences and in topic files, by their one name here."""
_PROSE = frozenset({"", "text", "txt", "plain", "plaintext", "md", "markdown", "none", "output", "log", "quote"})

# Each line is one sign. They are searched at the beginnings of lines, so that a sentence about code is none.
_SIGNS: dict[str, tuple[str, ...]] = {
    "python": (
        r"(?m)^\s*(?:async )?def \w+\(.*\).*:\s*$",
        r"(?m)^\s*class \w+(?:\(.*\))?:\s*$",
        r"(?m)^(?:from [\w.]+ )?import [\w.]+(?:, [\w.]+)*(?: as \w+)?\s*$",
        r"(?m)^\s*(?:if|elif|for|while|with|try|except|else)\b[^.!?]*:\s*$",
        r"(?m)^\s*(?:return|yield|raise|await)\b.*[\w)\]'\"]\s*$",
        r"(?m)^\s*print\(.*\)\s*$",
        r"(?m)^\s+self\.\w+",
        r"(?m)^\s*\w+(?:: [\w\[\], |]+)? = .*[\w)\]}'\"]\s*$",
    ),
    "javascript": (
        r"(?m)^\s*(?:const|let|var) [\w{}\[\], $]+ = ",
        r"(?m)^\s*(?:export )?(?:async )?function\*? \w*\(",
        r"(?m)=>\s*[{(]?\s*$",
        r"(?m)^\s*(?:import .+ from|export default|module\.exports)\b",
        r"(?m)^\s*console\.\w+\(",
        r"(?m)^\s*\}\)?;?\s*$",
    ),
    "typescript": (
        r"(?m)^\s*(?:export )?(?:interface|enum) \w+(?:<.*>)? (?:extends .+ )?\{\s*$",
        r"(?m)^\s*(?:export )?type \w+(?:<.*>)? = ",
        r"(?m)^\s*(?:const|let) \w+: [\w<>\[\]| ]+ =",
        r"(?m)\w\??: (?:string|number|boolean|void)\b.*[;,){]\s*$",
    ),
    "java": (
        r"(?m)^\s*(?:public|private|protected) (?:static )?(?:final )?[\w<>\[\]]+ \w+.*[;{]\s*$",
        r"(?m)^import (?:static )?[a-z]\w*(?:\.\w+)+(?:\.\*)?;\s*$",
        r"(?m)^\s*System\.(?:out|err)\.\w+\(",
        r"(?m)^\s*@(?:Override|Test|Autowired)\s*$",
    ),
    "c": (
        r'(?m)^\s*#include\s*[<"][\w./]+[>"]',
        r"(?m)^\s*#define \w+",
        r"(?m)^(?:static |const |unsigned )*(?:int|void|char|float|double|size_t)\s+\*?\w+\(.*\)\s*\{?\s*$",
        r"(?m)^\s*printf\(.*\);\s*$",
        r"(?m)^\s*return [^.]*;\s*$",
        r"(?m)^\s*(?:static |const |unsigned )*(?:int|char|float|double|long|size_t)\s+\*?\w+[^()]*;\s*$",
        r"(?m)^\s*\w+\(.*\);\s*$",
    ),
    "cpp": (
        r"(?m)\bstd::\w+",
        r"(?m)^\s*using namespace \w+;",
        r"(?m)^\s*template\s*<",
        r"(?m)^\s*#include\s*<\w+>\s*$",
    ),
    "go": (
        r"(?m)^package \w+\s*$",
        r"(?m)^func (?:\(\w+ \*?\w+\) )?\w+\(.*\{\s*$",
        r"(?m)^\s*\w+(?:, \w+)* := ",
        r"(?m)^\s*if err != nil \{",
    ),
    "rust": (
        r"(?m)^\s*(?:pub )?(?:async )?fn \w+(?:<.*>)?\(.*\{\s*$",
        r"(?m)^\s*let (?:mut )?\w+(?:: [^=]+)? = .*;\s*$",
        r"(?m)^\s*(?:use|mod) [\w:{}, ]+;\s*$",
        r"(?m)^\s*(?:impl|pub struct|pub enum|#\[derive)\b",
        r"(?m)\bprintln!\(",
    ),
    "sql": (
        r"(?mi)^\s*select\s.+\sfrom\s+\S+",
        r"(?mi)^\s*(?:from|join|left join|inner join) [\w.\"]+(?: (?:as )?\w+)?(?: on .*)?;?\s*$",
        r"(?mi)^\s*where\s+[\w.\"]+\s*(?:=|<|>|in\b|like\b|is\b)",
        r"(?mi)^\s*insert into \S+\s*\(",
        r"(?mi)^\s*(?:create|alter|drop) (?:table|index|view) ",
        r"(?mi)^\s*(?:group|order) by [\w., ]+",
        r"(?mi)^\s*update \S+ set \w+ =",
        r"(?mi)^\s*select\s.+\sfrom\s.+;\s*$",
        r"(?mi)^\s*select\s.+\swhere\s+\S+\s*(?:=|<|>|in\b|like\b)",
    ),
    "shell": (
        r"(?m)^#!\s*/(?:usr/)?bin/",
        r"(?m)^\s*\$ \w",
        r"(?m)^\s*(?:sudo|apt-get|apt|git|docker|kubectl|npm|pip|curl|ssh|chmod|mkdir) [-\w./]+.* (?:-{1,2}\w|&&|\|)",
        r"(?m)^\s*(?:if \[\[? .* \]\]?; then|fi|done|esac)\s*$",
        r"(?m)^\s*export [A-Z_]+=",
    ),
    "html": (
        r"(?mi)^\s*<(?:!doctype html|html|head|body|div|span|p|a|ul|table|script|form)\b[^<>]*>",
        r"(?mi)</(?:html|head|body|div|span|p|a|ul|table|script|form)>\s*$",
    ),
    "json": (r'(?m)^\s*"[\w-]+":\s*["\[{\d-]', r"(?m)^\s*[\]}],?\s*$", r"(?m)^\s*[\[{]\s*$"),
    "css": (r"(?m)^\s*[.#]?[\w-]+(?:[ >:,.#][\w.#:-]+)* \{\s*$", r"(?m)^\s*[a-z-]+:\s*[^;{}]+;\s*$"),
    "ruby": (
        r"(?m)^\s*def \w+[?!]?(?:\(.*\))?\s*$",
        r"(?m)^\s*end\s*$",
        r"(?m)^\s*require ['\"]",
        r"(?m)\bdo \|\w+(?:, \w+)*\|\s*$",
    ),
    "php": (r"<\?php", r"(?m)^\s*\$\w+ = .*;\s*$", r"(?m)^\s*echo .*;\s*$"),
}
_STATEMENT = re.compile(
    r"""(?x)
    .*[;{}]\s*$                                   # the end of a statement or of a block
  | \s*[\w.$@>\[\]"'-]+\s*(?:[-+*/%|&^:?]?=|<-)\s*\S   # an assignment
  | \s*[\w.$>:!-]+\(.*\)[:,]?\s*$                # a call
  | \s*(?:<[/!a-zA-Z].*>\s*$|\#include\b|\#!|//|/\*|\$\ )
    """
)
"""A line as programs have it, whatever their language."""
_NAMED = [(language, sign) for language, signs in _SIGNS.items() for sign in signs]
_LANGUAGE = re.compile(r"[\w+#.-]*")


class Code(NamedTuple):
    """Code in a text: its language, empty where a fence names none, and where."""

    language: str
    start: int
    end: int


def canonical(language: str) -> str:
    """A language by the name it has here."""
    lowered = language.lower()
    return NAMES.get(lowered, lowered)


def find_code(text: str) -> tuple[Code, ...]:
    """The code of a text, each language once."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    shown = [*_fenced(text, lines, starts), *_indented(lines, starts)]
    # Reversed, so that of a language the first place stays.
    found = {code.language: code for code in reversed(shown)}
    for language in _unfenced(text):
        found.setdefault(language, Code(language, 0, 0))
    return tuple(found.values())


def _fenced(text: str, lines: list[str], starts: list[int]) -> list[Code]:
    """Blocks between fences. One without a language counts as code where its lines look like it."""
    found: list[Code] = []
    for block in _blocks(text, lines):
        if block.closed:
            inside = "\n".join(lines[block.start + 1 : block.end])
            found += _code(block.info, inside, starts[block.start], starts[block.end + 1] - 1)
    return found


def _blocks(text: str, lines: list[str]) -> Iterable[FencedBlock]:
    return fenced_blocks(lines) if "```" in text or "~~~" in text else ()


def _code(info: str, inside: str, start: int, end: int) -> list[Code]:
    language = _LANGUAGE.match(info)
    named = canonical(language[0]) if language else ""
    if named and named not in _PROSE:
        return [Code(named, start, end)]
    return _unnamed(inside, start, end)


def _unnamed(inside: str, start: int, end: int) -> list[Code]:
    """Code that names no language: by its signs, or without one where half of its lines are statements."""
    lines = [line for line in inside.split("\n") if line.strip()]
    found = [Code(language, start, end) for language in _signs(inside, 1)] if lines else []
    statements = sum(_STATEMENT.match(line) is not None for line in lines)
    return found or ([Code("", start, end)] if lines and 2 * statements >= len(lines) else [])


def _indented(lines: list[str], starts: list[int]) -> list[Code]:
    """Blocks of at least two indented lines that are all statements; of lists and letters some line is prose."""
    found: list[Code] = []
    for statements, block in groupby(range(len(lines)), lambda at: _is_indented_statement(lines[at])):
        numbers = list(block)
        if statements and len(numbers) >= ENOUGH:
            inside = "\n".join(lines[at] for at in numbers)
            found += _unnamed(inside, starts[numbers[0]], starts[numbers[-1] + 1] - 1)
    return found


def _is_indented_statement(line: str) -> bool:
    return line.startswith(("    ", "\t")) and _STATEMENT.match(line) is not None


def _unfenced(text: str) -> list[str]:
    lines = text.split("\n")
    # From the end, so that the earlier blocks keep their lines.
    for block in reversed([*_blocks(text, lines)]):
        del lines[block.start : block.end + 1]
    outside = "\n".join(lines)
    return _signs(outside, ENOUGH) if outside.strip() else []


def _signs(text: str, enough: int) -> list[str]:
    """The language with the most signs, or both of two with as many; none with fewer than `enough`."""
    counts: dict[str, int] = {}
    for at in _set().Match(text.encode("utf-8", "replace")) or ():
        counts[_NAMED[at][0]] = counts.get(_NAMED[at][0], 0) + 1
    most = max(counts.values(), default=0)
    return [language for language, count in counts.items() if count == most] if most >= enough else []


@lru_cache(maxsize=1)
def _set() -> Any:
    return pattern_set([sign for _, sign in _NAMED], fold=False)
