"""Reads the operator's policy, YAML outside the workspace, and checks every key (decisions G12, G19)."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec

from engine.errors import PolicyError, Refused
from engine.plans.policy.comparison import SAID_ANEW, combined, wider_values
from engine.plans.policy.rules import broken_rule
from engine.plans.policy.values import Policy, PolicyValue
from engine.state.private_files import inode_at, refuse_foreign
from engine.text.limited_yaml import YamlProblem, load

_MOST_BYTES = 64 * 1024  # bytes of a policy; a larger one is refused before it is parsed
_BOUND = re.compile(r"Expected `\w+` ([<>]=) ([\d.]+)")
_BOUNDS = {">=": "least", "<=": "most"}  # msgspec's signs in the operator's words
DEFAULT = "default"  # the origin of a value that no file sets


def load_policy(path: Path | None, *, default_path: Path, workspace: Path) -> tuple[Policy, dict[str, str]]:
    """Gives the policy in force, and the file's path for each key that a file sets. `path` is a file that narrows
    the operator's own at `default_path` (A27, G19); nothing runs by itself unless both allow it. `PolicyError`;
    `Refused` where it is wider, lies in the workspace, or others may write it."""
    own, origins = _read(default_path, workspace, must_exist=False)
    if path is None:
        return own, origins
    policy, given = _read(path, workspace, must_exist=True, own=(own, default_path))
    return policy, {key: file for key, file in origins.items() if key not in SAID_ANEW} | given


def policy_values(policy: Policy, origins: Mapping[str, str]) -> tuple[PolicyValue, ...]:
    """Gives every key of the policy with its value and its origin."""
    leaves = _leaves(policy, "")
    return tuple(PolicyValue(key=key, value=value, origin=origins.get(key, DEFAULT)) for key, value in leaves)


def parse_policy(text: str, where: str, own: tuple[Policy, Path] | None = None) -> tuple[Policy, tuple[str, ...]]:
    """Gives the policy in `text` and the dotted keys it sets; `PolicyError` names key, line and fix. `own` is the
    operator's policy and file, which the text narrows (`Refused` where it is wider)."""
    import yaml

    try:
        load(text)  # refuses anchors, tags, repeated keys and depth before anything is built
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        values = yaml.safe_load(text)
    except YamlProblem as problem:
        raise PolicyError(problem.reason, where=f"{where}:{problem.line}") from problem
    except (yaml.YAMLError, ValueError) as error:
        raise PolicyError(" ".join(str(error).split()), where=where) from error
    if values is None:
        return _narrowed(Policy(), (), where, own), ()
    lines = dict(_key_lines(node, ""))
    if not isinstance(values, dict):
        raise PolicyError("it must be keys with values", where=where, hint="memdeck policy shows them")
    keys = tuple(_checked_keys(values, Policy, "", where, lines))
    try:
        policy = msgspec.convert(_without_empty(values), Policy)
    except msgspec.ValidationError as error:
        raise _type_error(error, where, lines) from error
    policy = _narrowed(policy, keys, where, own)
    if (broken := broken_rule(policy)) is not None:
        raise PolicyError(f"`{broken.key}` {broken.what}", where=_at(where, lines, broken.key), hint=broken.hint)
    return policy, keys


def _narrowed(policy: Policy, keys: tuple[str, ...], where: str, own: tuple[Policy, Path] | None) -> Policy:
    if own is None:
        return policy
    policy = combined(own[0], policy, keys)
    if wider := tuple(wider_values(own[0], policy)):
        what = f"it may only narrow the operator's own policy: {'; '.join(value.line() for value in wider)}"
        hint = f"take {wider[0].key} out or set {wider[0].words}; what is to be wider belongs in {own[1]}"
        raise Refused(what, where=where, hint=hint)
    return policy


def _read(
    path: Path, workspace: Path, *, must_exist: bool, own: tuple[Policy, Path] | None = None
) -> tuple[Policy, dict[str, str]]:
    if is_inside(path, workspace):
        raise Refused(
            "the policy may not lie inside the workspace, where the agent can write",
            where=str(path),
            hint="keep it in the operator's own config directory",
        )
    if (data := operator_bytes(path, must_exist=must_exist)) is None:
        return Policy(), {}
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PolicyError("it is not UTF-8", where=str(path)) from error
    policy, keys = parse_policy(text, str(path), own)
    return policy, dict.fromkeys(keys, str(path))


def operator_bytes(path: Path, *, must_exist: bool) -> bytes | None:
    """Gives the bytes of a file of the operator, None if there is none; `Refused` where another user may write it."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError) as error:
        if must_exist:
            raise PolicyError("there is no such file", where=str(path)) from error
        return None
    except (OSError, ValueError) as error:
        raise PolicyError(f"it cannot be read: {error}", where=str(path)) from error
    try:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode):
            raise PolicyError("it is not a regular file", where=str(path))
        # On the opened file, so that nobody can exchange it after the look.
        refuse_foreign(path, facts)
        with os.fdopen(fd, "rb", closefd=False) as file:
            data = file.read(_MOST_BYTES + 1)
    finally:
        os.close(fd)
    if len(data) > _MOST_BYTES:
        raise PolicyError("it is larger than 64 KB", where=str(path))
    return data


def is_inside(path: Path, workspace: Path) -> bool:
    """Tells whether the agent could change the file at `path`: it, or a link on the way, lies in the workspace."""
    inode = inode_at(workspace)
    return inode is not None and any(inode_at(place) == inode for way in _ways(path) for place in (way, *way.parents))


def _ways(path: Path) -> Iterator[Path]:
    """Yields the path as written, each link on its way, and its real path."""
    way = Path(os.path.abspath(path))  # noqa: PTH100  (`..` is taken as written: links are looked at one by one)
    # As many links as Linux follows; a circle ends here.
    for _ in range(40):
        yield way
        if not way.is_symlink():
            break
        way = way.parent / way.readlink()
    yield Path(os.path.realpath(path))


def _leaves(section: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for field in msgspec.structs.fields(section):
        value = getattr(section, field.name)
        if isinstance(value, msgspec.Struct):
            yield from _leaves(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", value


def _checked_keys(
    values: Mapping[Any, Any], section: type[msgspec.Struct], prefix: str, where: str, lines: Mapping[str, int]
) -> Iterator[str]:
    """Yields the dotted keys that are set; `PolicyError` with a suggestion for an unknown one."""
    known = {field.name: field.type for field in msgspec.structs.fields(section)}
    for key, value in values.items():
        dotted = f"{prefix}{key}"
        if key not in known:
            raise _unknown(dotted, prefix, where, lines)
        inner = known[key]
        if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            if isinstance(value, dict):
                yield from _checked_keys(value, inner, f"{dotted}.", where, lines)
        else:
            yield dotted


def _unknown(dotted: str, prefix: str, where: str, lines: Mapping[str, int]) -> PolicyError:
    from rapidfuzz import process

    leaves = [key for key, _ in _leaves(Policy(), "")]
    sections = {key.rpartition(".")[0] for key in leaves} - {""}
    near = [key for key in (*leaves, *sections) if key.startswith(prefix)]
    best = process.extractOne(dotted, near, score_cutoff=60) or process.extractOne(dotted, leaves, score_cutoff=60)
    hint = f"did you mean `{best[0]}`?" if best else "memdeck policy lists all keys"
    return PolicyError(f"unknown key `{dotted}`", where=_at(where, lines, dotted), hint=hint)


def _without_empty(values: dict[Any, Any], section: type[msgspec.Struct] = Policy) -> dict[Any, Any]:
    """Leaves out sections without a key, as if they were missing."""
    kept = {}
    for field in msgspec.structs.fields(section):
        if field.name in values:
            value = values[field.name]
            if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
                if value is None:
                    continue
                value = _without_empty(value, field.type) if isinstance(value, dict) else value
            elif value is False and "off" in get_args(field.type):
                value = "off"  # which YAML takes for a no
            kept[field.name] = value
    return kept


def _type_error(error: msgspec.ValidationError, where: str, lines: Mapping[str, int]) -> PolicyError:
    """Converts msgspec's ``Expected `int`, got `str` - at `$.limits.working.files` `` into the operator's words."""
    what, _, place = str(error).partition(" - at `$")
    key = place.strip("`").strip(".").partition("[")[0]
    if key == "approval.auto":
        what, hint = "may hold A alone", "risk tiers B and C always need a person"
    else:
        bound = _BOUND.fullmatch(what)
        what = f"must be at {_BOUNDS[bound[1]]} {bound[2].removesuffix('.0')}" if bound else what[:1].lower() + what[1:]
        hint = "memdeck policy shows the default"
    return PolicyError(f"`{key}`: {what}" if key else what, where=_at(where, lines, key), hint=hint)


def _at(where: str, lines: Mapping[str, int], key: str) -> str:
    while key and key not in lines:
        key = key.rpartition(".")[0]
    return f"{where}:{lines[key]}" if key else where


def _key_lines(node: Any, prefix: str) -> Iterator[tuple[str, int]]:
    import yaml

    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            dotted = f"{prefix}{key.value}"
            yield dotted, key.start_mark.line + 1
            yield from _key_lines(value, f"{dotted}.")
