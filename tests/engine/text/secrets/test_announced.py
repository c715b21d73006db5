"""A name announces a value in any form of writing: what a campaign found missing is hidden, and code stays quiet."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.secrets.announced import announced
from engine.text.secrets.detector import find_secrets, redact
from engine.text.secrets.values import Oddity, is_shaped, oddity_of
from engine.text.secrets.wallets import seed_phrase
from tests.turn import examples

MISSED = (
    ("CREATE USER 'x'@'%' IDENTIFIED BY 'Kessel-und-Turm7';", "Kessel-und-Turm7"),
    ("ALTER ROLE app PASSWORD 'f4rbenfroh_Wal';", "f4rbenfroh_Wal"),
    ("sqlplus erp/Brot2Zeit9@ORCL", "Brot2Zeit9"),
    ("jdbc:oracle:thin:erp/Brot2Zeit9@db1:1521/ERP", "Brot2Zeit9"),
    ("Driver={SQL Server};Uid=ro;Pwd={Ton.Krug!8};", "Ton.Krug!8"),
    ("ansible_become_pass: wolken_Schaf7", "wolken_Schaf7"),
    ("rds_master_pw = hagel&Korn31", "hagel&Korn31"),
    ('{"outputs": {"admin_password": {"value": "Zeder!Moor55", "type": "string"}}}', "Zeder!Moor55"),
    ("kubectl create secret generic db --from-literal=root=Qz81kdP0xw", "Qz81kdP0xw"),
    ('proxy_set_header Authorization "Basic YWRtaW46aHVudGVyMjIy";', "YWRtaW46aHVudGVyMjIy"),
    ('"db_secret": {\n  "sensitive": true,\n  "value": "x9Kq2mPz7LwR4tVb"\n}', "x9Kq2mPz7LwR4tVb"),
    ("the pw for the old router is kiesel7", "kiesel7"),
    ("set -gx BACKUP_PASS nebel7Horn", "nebel7Horn"),
    (
        "[Interface]\nPrivateKey = 1DfU8RqV0cSN6KpPiPIGN38FCIaxt663gQzXTq8hLbq=",
        "1DfU8RqV0cSN6KpPiPIGN38FCIaxt663gQzXTq8hLbq=",
    ),
    (
        "-----BEGIN OpenVPN Static key V1-----\n6acef03f62675b4b1bbd03e53b187727\n-----END OpenVPN Static key V1-----",
        "6acef03f62675b4b1bbd03e53b187727",
    ),
    (
        '{"kty": "OKP", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}',
        "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    ),
    ("eyJhbGciOiJkaXIiLCJlbmMiOiJ.rpB8d2mKq0x1Zt5e.Xk29sLq81mZaXk29.sLq81mZa5fT3kQ9w.Lm2xVb7n", "Xk29sLq81mZaXk29"),
    ("$ANSIBLE_VAULT;1.1;AES256\n36643562383930613164356264653031613863", "36643562383930613164356264653031613863"),
    ('requests.get(u, auth=("ana", "Moos_und_9"))', "Moos_und_9"),
    ('<input type="password" name="kennwort" value="Birne4Tor">', "Birne4Tor"),
    ("WIFI:T:WPA;S:Hof;P:kiesel.Weg9;;", "kiesel.Weg9"),
    ("zip -P Kiesel7weg akten.zip akten/", "Kiesel7weg"),
    ("Cookie: PHPSESSID=q8v3k1n7c5d2m9x4b6z0t1r2w3; lang=de", "q8v3k1n7c5d2m9x4b6z0t1r2w3"),
    ("2FA seed: JBSW Y3DP EHPK 3PXP", "JBSW Y3DP EHPK 3PXP"),
    ("backup codes: 4821-9930 5512-0071", "4821-9930"),
    ("PUK 48195117", "48195117"),
    ("Bo: what's the wifi password?\nKim: moosbach-Tal7\nBo: thanks", "moosbach-Tal7"),
)

SAID = {
    "sv": "Lösenordet är ekorre_77x", "da": "Adgangskoden er egern_77x", "no": "Passordet er ekorn_77x",
    "fi": "Salasana on orava_77x", "cs": "Heslo je veverka_77x", "hu": "A jelszó mókus_77x",
    "ro": "Parola este veverita_77x", "el": "Ο κωδικός είναι skiouros_77x", "vi": "Mật khẩu là soc_77x_q",
    "id": "Kata sandi adalah tupai_77x", "uk": "Пароль: bilka_77x", "he": "הסיסמה היא snai_77x",
    "th": "รหัสผ่านคือ krarok_77x", "fa": "رمز عبور: sanjab_77x", "hi": "पासवर्ड है gilahri_77x",
    "ar": "كلمة المرور هي sinjab_77x", "ja": "パスワードは risu_77xq です", "bg": "Паролата е katerica_77x",
    "sk": "Heslo je veverica_77x", "hr": "Lozinka je vjeverica_77x", "sl": "Geslo je veverica_77x",
    "et": "Parool on orav_77xq", "lv": "Parole ir vavere_77x", "lt": "Slaptažodis yra vovere_77x",
    "ca": "La contrasenya és esquirol_77x", "eu": "Pasahitza da katagorri_77x", "sq": "Fjalëkalimi është ketri_77x",
    "sr": "Лозинка је veverica_77x", "ms": "Kata laluan ialah tupai_77x", "sw": "Nenosiri ni kindi_77xq",
    "af": "Die wagwoord is eekhorn_77x", "ka": "პაროლი არის ciyvi_77xq", "hy": "Գաղտնաբառը՝ skyur_77xq",
    "bn": "পাসওয়ার্ড হল katbirali_77x", "ta": "கடவுச்சொல்: anil_77xqz", "te": "పాస్‌వర్డ్: uduta_77xq",
    "ur": "پاس ورڈ: gilehri_77x", "kk": "Құпиясөз: tiyin_77xq", "gl": "O contrasinal é esquio_77x",
    "is": "Lykilorðið er ikorni_77x", "cy": "Y cyfrinair yw gwiwer_77x", "ga": "Pasfhocal: iora_77xqz",
}  # fmt: skip

SEEDS = {
    "es": "aéreo sanción cambio aduana lejano amistad mimo uña gajo nadar porción cadáver",
    "fr": "légume chercher bélier atrium tartine bordure implorer octupler péplum kimono jongler redouter",
    "ja": "にんか にゅういん にくまん ぞんぶん やめる かくご まける いっしゅん しつじ いだく りょうり こそだて",
    "zh": "玄 均 赫 凍 偉 汗 材 哈 籍 你 歲 除",
}


RULES = ("password", "pin", "credential", "passphrase", "recovery-code")


@pytest.mark.parametrize(("text", "secret"), MISSED)
def test_what_a_campaign_found_missing_is_hidden_whole(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in redact(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Gr8tWhale!42 opens the shared drive", "Gr8tWhale!42"),
        ("the box takes Sommer2024! now", "Sommer2024!"),
        ("streaming - ana@example.org - Sunflower77", "Sunflower77"),
        ("Visa 4929-1111-2222-3333, valid to 03/27", "4929-1111-2222-3333"),
        ("app password: abcd xkcd ijkl mnop", "abcd xkcd ijkl mnop"),
        ("the password is capital t, r, zero, u, b, x", "capital t, r, zero, u, b, x"),
        ("The combination is left 32, right 11, left 27.", "left 32, right 11, left 27"),
        ("AppKey 2B 7E 15 16 28 AE D2 A6 AB F7 15 88", "2B 7E 15 16 28 AE D2 A6 AB F7 15 88"),
        ("snmp-server user x ops v3 auth sha Gh7kk2lp priv aes 128 Wq8mm3nb", "Wq8mm3nb"),
        ("type Sommer2024 when sudo asks for the password", "Sommer2024"),
        ("A: what is the password?\nB: It is Sommer2024", "Sommer2024"),
        ("define('AUTH_SALT', 'k3jf92jf0293jf2093jf');", "k3jf92jf0293jf2093jf"),
    ],
)
def test_a_secret_is_known_by_its_shape_or_by_an_order_of_words_without_a_link(text: str, secret: str) -> None:
    assert secret not in redact(text)


@pytest.mark.parametrize("language", SAID)
def test_a_password_is_found_in_forty_languages(language: str) -> None:
    assert "_77x" not in redact(SAID[language])


@pytest.mark.parametrize("language", SEEDS)
def test_a_seed_phrase_is_found_in_its_language_and_its_words_in_their_order_are_not(language: str) -> None:
    phrase = SEEDS[language]
    assert seed_phrase(phrase) == (0, len(phrase))
    assert phrase not in redact(f"x: {phrase}")
    assert seed_phrase(" ".join(phrase.split()[:11])) is None


@pytest.mark.parametrize(
    "text",
    [
        "need to pass `func` on",
        "arn:aws:secretsmanager:eu-central-1:1:secret:Name-a1B2c3",
        "password=self.ssl_keyfile_password",
        'String pw = System.getenv("DB_PASSWORD");',
        "ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxx",
        "[Peer]\nPublicKey = DWMV6Pf2RiAXCMLfyxClCd6+BE1pJ4Flm/Xul3CWVn4=",
        "if pass_arg == 'environment':",
        "See pin 7392 on the map.",
        "Fixed in LibreChat#15229 by marot/spotter@8cc42b0, write to Ana3@example.org!",
        "DE44 5001 0517 5407 3249 31",
        "a combination of 3 cups, 4 spoons and 5 eggs",
        "the password I set on a box is a long one for a year I think",
        "a password that will work with most of them",
        "type commands when the shell asks for them",
        "np.sqrt(np.sum(X_trans**2, axis=0))",
        "run `pw-link Synth:out_1 sink:playback_FL7` once",
    ],
)
def test_code_and_names_of_things_stay_quiet(text: str) -> None:
    assert find_secrets(text) == ()


def test_oddity_grows_from_a_placeholder_to_letters_at_random() -> None:
    values = ("${DB_PASS}", "sunflower", "sun-flower", "sunflower-2024", "sun#flower7", "k8yvYYcO8q")
    assert [oddity_of(value) for value in values] == list(Oddity)
    assert is_shaped("cfut_N1eaZFU7Iec5f6yuzjsJEg61yULrJALVcZR9TH9T99a8ef17")
    assert not is_shaped("sha256_N1eaZFU7Iec5f6yuzjsJEg61yULrJALVcZR9TH9T99a8ef17")


@settings(max_examples=examples(300))
@given(
    st.text(max_size=40), st.sampled_from(("password", "pin", "credential", "passphrase", "recovery-code")), st.text()
)
def test_what_is_announced_lies_behind_the_name_and_inside_the_text(before: str, rule: str, behind: str) -> None:
    data = f"{before}passwort{behind}".encode("utf-8", "surrogatepass")
    start = len(before.encode("utf-8", "surrogatepass"))
    for inflected in (False, True):
        for first, last in announced(data, start, start + 8, rule, inflected=inflected):
            assert start + 8 <= first < last <= len(data)
