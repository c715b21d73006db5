"""Writes the history of a bare copy anew without some words, which come on standard input: `python -m` in the copy."""

import sys

import git_filter_repo
import msgspec

from engine.lifecycle.forget.redaction import without_words
from engine.lifecycle.forget.sought_words import Wording

_OPTIONS = ["--force", "--partial", "--quiet", "--replace-refs", "delete-no-add"]
"""Partial: no remote is taken away and no branch of one becomes ours."""


def without(data: bytes, wording: Wording) -> bytes:
    """Gives bytes without the words; what is no UTF-8 is read byte by byte, so that all else of it stays."""
    if not wording.may_hold(data):
        return data
    try:
        return without_words(data.decode("utf-8"), wording.spans).text.encode("utf-8")
    except UnicodeDecodeError:
        return without_words(data.decode("latin-1"), wording.spans).text.encode("latin-1")


def main() -> None:
    """Filters the contents of files, and the messages of commits and tags."""
    wording = Wording(msgspec.json.decode(sys.stdin.buffer.read(), type=tuple[str, ...]))

    def blob(found: git_filter_repo.Blob, _: object) -> None:
        found.data = without(found.data, wording)

    options = git_filter_repo.FilteringOptions.parse_args(_OPTIONS, error_on_empty=False)
    filtering = git_filter_repo.RepoFilter(
        options, blob_callback=blob, message_callback=lambda message: without(message, wording)
    )
    filtering.run()


if __name__ == "__main__":
    main()
