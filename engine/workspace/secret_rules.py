"""The shapes of secrets, as RE2 patterns: what a vendor's keys look like, and how people write a password down.

The first group of a pattern that matched is the secret; where there is none, the whole match is. Rules stand from the
most to the least particular: where two match the same place, the earlier one gives its name. Lengths are lower bounds,
since vendors lengthen their keys and a longer run is still to be hidden whole.
"""

from enum import Enum

import msgspec


class Doubt(Enum):
    """What a match must still show before it counts: loose shapes also occur in prose."""

    NONE = 0
    TOKEN = 1
    """At least 12 characters of letters and digits without a pattern, and no placeholder."""
    PASSWORD = 2
    """A mix of letters with digits or signs, and no placeholder."""
    FILLED_IN = 3
    """Anything but a placeholder such as `<password>` or `****`."""


class Rule(msgspec.Struct, frozen=True):
    """One kind of secret: its name on screen, its RE2 pattern, and what else a match must show."""

    name: str
    pattern: str
    doubt: Doubt = Doubt.NONE


_EDGE = r"(?:^|[^A-Za-z0-9])"
_SEP = r"(?:\s|\\[nrt]|[>|\"'+,#*])*"
_BODY = rf"(?:{_SEP}[A-Za-z0-9-]+: [^\n\\]+){{0,6}}(?:{_SEP}[A-Za-z0-9+/=]{{16,}})+(?:{_SEP}=?[A-Za-z0-9+/=]{{1,15}})?"
_ASSIGN = r"[\"'`*]{0,3}\s{0,8}(?::=|=>|==?|:|：|＝)\s{0,8}"
_QUOTED = r"\"([^\"\n]{4,})\"|'([^'\n]{4,})'|`([^`\n]{4,})`|“([^”\n]{4,})”|\*\*([^\s*]{4,})\*\*"
_BARE = r"([^\s\"'`“”‘’，。；、<|][^\s\"'`“”，。；、]{5,})"
_VALUE = rf"(?:{_QUOTED}|{_BARE})"
_SAYS = (
    r"\b(?:(?:is|was|are|has been|will be|ist|lautet|wurde)(?: (?:now|still|just|jetzt))?"
    r"(?: (?:set|changed|reset|updated) to)?|(?:set|changed|reset|updated) to|auf)\b"
)


def _armoured(kind: str) -> str:
    """An armoured block: its BEGIN line, headers, body, and the END line where it is there; also on one JSON line."""
    return rf"-----BEGIN {kind}-----{_BODY}(?:{_SEP}-----END {kind}-----)?"


MODEL_KEYS = (
    Rule("anthropic", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    Rule("openrouter", r"sk-or-[A-Za-z0-9_-]{20,}"),
    Rule("openai", r"sk-(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{20,}"),
    Rule("openai", r"(?:^|[^A-Za-z0-9_-])(sk-[A-Za-z0-9]{32,})"),
    Rule("openai", r"(?:^|[^A-Za-z0-9_-])(sk-[A-Za-z0-9_-]{40,})", Doubt.TOKEN),
    Rule("google-api", r"AIza[A-Za-z0-9_-]{35,}"),
    Rule("firebase", r"AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}"),
    Rule("google-oauth", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    Rule("google-oauth", r"ya29\.[A-Za-z0-9_-]{20,}"),
    Rule("google-oauth", r"(?:^|[^A-Za-z0-9/:])(1//0[A-Za-z0-9_-]{30,})"),
    Rule("huggingface", _EDGE + r"((?:hf|api_org)_[A-Za-z0-9]{30,})"),
    Rule("groq", r"gsk_[A-Za-z0-9]{40,}"),
    Rule("xai", _EDGE + r"(xai-[A-Za-z0-9]{40,})"),
    Rule("perplexity", r"pplx-[A-Za-z0-9]{32,}"),
    Rule("replicate", _EDGE + r"(r8_[A-Za-z0-9]{30,})"),
    Rule("langsmith", r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{32,}"),
    Rule("tavily", r"tvly-[A-Za-z0-9-]{20,}"),
    Rule("elevenlabs", _EDGE + r"(sk_[a-f0-9]{48})\b"),
)

CLOUD_KEYS = (
    Rule("aws-access-key", _EDGE + r"((?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{16})\b"),
    Rule(
        "aws-secret-key",
        r"(?i)(?:secret[ _-]?access[ _-]?key|aws[ _-]?(?:secret|session)[ _A-Za-z-]{0,20})"
        r"[\"'`*]{0,3}\s{0,8}(?:=>|[:=]|is)\s{0,8}[\"'`]?([A-Za-z0-9/+]{40,}=*)",
    ),
    Rule("azure-storage", r"(?i)(?:Account|SharedAccess)Key\s*=\s*([A-Za-z0-9+/]{40,}={0,2})"),
    Rule("azure-sas", r"(?i)[?&;\"' ]sig=([A-Za-z0-9%+/_-]{30,}={0,2})"),
    Rule("azure-client", r"[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,}"),
    Rule("digitalocean", r"do[opr]_v1_[a-f0-9]{40,}"),
    Rule("databricks", _EDGE + r"(dapi[a-f0-9]{32}(?:-\d)?)"),
    Rule("alibaba", _EDGE + r"(LTAI[A-Za-z0-9]{12,26})\b"),
    Rule("heroku", r"HRKU-[A-Za-z0-9_-]{30,}"),
    Rule("fly", r"(?:fo1_[A-Za-z0-9_-]{40,}|fm[12][ar]?_[A-Za-z0-9+/=_-]{60,})"),
    Rule("planetscale", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}"),
    Rule("supabase", r"sb(?:p|_secret)_[A-Za-z0-9_]{20,}"),
    Rule("vault", _EDGE + r"(hv[sbr]\.[A-Za-z0-9_-]{20,})"),
    Rule("terraform", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}"),
    Rule("pulumi", r"pul-[a-f0-9]{40}"),
    Rule("doppler", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{30,}"),
    Rule("tailscale", r"tskey-[a-z]+-[A-Za-z0-9_-]{16,}"),
    Rule("cloudflare", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
)

FORGE_KEYS = (
    Rule("github", r"gh[pousr]_[A-Za-z0-9]{30,}"),
    Rule("github", r"github_pat_[A-Za-z0-9_]{22,}"),
    Rule("gitlab", r"gl(?:pat|dt|rt|ptt|cbt|imt|ft|soat|agent|oas|ffct|wt)-[A-Za-z0-9_.-]{20,}"),
    Rule("bitbucket", r"AT(?:BB|CTT3xFfGN0)[A-Za-z0-9_=-]{24,}"),
    Rule("atlassian", r"ATATT3[A-Za-z0-9_=-]{50,}"),
    Rule("npm", r"npm_[A-Za-z0-9]{36,}"),
    Rule("npm", r"_authToken\s*=\s*([A-Za-z0-9_.+/=-]{16,})"),
    Rule("pypi", r"pypi-[A-Za-z0-9_-]{40,}"),
    Rule("rubygems", r"rubygems_[a-f0-9]{48}"),
    Rule("nuget", _EDGE + r"(oy2[a-z0-9]{43})\b"),
    Rule("docker", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,}"),
    Rule("postman", r"PMAK-[A-Za-z0-9]{20,}-[A-Za-z0-9]{30,}"),
    Rule("figma", r"fig[dou]r?_[A-Za-z0-9_-]{36,}"),
    Rule("linear", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    Rule("notion", _EDGE + r"(ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})\b"),
    Rule("airtable", _EDGE + r"(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})"),
    Rule("grafana", r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}"),
    Rule("sentry", r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    Rule("newrelic", r"NR(?:AK|JS|RA|II)-[A-Za-z0-9_-]{19,}"),
)

SERVICE_KEYS = (
    Rule("slack", r"xox[abeoprs]-[A-Za-z0-9-]*[0-9][A-Za-z0-9-]{9,}"),
    Rule("slack", r"xoxe\.xox[bp]-[A-Za-z0-9-]{10,}"),
    Rule("slack", r"xapp-\d-[A-Za-z0-9-]{10,}"),
    Rule("slack-webhook", r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})"),
    Rule("stripe", r"(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    Rule("stripe", r"whsec_[A-Za-z0-9+/=]{16,}"),
    Rule("telegram", r"(?:^|[^0-9])(\d{8,10}:[A-Za-z0-9_-]{34,36})(?:[^A-Za-z0-9_-]|$)"),
    Rule("discord", r"(?:^|[^A-Za-z0-9_-])([MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{5,7}\.[A-Za-z0-9_-]{27,})"),
    Rule("discord", _EDGE + r"(mfa\.[A-Za-z0-9_-]{80,})"),
    Rule("discord-webhook", r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d{15,}/[A-Za-z0-9_-]{40,})"),
    Rule("teams-webhook", r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,})"),
    Rule("sendgrid", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    Rule("twilio", _EDGE + r"((?:SK|AC)[0-9a-f]{32})\b"),
    Rule("mailgun", _EDGE + r"(key-[0-9a-z]{32})\b"),
    Rule("mailgun", _EDGE + r"([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b"),
    Rule("mailchimp", _EDGE + r"([0-9a-f]{32}-us\d{1,2})\b"),
    Rule("brevo", r"xkeysib-[a-f0-9]{40,}(?:-[A-Za-z0-9]{10,})?"),
    Rule("shopify", r"shp(?:at|ca|pa|ss|tka|rt|it)_[A-Fa-f0-9]{32,}"),
    Rule("square", r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,}"),
    Rule("square", _EDGE + r"(EAAA[A-Za-z0-9_-]{56,})"),
    Rule("facebook", _EDGE + r"(EAA[A-Za-z0-9]{80,})"),
    Rule("dropbox", _EDGE + r"(sl\.(?:u\.)?[A-Za-z0-9_-]{100,})"),
    Rule("mapbox", r"sk\.eyJ[A-Za-z0-9_-]{30,}\.[A-Za-z0-9_-]{16,}"),
)

KEY_MATERIAL = (
    Rule("openssh-key", _armoured("OPENSSH PRIVATE KEY")),
    Rule("pgp-key", _armoured("PGP PRIVATE KEY BLOCK")),
    Rule("private-key", _armoured("(?:[A-Z0-9]+ ){0,3}PRIVATE KEY")),
    Rule("age-key", r"(?i)AGE-SECRET-KEY-(?:PQ-)?1[02-9AC-HJ-NP-Z]{58,}"),
    Rule("putty-key", rf"Private-Lines: \d+(?:{_SEP}[A-Za-z0-9+/=]{{16,}})+(?:{_SEP}[A-Za-z0-9+/=]{{1,15}})?"),
    Rule("password-hash", r"\$(?:2[aby]|5|6|y|argon2i?d?)\$[A-Za-z0-9./,=$+]{20,}"),
    Rule("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
)

LOGINS = (
    Rule(
        "database-url",
        r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|valkeys?|amqps?|mssql|sqlserver|oracle|clickhouse|"
        r"cockroachdb|couchdb|neo4j|bolt|cassandra|snowflake|ldaps?|smtps?|imaps?|mqtts?|nats)(?:\+[a-z0-9]+){0,3}"
        r"://[^\s:/@'\"<>]*:([^\s'\"<>]+)@[^\s@]",
        Doubt.FILLED_IN,
    ),
    Rule("url-login", r"(?i)[a-z0-9]://[^\s:/@?#'\"<>]*:([^\s/@'\"<>]+)@[^\s@/]", Doubt.FILLED_IN),
    Rule("bearer", r"(?i)\bbearer[\s:]{1,4}[\"']?([A-Za-z0-9._~+/=-]{16,})", Doubt.TOKEN),
    Rule(
        "authorization",
        r"(?i)authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:[a-z]{1,10}\s{1,4})?([A-Za-z0-9._~+/=:-]{12,})",
        Doubt.TOKEN,
    ),
    Rule(
        "password",
        r"(?i)(?:passw(?:or)?d|passphrase|passcode|passwort|kennwort|mot[ _]de[ _]passe|contrase(?:ñ|n)a|pwd|"
        r"\bpw|\bpass)s?"
        rf"(?:[_.-][A-Za-z0-9_.-]{{1,30}})?{_ASSIGN}{_VALUE}",
        Doubt.PASSWORD,
    ),
    Rule("password", r"(?i)(?:[A-Z0-9]_|DB|^|\s)PASS(?:WORD)?=[\"']?([^\s\"']{6,})", Doubt.FILLED_IN),
    Rule(
        "credential",
        r"(?i)(?:secret|token|api[ _.-]?key|access[ _.-]?key|auth[ _.-]?key|private[ _.-]?key|signing[ _.-]?key|"
        r"encryption[ _.-]?key|account[ _.-]?key|service[ _.-]?key|master[ _.-]?key|credentials?|licen[cs]e[ _.-]?key)"
        rf"(?:[_.-][A-Za-z0-9_.-]{{1,30}})?{_ASSIGN}{_VALUE}",
        Doubt.TOKEN,
    ),
    Rule(
        "password",
        r"(?i)(?:password|passphrase|passcode|passwort|kennwort|pwd|login)\b[^\n.:=]{0,40}?"
        rf"{_SAYS}[ :]{{1,3}}" + _VALUE,
        Doubt.PASSWORD,
    ),
    Rule(
        "credential",
        r"(?i)(?:api[ -]?key|secret(?: key)?|(?:access |auth |bot |refresh )?token|credentials?)\b[^\n.:=]{0,40}?"
        rf"{_SAYS}[ :]{{1,3}}[\"'`“*]{{0,2}}([^\s\"'`“”,;*]{{12,}})",
        Doubt.TOKEN,
    ),
    Rule(
        "password",
        r"(?:密码|密碼|口令|密钥|密鑰|令牌|パスワード|暗証番号|비밀번호|암호|토큰)[^\n，。,.]{0,12}?"
        r"(?:是|为|為|：|:|=|は|[이가은는])\s{0,4}[\"'`“「『]?([!-~]{6,})",
        Doubt.PASSWORD,
    ),
    Rule(
        "pin",
        r"(?i)\b(?:pin|passcode|(?:door|gate|alarm|entry|lock|safe|security|access) code)\b[^\n.:=]{0,30}?"
        r"(?:\bis(?: now)?\b|[:=])\s{0,4}[\"'`*“]{0,2}(\d{4,8})\b",
    ),
)

RULES: tuple[Rule, ...] = (*MODEL_KEYS, *CLOUD_KEYS, *FORGE_KEYS, *SERVICE_KEYS, *KEY_MATERIAL, *LOGINS)
