"""Declares what can be asked of an extraction."""

from engine.plans.system_request import SystemRequest


class ExtractRequest(SystemRequest, frozen=True, kw_only=True):
    """The closed transcripts to extract from, none named for all, and the operator's word on entries, by their ids.
    `left_out` were refused; `accepted` are inferred or proposed ones that were taken."""

    transcripts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
