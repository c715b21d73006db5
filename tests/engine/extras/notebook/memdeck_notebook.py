"""An importer as somebody else would write it: talks in files of lines `TIME<tab>SPEAKER<tab>TEXT`."""

from collections.abc import Iterator
from pathlib import Path

from engine.extra_registry import Extra
from engine.extras.importers.kinds import ImportKind
from engine.extras.importers.session import ImportedSession, NoTurn, SessionBuilder
from engine.text.transcript_marks import Speaker


class NotebookTalks:
    """Reads file after file; a line without three fields is counted."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """Reads the one session of a file, which is called as the file is."""
        built = SessionBuilder(Path(source).stem, source)
        for line in data.decode("utf-8", "replace").splitlines():
            if line.count("\t") < 2:
                built.left_out[NoTurn.UNREADABLE] += 1
                continue
            time, speaker, text = line.split("\t", 2)
            built.say(Speaker.USER if speaker == "me" else Speaker.AGENT, text, time)
        yield from built.done()


KIND = ImportKind(
    "notebook", "talks of Notebook, ~/.notebook", NotebookTalks, data=Path(__file__).with_name("notebook.toml")
)
EXTRA = Extra("notebook", "talks of Notebook", (KIND,))
