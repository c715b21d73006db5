"""Names the systems: each makes plans, by its planner, and some are steps of a scheduled job."""

from enum import StrEnum


class System(StrEnum):
    """A system by the name that `memdeck plan` knows it by."""

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
    IMPORT = "import"
    REVIEW = "review"
