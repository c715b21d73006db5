"""Declares what can be asked of an import."""

from engine.plans.system_request import SystemRequest


class ImportRequest(SystemRequest, frozen=True):
    """The kind of sessions to import, and the file or folder where they are. `only`: the folders below it that count;
    none named: all. `looked`: where a home of the tool was looked for."""

    kind: str
    path: str
    only: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()
