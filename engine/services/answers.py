"""Keeps models' answers in the state folder, so that a plan made again asks nothing and says the same."""

from pathlib import Path
from typing import TypeVar

import msgspec

from engine.state.private_files import known_record, make_private, write_private
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.text.secrets.detector import redacted

T = TypeVar("T")
MOST = 5_000  # answers that are kept, some 10 MB; beyond that the oldest go


class AnswerFolder:
    """One private file for each answer, named by the digest of the question."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: tuple[str, ...], answer: type[T]) -> T | None:
        """Gives the stored answer to exactly this question; None where there is none of this type."""
        return known_record(self._folder / f"{self.digest(key)}.json", answer)

    def put(self, key: tuple[str, ...], answer: object) -> None:
        self.put_raw(self.digest(key), answer)

    def put_raw(self, digest: str, answer: object) -> None:
        """Stores the answer to the question with this digest, without secrets; deletes the oldest beyond a limit."""
        make_private(self._folder)
        write_private(self._folder / f"{digest}.json", msgspec.json.encode(redacted(msgspec.to_builtins(answer))))
        files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns)
        for file in files[:-MOST]:
            file.unlink(missing_ok=True)

    def digest(self, key: tuple[str, ...]) -> str:
        """Gives the name of a question's answer: a sha256 in hex."""
        return sha256_hex(canonical_json(key))
