"""The small faults that can be put into a module, each named so that it is found again after other lines have moved."""

import ast
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, pairwise

import msgspec

WHOLE = "…"
"""Stands for the expression that a fault is made of."""
MODULE = "<module>"
"""The function of a fault that stands outside of all functions."""
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"), ast.BitOr: ("|", "&"), ast.BitAnd: ("&", "|"), ast.LShift: ("<<", ">>"),
}  # fmt: skip
_TOKEN = re.compile(r"[\w.,@:/=^{}%*+-]{2,}")
"""A string that a program reads. What has a space in it is read by people."""
_TAKES_TOKENS = {
    "run", "attempt", "stream", "line", "execute", "get", "startswith", "endswith", "removeprefix", "removesuffix",
    "joinpath", "open", "partition", "split", "join", "encode", "decode", "pop", "log", "rev_parse",
}  # fmt: skip
_SAID = ("where", "hint", "type", "strict")
"""Arguments by name that are words for people or types; `strict` of `zip` asserts what the lines above it make sure."""
_UNTOUCHED = (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom, ast.Assert)
"""Messages, and what a test cannot fail to notice."""


class Mutant(msgspec.Struct, frozen=True):
    """One fault: `after` stands in the place of the bytes from `start` to `end` of a file."""

    file: str
    function: str
    line: int
    last: int
    """The last line of the statement, or of the head of one with a body, whose first is `line`."""
    start: int
    end: int
    kind: str
    old: str
    """The line as it is, and `new` as the fault makes it: by them a fault is known when its number has changed."""
    new: str
    after: str
    nth: int = 0
    """Among those of the function that read the same."""

    @property
    def id(self) -> str:
        """Names the fault by its file, its function and its lines, whatever comes before them."""
        cells = (self.file, self.function, self.kind, self.old, self.new, str(self.nth))
        return sha256("\0".join(cells).encode()).hexdigest()[:12]

    def applied(self, source: bytes) -> bytes:
        """Gives the module with the fault in it."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def drawn(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Draws by hashes of names: a change of the code replaces the faults of what it changed, and no others."""
    return sorted(mutants, key=lambda mutant: sha256(f"{seed} {mutant.id}".encode()).digest())[:count]


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """Lists the faults of one module, in the order of its lines."""
    made: Counter[str] = Counter()
    mutants = []
    for mutant in _Module(file, source).all():
        mutants.append(msgspec.structs.replace(mutant, nth=made[mutant.id]))
        made[mutant.id] += 1
    return mutants


def compiles(mutant: Mutant, source: bytes) -> bool:
    """Tells a fault that makes a program: one that makes none would be noticed by anybody."""
    try:
        compile(mutant.applied(source), mutant.file, "exec")
    except SyntaxError:
        return False
    return True


class _Module:
    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        self.lines = source.splitlines(keepends=True)
        self.starts = [0, *_sums(map(len, self.lines))]

    def all(self) -> Iterator[Mutant]:
        for node, place in _nodes(ast.parse(self.source), _Place()):
            for kind, start, end, after in self._faults(node, place.function):
                yield self._mutant(place, kind, start, end, after)

    def _mutant(self, place: "_Place", kind: str, start: int, end: int, after: str) -> Mutant:
        line, past = bisect_right(self.starts, start), self.source.find(b"\n", end)
        first = self.starts[line - 1]
        old = self.source[first : self.starts[line]].decode().strip()
        new = (self.source[first:start] + after.encode() + self.source[end:past]).decode().strip()
        return Mutant(self.file, place.function, place.line, place.last, start, end, kind, old, new, after)

    def _faults(self, node: ast.AST, function: str) -> Iterator[tuple[str, int, int, str]]:
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others):
                for (before, after), op in zip(pairwise((left, *others)), ops, strict=True):
                    yield "compare", *self._between(before, after), f" {_COMPARISONS[type(op)]} "
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS and not _is_text(left, right):
                if function != MODULE or not isinstance(op, ast.BitOr):  # a union of types
                    yield from self._operator("operator", *_OPERATORS[type(op)], self._between(left, right))
            case ast.AugAssign(target=target, op=op, value=value) if type(op) in _OPERATORS:
                sign, other = _OPERATORS[type(op)]
                yield from self._operator("assign", f"{sign}=", f"{other}=", self._between(target, value))
                yield from self._operator("assign", f"{sign}=", "=", self._between(target, value))
            case ast.BoolOp(op=op, values=values):
                words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                for before, after in pairwise(values):
                    yield from self._operator("boolean", *words, self._between(before, after))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield "not", self._at(node)[0], self._at(operand)[0], ""
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if _is_plain(test):
                yield from self._wrapped("condition", test, f"not ({WHOLE})")
            case ast.Return(value=ast.Compare() | ast.BoolOp() as value):
                yield from self._wrapped("return", value, f"not ({WHOLE})")
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield from self._wrapped("return", value, "None")
            case ast.Constant(value=bool() | int() | float() as value):
                yield from self._wrapped("constant", node, repr(not value if isinstance(value, bool) else value + 1))
        for token in _tokens(node):
            yield from self._wrapped("token", token, repr(f"{token.value!s}x"))
        if isinstance(node, ast.Call):
            yield from self._arguments(node)

    def _wrapped(self, kind: str, node: ast.AST, form: str) -> Iterator[tuple[str, int, int, str]]:
        start, end = self._at(node)
        yield kind, start, end, form.replace(WHOLE, self.source[start:end].decode())

    def _operator(self, kind: str, old: str, new: str, place: tuple[int, int]) -> Iterator[tuple[str, int, int, str]]:
        between = self.source[slice(*place)].decode()
        if between.count(old) == 1:
            yield kind, *place, between.replace(old, new)

    def _arguments(self, call: ast.Call) -> Iterator[tuple[str, int, int, str]]:
        """Leaves out an argument by name. Without one a value cannot be made at all, which no test would miss."""
        name = _called(call)
        if name[:1].isupper() or name in ("field", "add_argument"):
            return
        cells = sorted((self._at(cell) for cell in (*call.args, *call.keywords)), key=lambda cell: cell[0])
        for keyword in call.keywords:
            start, end = self._at(keyword)
            before = max((stop for _, stop in cells if stop <= start), default=None)
            after = min((begin for begin, _ in cells if begin >= end), default=end)
            if keyword.arg is not None and keyword.arg not in _SAID:
                yield "argument", *((start, after) if before is None else (before, end)), ""

    def _at(self, node: ast.AST) -> tuple[int, int]:
        at = node if isinstance(node, ast.expr | ast.keyword) else None
        assert at is not None and at.end_lineno is not None and at.end_col_offset is not None
        return self.starts[at.lineno - 1] + at.col_offset, self.starts[at.end_lineno - 1] + at.end_col_offset

    def _between(self, before: ast.AST, after: ast.AST) -> tuple[int, int]:
        return self._at(before)[1], self._at(after)[0]


def _sums(numbers: Iterator[int]) -> Iterator[int]:
    total = 0
    for number in numbers:
        total += number
        yield total


class _Place(msgspec.Struct, frozen=True):
    function: str = MODULE
    line: int = 0
    last: int = 0

    def of(self, node: ast.AST) -> "_Place":
        """Goes into a function, a class or a statement; the lines of one with a body are those of its head."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = node.name if self.function == MODULE else f"{self.function}.{node.name}"
            return _Place(name, node.lineno, max(node.lineno, node.body[0].lineno - 1))
        if not isinstance(node, ast.stmt):
            return self
        body = getattr(node, "body", None) or getattr(node, "cases", None)
        first_inside = getattr(body[0], "lineno", None) or body[0].pattern.lineno if body else None
        last = node.end_lineno or node.lineno
        return _Place(self.function, node.lineno, max(node.lineno, first_inside - 1) if first_inside else last)


def _nodes(node: ast.AST, place: _Place) -> Iterator[tuple[ast.AST, _Place]]:
    """Every node that may be changed, with its place: no types, no docstrings, no messages."""
    for child in _children(node):
        if isinstance(child, _UNTOUCHED) or _is_docstring(child) or _is_for_types(child):
            continue
        inside = place.of(child)
        if not isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield child, inside
        yield from _nodes(child, inside)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.FunctionDef(body=body, args=args):
            yield from chain((one for one in (*args.defaults, *args.kw_defaults) if one is not None), body)
        case ast.ClassDef(body=body):
            yield from body
        case ast.AnnAssign(value=value):
            yield from () if value is None else (value,)
        case ast.Call(func=func, args=args, keywords=keywords):
            yield from (func, *args, *(keyword.value for keyword in keywords if keyword.arg not in ("type", "strict")))
        case _:
            yield from ast.iter_child_nodes(node)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_for_types(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Call(func=ast.Name(id="TypeVar" | "cast")):
            return True
    return False


def _is_text(*nodes: ast.AST) -> bool:
    return any(
        isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        for node in nodes
    )


def _is_plain(test: ast.AST) -> bool:
    """Tells a condition that no other fault would turn."""
    return isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr)


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _tokens(node: ast.AST) -> Iterator[ast.Constant]:
    """The strings on which something depends: compared, looked up, or given to a program."""
    match node:
        case ast.Compare(left=left, comparators=others):
            found = [left, *others, *(cell for one in others for cell in getattr(one, "elts", ()))]
        case ast.Subscript(slice=key):
            found = [key]
        case ast.BinOp(op=ast.Div(), right=right):
            found = [right]
        case ast.Call(args=args) if _called(node) in _TAKES_TOKENS:
            found = list(args)
        case _:
            return
    for one in found:
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and _TOKEN.fullmatch(one.value):
            yield one
