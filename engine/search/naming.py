"""Names of files as they may be kept and shown: a path that holds a secret has a name without it, with a key back. The
key is the beginning of the path's own hash: whoever has the workspace finds the file by it, and nobody else learns
anything from it."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from engine.text.canonical_json import sha256_hex
from engine.text.secrets.detector import MARK, find_secrets, redact

KEY = 12  # characters of the hash: one chance in 2^48 that two paths share it


@lru_cache(maxsize=4096)
def safe_name(path: str) -> str:
    """The path, or where it holds a secret `folder/⟨secret: github⟩.md~1f0c9a77b2e4`."""
    stem, ending = _parts(path)
    if not find_secrets(path) and not find_secrets(stem) and MARK not in path:
        return path
    return f"{redact(redact(stem) + ending)}~{sha256_hex(path.encode('utf-8', 'surrogatepass'))[:KEY]}"


def real_path(name: str, paths: Iterable[str]) -> str:
    """The path that a name stands for; the name itself where it is a path."""
    return next((path for path in paths if safe_name(path) == name), name) if MARK in name else name


def renamed(paths: Iterable[str]) -> Mapping[str, str]:
    """The names of those paths that differ from them. All are looked at together, which is quick where none does."""
    all_paths = list(paths)
    together = "\n".join((*all_paths, *(_parts(path)[0] for path in all_paths)))
    if not find_secrets(together) and MARK not in together:
        return {}
    return {path: name for path in all_paths if (name := safe_name(path)) != path}


def _parts(path: str) -> tuple[str, str]:
    """A path without its ending, and the ending: with `.md` behind it a password looks like the name of a file. Every
    listing asks this of every path: `pathlib` took a third of a compilation at 10,000 files."""
    dot = path.rfind(".")
    return (path[:dot], path[dot:]) if path.rfind("/") + 1 < dot < len(path) - 1 else (path, "")
