"""Filters the history of the bare copy that is the current folder; the words come on standard input (`python -m`)."""

import sys

import git_filter_repo
import msgspec

from engine.lifecycle.forget.sought_words import SoughtWords, without_words

_OPTIONS = ["--force", "--partial", "--quiet", "--replace-refs", "delete-no-add"]
"""Partial: no remote is removed, and no remote branch becomes a local one."""


def without(data: bytes, sought: SoughtWords) -> bytes:
    """Gives bytes without the words; bytes that are not UTF-8 are read as Latin-1, so that all others stay."""
    for encoding in ("utf-8", "latin-1") if sought.may_hold(data) else ():
        try:
            return without_words(data.decode(encoding), sought.spans).text.encode(encoding)
        except UnicodeDecodeError:
            continue
    return data


if __name__ == "__main__":
    words = SoughtWords(msgspec.json.decode(sys.stdin.buffer.read(), type=tuple[str, ...]))

    def blob(contents: git_filter_repo.Blob, _: object) -> None:
        contents.data = without(contents.data, words)

    options = git_filter_repo.FilteringOptions.parse_args(_OPTIONS, error_on_empty=False)
    git_filter_repo.RepoFilter(options, blob_callback=blob, message_callback=lambda text: without(text, words)).run()
