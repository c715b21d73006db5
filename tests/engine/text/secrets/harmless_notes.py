"""Notes of several lines without a secret: headings that announce one, and harmless text below, in ten languages."""

import random
from collections.abc import Iterator

HEADINGS = {
    "en": (
        *("login", "password", "passwords", "token", "secret", "API key", "credentials", "session", "cookie", "auth"),
        *("PIN", "seed", "seed phrase", "passphrase", "access token", "recovery codes", "private key", "2FA", "bearer"),
    ),
    "de": ("Zugang", "Passwort", "Kennwort", "Token", "Anmeldung", "Geheimnis", "WLAN Passwort"),
    "es": ("contraseña", "usuario", "clave", "acceso", "credenciales", "clave de acceso"),
    "fr": ("mot de passe", "utilisateur", "accès", "jeton", "identifiants"),
    "it": ("password", "parola", "accesso", "credenziali", "parola d'ordine"),
    "pt": ("senha", "palavra-passe", "acesso", "credenciais", "utilizador"),
    "nl": ("wachtwoord", "inloggen", "login", "geheim", "sleutel"),
    "pl": ("hasło", "logowanie", "token", "klucz", "dostęp"),
    "ru": ("пароль", "пароли", "вход", "токен", "ключ"),
    "zh": ("密码", "口令", "令牌", "密钥", "登录"),
}
"""Headings by language."""

PROSE = {
    "en": ("zebra0 moved into stable0", "see step2/README.md and ticket OPS-1412", "Ana rotates it every 90 days."),
    "de": ("Zebra7 zog in Stall3 um.", "siehe Ticket OPS-1412 und Schritt2", "wird alle 90 Tage erneuert"),
    "es": ("la cebra4 pasó al establo2", "véase el ticket OPS-1412, paso2", "se cambia cada 90 días"),
    "fr": ("le zèbre4 est à l'étable2", "voir le ticket OPS-1412, étape2", "à renouveler tous les 90 jours"),
    "it": ("la zebra5 è nella stalla1", "vedi il ticket OPS-1412, passo2", "si cambia ogni 90 giorni"),
    "pt": ("a zebra5 foi para o estábulo1", "ver o ticket OPS-1412, passo2", "muda a cada 90 dias"),
    "nl": ("zebra6 staat nu in stal4", "zie ticket OPS-1412, stap2", "wordt elke 90 dagen vervangen"),
    "pl": ("zebra3 stoi w stajni2", "zobacz zgłoszenie OPS-1412, krok2", "zmiana co 90 dni"),
    "ru": ("зебра1 переехала в стойло2", "смотри заявку OPS-1412, шаг2", "меняется каждые 90 дней"),
    "zh": ("斑马1号搬到了2号马厩", "参见工单 OPS-1412 的 step2", "每90天更换一次"),
}
"""Three lines of each language."""

FRAMES = ("## {}", "# {}", "### {} [project]", "{}:", "**{}**", "**{}:**", "- {}:", "{}", "{}\n----", "> {}")
"""How a heading is written."""

ODD = (
    "2026-03-15-standup-notes",
    "memory/2026-03-15.md",
    "550e8400-e29b-41d4-a716-446655440000",
    "K8s-cluster moved",
    "OPS-1412",
    "https://example.com/wiki/Login2FA",
    "v2.14.3-rc1",
    "[[knowledge/projects/Login2/summary]]",
    "Sprint2024-Q3 begins",
    "step2/verify is green",
    "user42 / team7 meet on Friday",
    "root@web1: uptime 12d",
    "10:30 - 11:15, room B2.14",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "1d229271928d3f9e2bb0375bd6ce5db6c6d348d9",
    "README.md",
    "`make test`",
    "src/auth/Login2FA.tsx",
    "2026-W11",
    "zebra0",
    "MacBook-Pro-2023",
    "Windows11/Edge",
    "Chapter12_Section3",
    "T+2h30m",
    "GPT-4o-mini",
    "@ana, @bob2",
    "PostgreSQL16",
)
"""Lines below a heading that are no sentence."""


def _bodies(language: str, rnd: random.Random) -> Iterator[str]:
    one, two, three = rnd.sample(PROSE[language], 3)
    odd, other = rnd.sample(ODD, 2)
    yield f"- {one}\n- {two}\n"
    yield f"{one}\n{three}\n"
    yield f"\n{two}\n"
    yield f"1. {one}\n2. {odd}\n"
    yield f"- [ ] {one}\n- [x] {three}\n"
    yield f"| {odd} | {one} |\n| {other} | {three} |\n"
    yield f"- {odd}\n- {other}\n"
    yield f"{odd}\n"
    yield f"\n{other}\n{two}\n"
    yield f"* {odd}\n  {one}\n"
    yield f"\n> {three}\n> {odd}\n"


def notes(count: int = 660, seed_number: int = 20260315) -> Iterator[tuple[str, str]]:
    """Language and note, so many in all, every language as often as the others."""
    rnd = random.Random(seed_number)
    languages = list(HEADINGS)
    made = 0
    while made < count:
        language = languages[made % len(languages)]
        bodies = list(_bodies(language, rnd))
        body = bodies[made // len(languages) % len(bodies)]
        heading = rnd.choice(FRAMES).format(rnd.choice(HEADINGS[language]))
        yield language, f"# 2026-03-14\n\n{heading}\n{body}\nThe end of the note.\n"
        made += 1
