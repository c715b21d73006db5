"""The operator's policy: limits, approval rules and egress, with the specification's figures as defaults. It lies
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
    """The limits of one shard in tokens, compared with `>` (compactor §Soft + Hard Semantic Limits)."""

    soft: Tokens = 900
    risk: Tokens = 1020
    hard: Tokens = 1200


class TierLimits(_Section, frozen=True, kw_only=True):
    """A memory tier's pressure (`files`, `tokens`, `age_days`) and eligibility, compared with `>` (decision A4)."""

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
    """The window, the tokens of a compiled prompt (decision D36), and changes to the platforms' data."""

    window_tokens: Tokens = 200_000
    model_windows: dict[str, Tokens] = {}
    """The tokens of a model's window, by its name or a pattern with `*` (decision B23)."""
    prompt_tokens: Tokens = 8192
    flush_tokens: Tokens = 500  # tokens of a flush in the daily log, beside what is marked (decision B15)
    hold_compaction: Literal["off", "manual", "always"] = "off"
    """The compactions that a hook delays until the flush is decided: none, manual ones, or all (decision B24)."""
    hold_seconds: Seconds = 120  # seconds after which a held compaction is let go
    system_prompt: str = ""  # the operator's own first lines of every prompt
    platforms: dict[str, dict[str, Any]] = {}
    """Values by platform that replace those of its data (decision D41)."""


class ModelRoles(_Section, frozen=True, kw_only=True):
    gate: str | None = None
    extract: str | None = None
    summarise: str | None = None
    commit: str | None = None


class ModelPrice(_Section, frozen=True, kw_only=True):
    """The price of one model in US dollars per million tokens."""

    input: Dollars
    output: Dollars


class LlmPolicy(_Section, frozen=True, kw_only=True):
    """`provider: local` is the operator's own server at `url` that speaks Claude's protocol and costs nothing."""

    provider: Literal["extractive", "claude", "local"] = "extractive"
    models: ModelRoles = ModelRoles()
    key_variable: str = "ANTHROPIC_API_KEY"  # the variable of the environment that holds the key; no other one is read
    url: str = ""  # the address that is asked; empty for Anthropic's own
    seconds: Annotated[int, Meta(ge=0, le=3600)] = 0
    """The seconds that an answer may take; 0 means 120, or 600 with provider `local`."""
    window: Annotated[int, Meta(ge=1024)] = 4096
    """The window of a local model in tokens, with its answer; longer texts are left to the offline rules."""
    most_ungrounded: Annotated[float, Meta(ge=0, le=1)] = 0.25
    """The share of an answer's sentences that may be ungrounded; above it the note is summarised offline."""
    max_usd_per_plan: Dollars = 0.50
    usd_per_million_input: Dollars = 1.0
    usd_per_million_output: Dollars = 5.0
    """The prices of the models named above, to estimate a call's cost."""
    prices: dict[str, ModelPrice] = {}  # by the name of a model, its own prices in the place of those two
    batch_from: Annotated[int, Meta(ge=0)] = 0
    """The number of questions from which a dry run sends one batch, at half the price within a day; 0: never."""


class GitPolicy(_Section, frozen=True, kw_only=True):
    commit: bool = True
    push: bool = False  # pushes the branch and the tags of memory every half hour; `remote` and `branch` must be named
    remote: str = ""
    """The address to push to: https, ssh, or an absolute path; never taken from the repository's settings."""
    branch: str = ""  # the branch that is pushed, by its name here and there
    commit_others: bool = False
    filters: dict[str, str] = {}
    private: tuple[str, ...] = PRIVATE
    """Folders whose files are committed encrypted or not at all, whatever `.gitattributes` says."""
    shared: dict[str, str] = {}
    """Shared knowledge: the address of each repository by name, https, ssh or an absolute path (§11, phase 4)."""
    outside: tuple[str, ...] = ()
    """Absolute paths of git folders outside the workspace that may be written (decision D22)."""


class TokenPolicy(_Section, frozen=True, kw_only=True):
    counter: Literal["o200k_base", "words*1.3"] = "o200k_base"


class SearchPolicy(_Section, frozen=True, kw_only=True):
    """The embedder, and the merge of vectors with words (autopoiesis §7). `static`: word vectors; `encoder`:
    sentence vectors, made in the background; `auto`: word vectors, and sentence vectors for long notes. `endpoint`
    sends notes without secrets to `url` until `max_usd` is spent. `transformer`, of older policies, means `auto`."""

    embedder: Literal["auto", "static", "encoder", "transformer", "endpoint", "none"] = "auto"
    model: str = ""
    url: str = ""
    key_variable: str = "OPENAI_API_KEY"
    usd_per_million_tokens: Dollars = 0.02
    max_usd: Dollars = 0.50
    merge: Literal["adaptive", "specification", "rrf", "words"] = "adaptive"


class TopicsPolicy(_Section, frozen=True, kw_only=True):
    """The scorer of message against topic (autopoiesis §4.2); `transformer`, of older policies, means `blend`."""

    scorer: Literal["blend", "tfidf", "bm25", "jaccard", "ngrams", "static", "transformer"] = "blend"

    @property
    def used(self) -> Literal["blend", "tfidf", "bm25", "jaccard", "ngrams", "static"]:
        return "blend" if self.scorer == "transformer" else self.scorer


class QmdPolicy(_Section, frozen=True, kw_only=True):
    """The command of `qmd` after an apply with new nodes: none, `qmd update`, or also `qmd embed` (decision C23)."""

    run: Literal["off", "update", "embed"] = "off"
    timeout_seconds: Seconds = 30


class DigestPolicy(_Section, frozen=True, kw_only=True):
    """The operator's command to which `memdeck digest --send` gives the digest, as words; empty: none."""

    command: tuple[str, ...] = ()


class ProbesPolicy(_Section, frozen=True, kw_only=True):
    """The effect on a plan that loses one of the operator's probes: a warning, or a block."""

    on_loss: Literal["warn", "block"] = "warn"


class LifecyclePolicy(_Section, frozen=True, kw_only=True):
    """`most_left_out` is the share of a condensation's entries that may be omitted; above it the plan is blocked
    (D25). A workspace may choose one of `transcript_roots` in its `memory-config.yaml` (decision D32)."""

    most_left_out: Annotated[float, Meta(ge=0, le=1)] = 0.5
    transcript_roots: tuple[str, ...] = ()


class VerifyPolicy(_Section, frozen=True, kw_only=True):
    """The repository that a workspace's memory is about, by the workspace's folder; both are absolute paths."""

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
        """The zone in which days begin; `PolicyError` for an unknown name."""
        return zone_of(self.zone)


class PolicyValue(msgspec.Struct, frozen=True, kw_only=True):
    """One key of the policy in force, its value, and its origin (`default`, or a file's path)."""

    key: str
    value: Any
    origin: str
