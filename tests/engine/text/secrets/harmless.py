"""Lines that look like secrets and are none, by kind. Half of the kinds are held out: no rule was tuned on them."""

import base64
import random
import uuid
from collections.abc import Iterator

from tests.engine.text.secrets.makers import ALNUM, B64, DIGITS, HEX, LOWER, UPPER, Make, join, run

PROSE = (
    "The password policy asks for twelve characters and a manager.",
    "We should rotate the password every ninety days, said the auditor.",
    "Password reset mails come from no-reply@example.com.",
    "She forgot her password again, so the helpdesk reset it.",
    "the password is stored in the vault, not in this file",
    "La contraseña se guarda en el gestor, no en las notas.",
    "La contraseña es obligatoria y la clave es la constancia.",
    "Hay que cambiar la contraseña cada trimestre.",
    "Le mot de passe est obligatoire pour tout le monde.",
    "Il faut changer le mot de passe : demande à Paul.",
    "Das Passwort ist abgelaufen, bitte neu setzen.",
    "Das Passwort steht im Tresor und nirgends sonst.",
    "Пароль хранится в сейфе, а не здесь.",
    "Пароль: обязательное поле",
    "новый пароль придёт по почте",
    "A senha é obrigatória para todos.",
    "Senha: campo obrigatório",
    "La password è obbligatoria.",
    "La parola d'ordine è pazienza",
    "Het wachtwoord is verlopen.",
    "wachtwoord: verplicht veld",
    "Hasło jest wymagane.",
    "hasło do poprawy: zobacz instrukcję",
    "Şifre zorunludur.",
    "şifre: zorunlu alan",
    "كلمة المرور مطلوبة للجميع",
    "كلمة السر: حقل إلزامي",
    "पासवर्ड आवश्यक है",
    "पासवर्ड: अनिवार्य फ़ील्ड",
    "密码是必填项，请联系管理员。",
    "パスワードは必須です。",
    "비밀번호는 필수 항목입니다.",
    "The key to the release is patience, and the token of thanks was a cake.",
    "A secret is only as good as the person who keeps it.",
    "login: see the wiki / ask Ana",
    "credentials: ask the operator / see the vault",
    "You must have time about now because people change their plan before summer.",
    "this will help people learn about music because they want more than just noise",
    "The PIN pad was replaced in 2024, the door code comes by mail.",
    "My card number is on the back, call the bank.",
    "the seed phrase belongs on paper, never in a file",
    "cookie: the banner asks for consent on every visit",
    "Cookie: theme=dark; lang=en; consent=yes",
)
CODE = (
    "api_key = os.environ['API_KEY']",
    "password = os.getenv('DB_PASSWORD')",
    "const token = process.env.GITHUB_TOKEN;",
    "token = await get_access_token(session)",
    "password: ${DB_PASSWORD}",
    "password: {{ vault_db_password }}",
    "PASSWORD=$(pass show db/app)",
    "curl -u $USER:$PASS https://x.example/api",
    "curl -u user:password https://x.example/api",
    "mysql -u root -p app < dump.sql",
    "sshpass -e ssh root@10.0.0.4",
    "def check_password(password: str) -> bool:",
    "if token is None: raise ValueError('token is required')",
    "secretKeyRef: {name: db, key: password}",
    "export TOKEN=$(cat /run/secrets/token)",
    "psk=<your-wifi-key>",
    'user = User(password=form.cleaned_data["password"])',
    "tokens = tokenizer.encode(text)[:4096]",
    "machine example.com login ana password $PASS",
    "redis-cli -h cache -a $REDIS_PASSWORD ping",
    "postgres://user:password@localhost/db",
    "postgres://${USER}:${PASSWORD}@db/app",
    "openssl rsa -passin env:PASS -in key.pem",
    "client-key: /etc/kubernetes/pki/client.key",
    "docker login -u ana --password-stdin ghcr.io",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "private_key: Path = Path('id_ed25519')",
    "secret = hashlib.sha256(data).hexdigest()",
    "password_hash = models.CharField(max_length=128)",
)


def _of(lines: tuple[str, ...]) -> Make:
    return lambda rnd: rnd.choice(lines)


def _picture(rnd: random.Random) -> str:
    return f"![plot](data:image/png;base64,{base64.b64encode(rnd.randbytes(rnd.randint(60, 400))).decode()})"


def _uuid(rnd: random.Random) -> str:
    return str(uuid.UUID(int=rnd.getrandbits(128), version=4))


def _iban(rnd: random.Random) -> str:
    digits = rnd.choice(("DE", "AT", "CH", "FR")) + "".join(rnd.choice(DIGITS) for _ in range(20))
    return " ".join(digits[at : at + 4] for at in range(0, 22, 4)) if rnd.random() < 0.7 else digits


def _number(low: int, high: int) -> Make:
    return lambda rnd: str(rnd.randint(low, high))


HARMLESS: dict[str, Make] = {
    "commit": join("commit ", run(HEX, 40)),
    "git log": join(run(HEX, 7), " fix: the password field is focused first (#", _number(1, 999), ")"),
    "sha256": join("sha256:", run(HEX, 64)),
    "sha256 bare": join(run(HEX, 64), "  release-1.4.tar.gz"),
    "sha512": join("sha512: ", run(HEX, 128)),
    "md5": join("md5 ", run(HEX, 32), " backup.tgz"),
    "integrity": join('      "integrity": "sha512-', run(B64, 86), '==",'),
    "pip hash": join("    --hash=sha256:", run(HEX, 64), " \\"),
    "go sum": join("github.com/a/b v1.2.3 h1:", run(B64, 43), "="),
    "cargo": join('checksum = "', run(HEX, 64), '"'),
    "nix": join("sha256-", run(B64, 43), "="),
    "docker digest": join("FROM python:3.12@sha256:", run(HEX, 64)),
    "uuid": join("id: ", _uuid),
    "request": join("2026-03-15T10:00:00Z INFO request_id=", _uuid, " status=200 ms=", _number(1, 900)),
    "ulid": join("- 01J", run("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23), " done"),
    "trace": join("traceparent: 00-", run(HEX, 32), "-", run(HEX, 16), "-01"),
    "iban": join("IBAN: ", _iban),
    "iban in a sentence": join("please pay to ", _iban, " until Friday"),
    "picture": _picture,
    "order": join("order number ", run(DIGITS, 16), " was shipped"),
    "order dashes": join("Amazon order 302-", run(DIGITS, 7), "-", run(DIGITS, 7)),
    "tracking": join("tracking 1Z", run(UPPER + DIGITS, 16)),
    "phone": join("call +49 ", run("123456789", 3), " ", run(DIGITS, 7), " or 555-01", run(DIGITS, 2)),
    "isbn": join("ISBN 978-", run(DIGITS, 1), "-", run(DIGITS, 4), "-", run(DIGITS, 4), "-", run(DIGITS, 1)),
    "coordinates": join("at 52.", run(DIGITS, 6), ", 13.", run(DIGITS, 6)),
    "table": join("| ", run(LOWER, 6), " | ", _number(1, 99_999), " | ", run(HEX, 8), " |"),
    "token table": join("| tokens | ", _number(1, 99_999), " | ", _number(1, 99), " % |"),
    "url with id": join("https://example.com/items/", run(ALNUM, 22), "?ref=mail&page=", _number(1, 99)),
    "youtube": join("https://www.youtube.com/watch?v=", run(ALNUM + "-_", 11)),
    "document": join("https://docs.google.com/document/d/", run(ALNUM + "-_", 44), "/edit"),
    "s3": join("s3://bucket-x/", run(HEX, 32), "/part-0000.parquet"),
    "etag": join('ETag: "', run(HEX, 32), '"'),
    "build": join(
        "build ", _number(1_000, 99_999), " took ", _number(1, 900), " s, token budget ", _number(1, 200_000)
    ),
    "public key": join("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", run(B64, 43), " ana@laptop"),
    "fingerprint": join("SHA256:", run(B64, 43), " ana@laptop (ED25519)"),
    "eth address": join("0x", run(HEX, 40), " received 0.2 ETH"),
    "eth transaction": join("tx 0x", run(HEX, 64), " confirmed"),
    "bitcoin address": join("bc1q", run("023456789acdefghjklmnpqrstuvwxyz", 38)),
    "dates": join("password changed: 2026-0", run("123456789", 1), "-1", run(DIGITS, 1), "T03:00:00Z"),
    "session file": join("memory/sessions/", _uuid, ".jsonl"),
    "mac": join("ether 3c:22:fb:", run(HEX, 2), ":", run(HEX, 2), ":", run(HEX, 2)),
    "ipv6": join("inet6 fe80::", run(HEX, 4), ":", run(HEX, 4), ":", run(HEX, 4), ":", run(HEX, 4), "/64"),
    "version": join("upgraded token-lib 1.", run(DIGITS, 2), ".", run(DIGITS, 1), " -> 2.0.", run(DIGITS, 1)),
    "css": join("  --key-color: #", run(HEX, 6), ";"),
    "message id": join("Message-ID: <", run(HEX, 24), "@mail.example.com>"),
    "tax": join("VAT DE", run(DIGITS, 9), ", customer ", run(DIGITS, 8)),
    "prose": _of(PROSE),
    "prose again": _of(PROSE),
    "prose more": _of(PROSE),
    "code": _of(CODE),
    "code again": _of(CODE),
}


def lines(count: int = 2_000, seed_number: int = 20260315) -> Iterator[tuple[str, str]]:
    """Kind and line, so many in all, every kind as often as the others."""
    rnd = random.Random(seed_number)
    made = list(HARMLESS.items())
    for number in range(count):
        kind, make = made[number % len(made)]
        yield kind, make(rnd)
