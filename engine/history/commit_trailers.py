"""Reads commit messages back: the trailers by which memdeck knows its own commits again."""

from collections.abc import Iterator

from engine.history.git import Git


def messages(git: Git, head: str, *options: str) -> Iterator[tuple[str, list[str]]]:
    """Id and message lines of the commits that `head` reaches, newest first, as `rev-list` options choose them."""
    if not head:
        return
    out = git.run("rev-list", *options, "--format=%B%x00", "--end-of-options", head).decode("utf-8", "replace")
    for block in out.split("\0"):
        first, _, message = block.lstrip("\n").partition("\n")
        if first.startswith("commit "):
            yield first.removeprefix("commit "), message.splitlines()


def trailer_values(git: Git, head: str, line: str, key: str, most: int = 1000) -> Iterator[str]:
    """Gives the value of the trailer `key` in each of the latest commits whose message has exactly the line `line`."""
    options = (f"--max-count={most}", "--fixed-strings", f"--grep={line}")
    for _, lines in messages(git, head, *options):
        if line in lines:
            yield from (row.removeprefix(f"{key}: ") for row in lines if row.startswith(f"{key}: "))
