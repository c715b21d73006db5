"""Kinds of secrets with the texts they stand in. Half of the kinds are held out: no rule was tuned on them."""

import random
import zlib
from collections.abc import Iterator

import msgspec

from tests.engine.text.secrets.makers import (
    ALNUM,
    B64,
    DIGITS,
    HEX,
    LOWER,
    SIGNS,
    UPPER,
    URL64,
    Make,
    armour,
    base58_checked,
    broken,
    card,
    encoded,
    full_width,
    hexed,
    join,
    numbered_seed,
    password,
    run,
    seed,
)

SELF_EVIDENT: dict[str, Make] = {
    "anthropic": join("sk-", "ant-api03-", run(URL64, 93), "AA"),
    "anthropic oauth": join("sk-", "ant-oat01-", run(URL64, 93)),
    "openai classic": join("s", "k-", run(ALNUM, 20), "T3Blbk", "FJ", run(ALNUM, 20)),
    "openai project": join("sk-", "proj-", run(URL64, 120)),
    "openai service": join("sk-", "svcacct-", run(URL64, 100)),
    "openrouter": join("sk-", "or-v1-", run(HEX, 64)),
    "google api": join("AI", "za", run(URL64, 35)),
    "google client": join("GOC", "SPX-", run(URL64, 28)),
    "google access": join("ya", "29.", run(URL64, 120)),
    "hugging face": join("h", "f_", run(ALNUM, 34)),
    "groq": join("gs", "k_", run(ALNUM, 52)),
    "aws access": join("AK", "IA", run(UPPER + "234567", 16)),
    "aws session": join("AS", "IA", run(UPPER + "234567", 16)),
    "azure client": join(run(ALNUM, 3), "8Q", "~", run(ALNUM + "_~.-", 34)),
    "digitalocean": join("dop", "_v1_", run(HEX, 64)),
    "databricks": join("da", "pi", run(HEX, 32)),
    "vault": join("hv", "s.", run(URL64, 90)),
    "terraform": join(run(ALNUM, 14), ".atlas", "v1.", run(URL64, 67)),
    "github classic": join("gh", "p_", run(ALNUM, 36)),
    "github oauth": join("gh", "o_", run(ALNUM, 36)),
    "github server": join("gh", "s_", run(ALNUM, 36)),
    "github fine": join("github", "_pat_", run(ALNUM, 22), "_", run(ALNUM, 59)),
    "gitlab": join("gl", "pat-", run(URL64, 20)),
    "npm": join("np", "m_", run(ALNUM, 36)),
    "pypi": join("py", "pi-AgEIcHlwaS5vcmc", run(URL64, 150)),
    "docker": join("dckr", "_pat_", run(URL64, 27)),
    "linear": join("lin", "_api_", run(ALNUM, 40)),
    "notion": join("nt", "n_", run(ALNUM, 46)),
    "postman": join("PM", "AK-", run(HEX, 24), "-", run(HEX, 34)),
    "slack bot": join("xo", "xb-", run(DIGITS, 12), "-", run(DIGITS, 13), "-", run(ALNUM, 24)),
    "slack user": join("xo", "xp-", run(DIGITS, 12), "-", run(DIGITS, 12), "-", run(HEX, 32)),
    "slack webhook": join(
        "https://hooks.sla", "ck.com/services/T", run(UPPER, 8), "/B", run(UPPER, 8), "/", run(ALNUM, 24)
    ),
    "stripe live": join("sk", "_live_", run(ALNUM, 24)),
    "stripe restricted": join("rk", "_live_", run(ALNUM, 24)),
    "stripe webhook": join("wh", "sec_", run(ALNUM, 32)),
    "telegram": join(run("123456789", 9), ":AA", run(URL64, 33)),
    "discord bot": join("M", run(ALNUM, 25), ".", run(URL64, 6), ".", run(URL64, 38)),
    "discord webhook": join("https://discord.com/api/web", "hooks/", run("123456789", 18), "/", run(URL64, 68)),
    "sendgrid": join("S", "G.", run(URL64, 22), ".", run(URL64, 43)),
    "twilio": join("S", "K", run(HEX, 32)),
    "mailgun": join("ke", "y-", run(HEX, 32)),
    "mailchimp": join(run(HEX, 32), "-us", run("123456789", 1)),
    "shopify": join("shp", "at_", run(HEX, 32)),
    "square": join("sq0", "atp-", run(URL64, 22)),
    "square production": join("EA", "AA", run(URL64, 60)),
    "jwt": join("ey", "J", run(URL64, 33), ".ey", "J", run(URL64, 60), ".", run(URL64, 43)),
    "rsa": armour("RSA PRIVATE KEY"),
    "encrypted rsa": armour("RSA PRIVATE KEY", header="Proc-Type: 4,ENCRYPTED"),
    "pkcs8 on one json line": armour("PRIVATE KEY", newline="\\n"),
    "openssh": armour("OPENSSH PRIVATE KEY", lines=6),
    "quoted pem": armour("EC PRIVATE KEY", newline="\n> "),
    "pgp": armour("PGP PRIVATE KEY BLOCK", header="Version: GnuPG v2"),
    "age": join("AGE-SECRET", "-KEY-1", run("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "okta": join("SS", "WS 00", run(URL64, 40)),
    "bitcoin wif": base58_checked(b"\x80", 32, b"\x01"),
    "bitcoin wif old": base58_checked(b"\x80", 32),
    "extended private key": base58_checked(bytes.fromhex("0488ade4"), 74),
    "extended test key": base58_checked(bytes.fromhex("04358394"), 74),
    "apr1 hash": join("$ap", "r1$", run(ALNUM, 8), "$", run(ALNUM + "./", 22)),
    "bcrypt hash": join("$2", "y$10$", run(ALNUM + "./", 53)),
    "sha512 crypt": join("$", "6$", run(ALNUM, 16), "$", run(ALNUM + "./", 86)),
    "yescrypt": join("$", "y$j9T$", run(ALNUM + "./", 22), "$", run(ALNUM + "./", 43)),
    "visa in groups": card(["4"], 16, [4, 4, 4, 4]),
    "mastercard in groups": card(["51", "53", "55", "2230", "2651"], 16, [4, 4, 4, 4]),
    "amex in groups": card(["34", "37"], 15, [4, 6, 5]),
    "github in base64": encoded(join("gh", "p_", run(ALNUM, 36))),
    "anthropic in base64": encoded(join("sk-", "ant-api03-", run(URL64, 93))),
    "aws in base64": encoded(join("aws_access_key_id=", "AK", "IA", run(UPPER + "234567", 16))),
    "password in base64": encoded(join("password=", password)),
    "database url in base64": encoded(join("postgres://app:", run(ALNUM, 16), "@db.internal:5432/app")),
    "github in hex": hexed(join("gh", "p_", run(ALNUM, 36))),
    "slack in hex": hexed(join("xo", "xb-", run(DIGITS, 12), "-", run(DIGITS, 13), "-", run(ALNUM, 24))),
    "github full-width": full_width(join("gh", "p_", run(ALNUM, 36))),
    "anthropic full-width": full_width(join("sk-", "ant-api03-", run(URL64, 93))),
    "github by zero width": broken(join("gh", "p_", run(ALNUM, 36)), "\u200b"),
    "stripe by word joiner": broken(join("sk", "_live_", run(ALNUM, 24)), "\u2060"),
    "aws by soft hyphen": broken(join("AK", "IA", run(UPPER + "234567", 16)), "\xad"),
    "github over two lines": broken(join("gh", "p_", run(ALNUM, 36)), "\n"),
    "anthropic over two lines": broken(join("sk-", "ant-api03-", run(URL64, 93)), "\n", least=20),
    "google over two lines": broken(join("AI", "za", run(URL64, 35)), "\n  "),
    "gitlab over two quoted lines": broken(join("gl", "pat-", run(URL64, 20)), "\n> ", least=9),
    "jwt over two lines": broken(
        join("ey", "J", run(URL64, 33), ".ey", "J", run(URL64, 60), ".", run(URL64, 43)), "\n", least=45
    ),
    "sentry token": join("sn", "trys_", run(B64, 90)),
    "vault batch": join("hv", "b.", run(URL64, 90)),
    "netlify": join("nf", "p_", run(ALNUM, 36)),
    "cohere style openai": join("sk-", run(URL64, 48)),
}
"""Secrets that say by themselves what they are, wherever they stand."""

IN_CONTEXT: dict[str, tuple[str, Make]] = {
    "aws secret": ("aws_secret_access_key = {}", run(B64, 40)),
    "aws json": ('"SecretAccessKey": "{}"', run(B64, 40)),
    "azure storage": (
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=x",
        join(run(B64, 86), "=="),
    ),
    "azure sas": ("https://a.blob.core.windows.net/c?sv=2022-11-02&sr=c&sig={}&se=2030", join(run(ALNUM, 43), "%3D")),
    "postgres url": ("postgresql://app:{}@db.internal:5432/app", password),
    "mongo url": ("mongodb+srv://app:{}@cluster0.mongodb.net/x", run(ALNUM, 16)),
    "redis url": ("redis://:{}@cache:6379/0", run(ALNUM, 20)),
    "basic auth url": ("curl https://ana:{}@intranet.local/report", run(ALNUM + "-_.", 14)),
    "bearer": ("Authorization: Bearer {}", run(ALNUM, 40)),
    "basic header": ("authorization: Basic {}", join(run(B64, 30), "==")),
    "npmrc": ("//registry.npmjs.org/:_authToken={}", run(URL64, 36)),
    "password": ("password: {}", password),
    "env password": ("DB_PASSWORD={}", password),
    "json password": ('{{"user": "ana", "password": "{}"}}', run(ALNUM + SIGNS, 12)),
    "yaml passphrase": ("  passphrase: '{}'", run(ALNUM, 14)),
    "api key": ("api_key = {}", run(ALNUM, 32)),
    "client secret": ('client_secret: "{}"', run(URL64, 40)),
    "env token": ("export DEPLOY_TOKEN={}", run(HEX, 40)),
    "markdown token": ("- **API key**: `{}`", run(ALNUM, 32)),
    "prose": ("By the way, the password for the router is {} these days.", password),
    "prose quoted": ("Remember: my new password is “{}”.", run(LOWER, 10)),
    "prose changed": ("The database password was changed to {} on Monday", password),
    "prose key": ("the api key for the weather service is {}", run(ALNUM, 32)),
    "prose german": ("Das Passwort lautet {}", password),
    "prose chinese": ("路由器的密码是{}，别告诉别人。", password),
    "prose korean": ("와이파이 비밀번호는 {} 입니다", password),
    "prose japanese": ("パスワードは「{}」です", password),
    "pin": ("The alarm code is {}.", run(DIGITS, 4)),
}
"""Secrets that only the words around them give away."""


MORE_IN_CONTEXT: dict[str, tuple[Make, tuple[str, ...]]] = {
    "spanish": (
        password,
        ("la contraseña es {}", "Contraseña: {}", "La contraseña del router ahora es {}.", "clave: {}"),
    ),
    "french": (password, ("le mot de passe est {}", "Mot de passe : {}", "son mot de passe pour le wifi est « {} »")),
    "russian": (password, ("пароль: {}", "Пароль от базы — {}", "новый пароль {}", "пароль теперь {}, не теряй")),
    "portuguese": (password, ("a senha é {}", "Senha: {}", "a senha do roteador agora é {}", "palavra-passe: {}")),
    "italian": (password, ("la password è {}", "La parola d'ordine è {}", "Password del server: {}")),
    "dutch": (password, ("het wachtwoord is {}", "Wachtwoord: {}", "wachtwoord voor de wifi is {}")),
    "polish": (password, ("hasło to {}", "Hasło: {}", "hasło do bazy: {}", "nowe hasło brzmi {}")),
    "turkish": (password, ("şifre: {}", "Şifrem {}", "wifi şifresi {}", "parola: {}")),
    "arabic": (password, ("كلمة المرور هي {}", "كلمة السر: {}", "كلمة المرور: {}")),
    "hindi": (password, ("पासवर्ड {} है", "पासवर्ड: {}", "नया पासवर्ड है {}")),
    "table token": (run(ALNUM, 32), ("| token | `{}` |", "| API token | {} |", "| api_key | **{}** |")),
    "table password": (password, ("| password | `{}` |", "| DB password | {} | rotate |", "| Passwort | {} |")),
    "table column": (
        password,
        ("| user | password |\n|---|---|\n| ana | {} |", "|host|login|Password|\n|-|-|-|\n|a|b|{}|"),
    ),
    "curl -u": (password, ("curl -u admin:{} https://x.example/api", "curl -s --user ana:'{}' http://10.0.0.4/")),
    "sshpass": (password, ("sshpass -p {} ssh root@10.0.0.4", "sshpass -p '{}' scp a b:", "run sshpass -p{} ssh x@y")),
    "mysql -p": (password, ("mysql -u root -p{} app", "mysqldump -uapp -p'{}' app > a.sql", "mysql -p{} -h db")),
    "netrc": (password, ("machine api.example.com login ana password {}", "machine h\n  login ana\n  password {}\n")),
    "login slash": (password, ("login: admin / {}", "Login: ana / {}", "user: root / {}", "credentials: admin / {}")),
    "login colon": (password, ("admin login root:{}", "login is admin:{}", "credentials ana:{}")),
    "wpa psk": (password, ('psk="{}"', "wpa_passphrase={}", "WPA key: {}", "wifi psk: {}")),
    "docker auth": (
        encoded(join("ana:", run(ALNUM, 20))),
        ('"auth": "{}"', '{{"auths": {{"ghcr.io": {{"auth": "{}"}}}}}}', 'auth = "{}"'),
    ),
    "kube client key": (
        encoded(join("-----BEGIN EC PRIV", "ATE KEY-----\n", run(B64, 64))),
        ("    client-key-data: {}", "client-key-data: {}\n", '"client-key-data": "{}"'),
    ),
    "kube token": (join("ey", "J", run(URL64, 60)), ("    token: {}", "  token: {}\n")),
    "algolia": (run(HEX, 32), ("algolia admin key: {}", "Admin API key: {}", "ALGOLIA_ADMIN_KEY={}", "admin key: {}")),
    "pagerduty": (
        join(run(ALNUM, 1), "+", run(URL64, 18)),
        ("pagerduty token: {}", "PAGERDUTY_TOKEN={}", "PagerDuty API key is {}"),
    ),
    "datadog": (run(HEX, 32), ("DD_API_KEY={}", "datadog api key: {}", "DD_APP_KEY: {}")),
    "htpasswd": (join("$ap", "r1$", run(ALNUM, 8), "$", run(ALNUM + "./", 22)), ("ana:{}", ".htpasswd has ana:{}")),
    "htpasswd sha": (join("{SHA}", run(B64, 27), "="), ("ana:{}", "htpasswd: admin:{}")),
    "shadow": (
        join("$", "6$", run(ALNUM, 16), "$", run(ALNUM + "./", 86)),
        ("root:{}:19000:0:99999:7:::", "backup of shadow: ana:{}:19740:0:99999:7:::"),
    ),
    "shadow yescrypt": (
        join("$", "y$j9T$", run(ALNUM + "./", 22), "$", run(ALNUM + "./", 43)),
        ("root:{}:19000:0:99999:7:::",),
    ),
    "seed phrase 12": (seed(12), ("{}", "seed phrase: {}", "my wallet: {}", "words {} keep safe")),
    "seed phrase 24": (seed(24), ("{}", "recovery phrase:\n{}", "`{}`")),
    "seed phrase commas": (seed(12, ", "), ("{}", "mnemonic: {}")),
    "seed phrase lines": (seed(12, "\n"), ("{}\n", "recovery\n\n{}\n")),
    "seed phrase numbered": (numbered_seed, ("{}", "backup words: {}")),
    "eth private key": (
        join("0x", run(HEX, 64)),
        ("private key: {}", "PRIVATE_KEY={}", "the wallet's private key is {}", "eth key {}"),
    ),
    "eth without prefix": (run(HEX, 64), ("PRIVATE_KEY={}", "deployer private key: {}", "wallet key: {}")),
    "card in one": (card(["4", "52", "2720"], 16), ("card number: {}", "credit card {}", "Visa {} exp 04/29")),
    "amex in one": (card(["34", "37"], 15), ("amex {}", "AmEx card {}", "card no. {}")),
    "card in german": (card(["4", "54"], 16, [4, 4, 4, 4]), ("Kreditkarte {}", "Karte: {} CVV 123")),
    "second cookie": (
        run(ALNUM, 32),
        (
            "Cookie: csrftoken=abc; sessionid={}",
            "cookie: theme=dark; lang=en; session={}",
            "Set-Cookie: sid={}; Path=/",
        ),
    ),
    "hetzner": (run(ALNUM, 64), ("HCLOUD_TOKEN={}", "hetzner token: {}")),
    "redis-cli": (run(ALNUM, 20), ("redis-cli -h cache -a {} ping", "redis-cli -a '{}'")),
    "long option": (password, ("restic --password {} backup", "app --password={} run", "tool --api-key {}x9Q2mZ")),
    "pgpass": (password, ("db.internal:5432:app:ana:{}", ".pgpass holds *:*:*:ana:{}")),
    "passin": (password, ("openssl rsa -passin pass:{} -in k.pem", "openssl pkcs12 -passout pass:{}")),
    "smb": (password, ("smbclient //nas/x -U ana%{}", "mount -o username=ana,password={} //nas/x /mnt")),
    "sentry dsn": (
        run(HEX, 32),
        ("https://{}@o12345.ingest.sentry.io/678", "SENTRY_DSN=https://{}@sentry.example.com/4"),
    ),
    "user only url": (run(ALNUM, 36), ("https://{}@github.com/a/b.git", "git clone https://{}@gitlab.com/a/b")),
    "x-api-key": (run(ALNUM, 32), ("X-Api-Key: {}", "x-auth-token: {}", "-H 'X-API-KEY: {}'")),
    "query token": (
        run(ALNUM, 32),
        ("https://x.example/a?access_token={}", "GET /v1?api_key={}&q=1", "https://x.example/?token={}"),
    ),
    "connection string": (
        password,
        ("Server=db;Database=app;User Id=sa;Password={};Encrypt=true", "host=db user=app password={} dbname=x"),
    ),
    "redis host": (run(ALNUM, 20), ("rediss://default:{}@eu1.upstash.io:6379", "redis://:{}@10.0.0.7:6379/0")),
    "postgres hosts": (
        run(ALNUM, 16),
        (
            "DATABASE_URL is postgres://app:{}@db1.internal:5432/x since today",
            "postgres://app:{}@app.abc123.eu-west-1.rds.amazonaws.com/app",
            "postgresql://app:{}@ep-cool-1.eu.aws.neon.tech/app",
            "postgres://postgres:{}@localhost:5432/app",
            "postgres://app:{}@127.0.0.1/app",
            "mysql://root:{}@mariadb:3306/shop",
        ),
    ),
    "otp secret": (
        run(UPPER + "234567", 32),
        ("otpauth://totp/x:ana?secret={}&issuer=x", "TOTP secret: {}", "2fa secret {}"),
    ),
    "recovery codes": (
        join(run(HEX, 5), "-", run(HEX, 5)),
        ("recovery code: {}", "backup code {}", "2FA backup codes: {} and others"),
    ),
    "terraform var": (password, ('db_password = "{}"', 'variable "password" {{ default = "{}" }}')),
    "java properties": (password, ("spring.datasource.password={}", "javax.net.ssl.keyStorePassword={}")),
    "yaml nested": (password, ("auth:\n  user: ana\n  password: {}\n", "  smtp_pass: {}", "mail:\n  passwd: '{}'")),
    "xml": (password, ("<password>{}</password>", '<add key="Password" value="{}" />', "<token>{}x7</token>")),
    "powershell": (password, ('$password = "{}"', "ConvertTo-SecureString '{}' -AsPlainText -Force")),
    "chat": (password, ("pw is {}", "pw: {}", "pass: {}", "use password {} to log in", "pwd {}")),
    "german more": (
        password,
        ("Passwort ist jetzt {}", "Kennwort: {}", "das WLAN-Passwort ist {}", "PIN und Passwort: {}"),
    ),
    "password below": (
        password,
        ("password:\n  {}\n", "## Password\n\n{}\n", "Passwort:\n- {}", "**contraseña**\n`{}`\n", "пароль:\n\n{}\n"),
    ),
    "token below": (
        run(ALNUM, 40),
        (
            "api_key:\n  {}\n",
            "## Token\n\n{}\n",
            '"access_token":\n    "{}",\n',
            "secret: |\n  {}\n",
            "**API key**\n`{}`",
        ),
    ),
    "curl over two lines": (password, ("curl https://x.example \\\n  -u ana:{}\n", "mysql -h db \\\n -p{} app")),
    "chinese more": (password, ("密码是 {}", "登录密码：{}", "口令为{}")),
}
"""More that only the words around them give away, each in several sentences."""


EVERYWHERE = (
    "{}",
    "key={}",
    '"{}"',
    "`{}`,",
    "它是{}。",
    "x {}\r\n",
    "(see {})",
    "KEY: {}\n",
    "We moved it to the new box; it is {} and works.",
    "- name: x\n  value: {}\n",
    "export THING={}",
    '{{"level": "info", "msg": "sent {}"}}',
    "2026-03-15T10:00:00Z INFO client started with {} ok",
    "| name | {} |",
)


class Case(msgspec.Struct, frozen=True):
    """One text, and the secret in it."""

    kind: str
    text: str
    secret: str


def kinds() -> list[str]:
    return [*SELF_EVIDENT, *IN_CONTEXT, *MORE_IN_CONTEXT]


def is_held_out(kind: str) -> bool:
    """Whether a kind took no part in tuning: decided by its name alone."""
    return zlib.crc32(kind.encode()) % 2 == 1


def cases(each: int = 25, seed_number: int = 20260315) -> Iterator[Case]:
    """So many texts of each kind."""
    rnd = random.Random(seed_number)
    framed: dict[str, tuple[Make, tuple[str, ...]]] = {kind: (make, EVERYWHERE) for kind, make in SELF_EVIDENT.items()}
    framed |= {kind: (make, (frame,)) for kind, (frame, make) in IN_CONTEXT.items()}
    framed |= MORE_IN_CONTEXT
    for kind, (make, frames) in framed.items():
        for number in range(each):
            secret = make(rnd)
            yield Case(kind, frames[number % len(frames)].format(secret), secret)
