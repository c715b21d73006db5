"""The operator's policy: limits, approval rules and egress, with the specification's figures as defaults. It lives
outside the workspace (decision G12); `engine.plans.policy.file` reads it."""

from datetime import tzinfo
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from engine.text.canonical_json import digest
from engine.workspace.dates import zone_of
from engine.workspace.layout import PRIVATE

_MOST = 1_000_000_000  # more than any real count, price or number of tokens
_MOST_DAYS = 36_500  # a hundred years: dates reckoned with it stay dates

Count = Annotated[int, Meta(ge=0, le=_MOST)]
Tokens = Annotated[int, Meta(ge=1, le=_MOST)]  # tokens of something that is never empty
Days = Annotated[int, Meta(ge=0, le=_MOST_DAYS)]
Hours = Annotated[int, Meta(ge=0, le=_MOST_DAYS * 24)]
Seconds = Annotated[int, Meta(ge=1, le=3600)]
Dollars = Annotated[float, Meta(ge=0, le=_MOST)]


class _Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of the policy. Unknown keys are errors."""


class ApprovalPolicy(_Section, frozen=True, kw_only=True):
    auto: tuple[Literal["A"], ...] = ()  # risk tiers whose plans may run by themselves: none, or A alone


class SemanticLimits(_Section, frozen=True, kw_only=True):
    """Tokens of one shard, compared with `>` (compactor §Soft + Hard Semantic Limits)."""

    soft: Tokens = 900
    risk: Tokens = 1020
    hard: Tokens = 1200


class TierLimits(_Section, frozen=True, kw_only=True):
    """Pressure (`files`, `tokens`, `age_days`) and eligibility (`eligible_days`), compared with `>` (decision A4)."""

    files: Count
    tokens: Count
    age_days: Days
    eligible_days: Days


class WorkingLimits(TierLimits, frozen=True, kw_only=True):
    files: Count = 10
    tokens: Count = 4000
    age_days: Days = 10
    eligible_days: Days = 7


class EpisodicLimits(TierLimits, frozen=True, kw_only=True):
    files: Count = 20
    tokens: Count = 8000
    age_days: Days = 45
    eligible_days: Days = 30


class Limits(_Section, frozen=True, kw_only=True):
    semantic: SemanticLimits = SemanticLimits()
    working: WorkingLimits = WorkingLimits()
    episodic: EpisodicLimits = EpisodicLimits()
    root_tokens: Tokens = 3000
    cooldown_hours: Hours = 24


class ContextPolicy(_Section, frozen=True, kw_only=True):
    """The window, the tokens of a compiled prompt (decision D36), and what platforms load other than is shipped."""

    window_tokens: Tokens = 200_000
    model_windows: dict[str, Tokens] = {}
    """By the name of a model, or a pattern with `*`, the tokens of its window (decision B23)."""
    prompt_tokens: Tokens = 8192
    flush_tokens: Tokens = 500  # tokens of a flush in the daily log, beside what is marked (decision B15)
    hold_compaction: Literal["off", "manual", "always"] = "off"
    """The compactions that a hook holds until the flush is decided: none, those asked for, or all (decision B24)."""
    hold_seconds: Seconds = 120  # seconds after which a held compaction is let go
    system_prompt: str = ""  # the operator's own first lines of every prompt
    platforms: dict[str, dict[str, Any]] = {}
    """By the name of a platform, values in the place of those of its data (decision D41)."""


class ModelRoles(_Section, frozen=True, kw_only=True):
    gate: str | None = None
    extract: str | None = None
    summarise: str | None = None
    commit: str | None = None


class ModelPrice(_Section, frozen=True, kw_only=True):
    """US dollars per million tokens of one model."""

    input: Dollars
    output: Dollars


class LlmPolicy(_Section, frozen=True, kw_only=True):
    """`local` is a server of the operator's own at `url` that speaks Claude's protocol: it costs nothing."""

    provider: Literal["extractive", "claude", "local"] = "extractive"
    models: ModelRoles = ModelRoles()
    key_variable: str = "ANTHROPIC_API_KEY"  # the variable of the environment that holds the key; no other one is read
    url: str = ""  # the address that is asked; empty for Anthropic's own
    seconds: Annotated[int, Meta(ge=0, le=3600)] = 0
    """Seconds that an answer about one text may take; 0 for 120, and for 600 where the provider is `local`."""
    window: Annotated[int, Meta(ge=1024)] = 4096
    """Tokens that the window of a local model holds, its answer included; a longer text is left to the rules."""
    most_ungrounded: Annotated[float, Meta(ge=0, le=1)] = 0.25
    """Share of an answer's sentences that its lines may not hold; beyond it the note is summarised offline."""
    max_usd_per_plan: Dollars = 0.50
    usd_per_million_input: Dollars = 1.0
    usd_per_million_output: Dollars = 5.0
    """Prices of the models named above, for reckoning what a call may cost before it is made."""
    prices: dict[str, ModelPrice] = {}  # by the name of a model, its own prices in the place of those two
    batch_from: Annotated[int, Meta(ge=0)] = 0
    """Questions from which on a dry run sends them as one batch, at half the price and within a day; 0: never."""


class GitPolicy(_Section, frozen=True, kw_only=True):
    commit: bool = True
    push: bool = False  # pushes the branch and the tags of memory every half hour; `remote` and `branch` must be named
    remote: str = ""
    """The address that is pushed to: https, ssh, or an absolute path; never one of the repository's own settings."""
    branch: str = ""  # the branch that is pushed, by its name here and there
    commit_others: bool = False
    filters: dict[str, str] = {}
    private: tuple[str, ...] = PRIVATE
    """Folders of the workspace whose files are committed encrypted or not at all, whatever `.gitattributes` says."""
    shared: dict[str, str] = {}
    """Shared knowledge: by its name the address of each repository, https, ssh or an absolute path (§11, phase 4)."""
    outside: tuple[str, ...] = ()
    """Git folders outside the workspace that may be written, absolute paths (decision D22)."""


class TokenPolicy(_Section, frozen=True, kw_only=True):
    counter: Literal["o200k_base", "words*1.3"] = "o200k_base"


class SearchPolicy(_Section, frozen=True, kw_only=True):
    """The source of vectors, and the way in which words and vectors are merged (autopoiesis §7). `static` are word
    vectors; `encoder` makes those of whole sentences, in the background; `auto`: word vectors, and for long notes the
    encoder's once all are made. `endpoint` sends notes without secrets to `url`, with the key in the variable
    `key_variable`, until `max_usd` in all is spent. `transformer`, of older policies, counts as `auto`."""

    embedder: Literal["auto", "static", "encoder", "transformer", "endpoint", "none"] = "auto"
    model: str = ""
    url: str = ""
    key_variable: str = "OPENAI_API_KEY"
    usd_per_million_tokens: Dollars = 0.02
    max_usd: Dollars = 0.50
    merge: Literal["adaptive", "specification", "rrf", "words"] = "adaptive"


class TopicsPolicy(_Section, frozen=True, kw_only=True):
    """The scorer that compares a message with a topic (autopoiesis §4.2); `blend` measures best, see `make eval`.
    `transformer` is read from older policies, and counts as `blend`."""

    scorer: Literal["blend", "tfidf", "bm25", "jaccard", "ngrams", "static", "transformer"] = "blend"

    @property
    def used(self) -> Literal["blend", "tfidf", "bm25", "jaccard", "ngrams", "static"]:
        return "blend" if self.scorer == "transformer" else self.scorer


class QmdPolicy(_Section, frozen=True, kw_only=True):
    """Tells `qmd` of new nodes after an apply, or not: off, `qmd update`, or that and `qmd embed` (decision C23)."""

    run: Literal["off", "update", "embed"] = "off"
    timeout_seconds: Seconds = 30


class DigestPolicy(_Section, frozen=True, kw_only=True):
    """The operator's command that `memdeck digest --send` gives the digest to, as its words; none: it is not sent."""

    command: tuple[str, ...] = ()


class ProbesPolicy(_Section, frozen=True, kw_only=True):
    """Says what a plan that loses one of the operator's own probes does: it warns, or it cannot be applied."""

    on_loss: Literal["warn", "block"] = "warn"


class LifecyclePolicy(_Section, frozen=True, kw_only=True):
    """Share of a condensation's entries that may be left out; above it the plan cannot be applied (D25). Of
    `transcript_roots` a workspace's `memory-config.yaml` may name one for its transcripts (decision D32)."""

    most_left_out: Annotated[float, Meta(ge=0, le=1)] = 0.5
    transcript_roots: tuple[str, ...] = ()


class VerifyPolicy(_Section, frozen=True, kw_only=True):
    """By the folder of a workspace, the repository that its memory speaks of; both are absolute paths."""

    repositories: dict[str, str] = {}
    urls: Literal["off", "ask"] = "off"  # whether `memdeck verify` asks the web addresses that memory names


class Policy(_Section, frozen=True, kw_only=True):
    approval: ApprovalPolicy = ApprovalPolicy()
    limits: Limits = Limits()
    context: ContextPolicy = ContextPolicy()
    llm: LlmPolicy = LlmPolicy()
    git: GitPolicy = GitPolicy()
    search: SearchPolicy = SearchPolicy()
    topics: TopicsPolicy = TopicsPolicy()
    tokens: TokenPolicy = TokenPolicy()
    qmd: QmdPolicy = QmdPolicy()
    digest: DigestPolicy = DigestPolicy()
    probes: ProbesPolicy = ProbesPolicy()
    lifecycle: LifecyclePolicy = LifecyclePolicy()
    verify: VerifyPolicy = VerifyPolicy()
    zone: str = "UTC"

    @property
    def sha256(self) -> str:
        """The digest that plans are bound to."""
        return digest(self)

    @property
    def time_zone(self) -> tzinfo:
        """The zone in which days begin; `PolicyError` for a name that is none."""
        return zone_of(self.zone)


class PolicyValue(msgspec.Struct, frozen=True, kw_only=True):
    """One key of the policy in force, and where its value came from (`default`, or a file's path)."""

    key: str
    value: Any
    origin: str
