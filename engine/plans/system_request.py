"""Names the systems. The options of each are a struct, whose described fields become those of `memdeck plan SYSTEM`."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import NODEFAULT, inspect


class System(StrEnum):
    """A system, by its name in `memdeck plan`."""

    COMPACT = "compact"
    TREE = "tree"
    FLUSH = "flush"
    TUNE = "tune"
    EXTRACT = "extract"
    REPLAY = "replay"
    CONDENSE = "condense"
    PRUNE = "prune"
    DISTILL = "distill"
    ARCHIVE = "archive"
    RESTORE = "restore"
    INIT = "init"
    BRANCHES = "branches"
    SHARE = "share"
    UNSHARE = "unshare"
    FEEDBACK = "feedback"
    LINT = "lint"
    FORGET = "forget"
    CORRECT = "correct"
    VERIFY = "verify"
    IMPORT = "import"
    REVIEW = "review"


class SystemRequest(msgspec.Struct, frozen=True):
    """The options of one system's dry run, beside those of every dry run."""


class SystemOption(msgspec.Struct, frozen=True):
    """One option of a system's command. `least` and `most` bound a number; `choices` are the allowed words."""

    field: str
    flag: str
    help: str
    default: Any
    metavar: str = ""
    is_flag: bool = False
    repeated: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None

    @property
    def number(self) -> bool:
        return isinstance(self.default, int) and not self.is_flag


def option(words: str, metavar: str = "", *, flag: str = "", least: int | None = None, most: int | None = None) -> Any:
    """Describes a field as an option; its flag is its name with hyphens by default."""
    return msgspec.Meta(description=words, ge=least, le=most, extra={"metavar": metavar, "flag": flag})


def options_of(kind: type[SystemRequest]) -> Iterator[SystemOption]:
    """Yields the options of a request, in its order; fields without a description are not options."""
    (info,) = inspect.multi_type_info([kind])
    for field in info.fields if isinstance(info, inspect.StructType) else ():
        described = field.type
        if not isinstance(described, inspect.Metadata) or described.extra is None:
            continue
        inner = described.type
        item = inner.item_type if isinstance(inner, inspect.VarTupleType) else inner
        enum = item.cls if isinstance(item, inspect.EnumType) else None
        yield SystemOption(
            field=field.name,
            flag=described.extra["flag"] or f"--{field.name.replace('_', '-')}",
            help=(described.extra_json_schema or {})["description"],
            default=field.default,
            metavar=described.extra["metavar"],
            is_flag=isinstance(inner, inspect.BoolType),
            repeated=isinstance(inner, inspect.VarTupleType | inspect.DictType),
            choices=tuple(str(member.value) for member in enum) if enum is not None else (),
            least=getattr(inner, "ge", None),
            most=getattr(inner, "le", None),
        )


def schema_of(kind: type[SystemRequest]) -> dict[str, Any]:
    """Gives the options of a request as a JSON schema, by their flags."""
    _, parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    fields = parts.pop(kind.__name__)["properties"]
    options = {system_option.flag: fields[system_option.field] for system_option in options_of(kind)}
    return {"type": "object", "properties": options, "additionalProperties": False, "$defs": parts}


def given(request: SystemRequest) -> Mapping[str, Any]:
    """Gives the fields that differ from their default, with their values."""
    values = ((field, getattr(request, field.name)) for field in msgspec.structs.fields(request))
    return {
        one.name: value for one, value in values if value != (one.default if one.default_factory is NODEFAULT else {})
    }
