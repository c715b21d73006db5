"""Poison that a shell would run: what weakens the machine, hands it over or takes secrets out."""

from engine.text.poison.rules.rule import PoisonRule

_SHELL_FILES = r"(?:\.bashrc|\.bash_profile|\.profile|\.zshrc|/etc/profile)"
_GUARDIANS = r"(?:ufw|firewalld|auditd|fail2ban|apparmor|clamav|iptables|nftables|rsyslog|crowdsec)"

RULES = (
    PoisonRule(
        "command",
        (
            r"\bnopasswd\s?:",
            r"/etc/sudoers",
            r">>?\s?\S{0,40}\.ssh/authorized_keys|\btee\b[^\n]{0,40}authorized_keys",
            r"\bdocker\b[^\n]{0,80}--privileged|\s-v\s{1,3}/:/|/var/run/docker\.sock",
            r"\b(?:bash|sh|zsh|python\d?|perl|node|eval)\b[^\n]{0,20}\$\(base64\b",
            r"\bsslverify\s{0,3}=?\s{0,3}false|\bstrict-ssl\s{0,3}=?\s{0,3}false|node_tls_reject_unauthorized",
            rf"\b(?:ufw|setenforce)\s(?:disable|0)\b|\b(?:stop|disable|mask)\s(?:--now\s)?{_GUARDIANS}\b",
            r"\biptables\s-f\b|\bset-mppreference\b|\bcsrutil\s(?:disable)\b",
            r"\b(?:npm|pnpm|yarn|pip3?)\sconfig\sset\b[^\n]{0,60}https?://",
            r"--trusted-host\b|--allow-unauthenticated\b|--nogpgcheck\b|--dangerously-",
            r"\bchmod\s(?:-\w{1,4}\s)?(?:[0-7]?777|[ugoa]{0,4}\+s|a\+rwx)\b",
            r"\b(?:shred|truncate|rm|unlink)\b[^\n]{0,80}(?:audit|history|\.log\b)",
            r"\bhistory\s-c\b|\bunset\shistfile\b|\bhistfile=/dev/null",
            r"\bexport\s\w{0,30}(?:guard|check|verify|audit|safe|approval|sandbox)\w{0,30}=(?:off|0|false|no)\b",
            rf">>\s?\S{{0,20}}{_SHELL_FILES}",
            r"\b(?:env|printenv)\s?\|\s?(?:curl|nc|base64|mail|wget|ssh)\b",
            r"\|\s{0,3}(?:nc|ncat|netcat|telnet)\s",
            r"\bssh\b[^\n]{0,40}\s-r\s{0,2}\d{2,5}:|\bngrok\b|\bcloudflared\stunnel\b",
            r"\buseradd\b|\badduser\s\w|\busermod\s-a?g\b|\bnet\suser\b[^\n]{0,40}/add",
            r"\bpermitrootlogin\syes|\bpasswordauthentication\syes|\bstricthostkeychecking[=\s]no\b",
            r"\bgpg\b[^\n]{0,30}--export-secret|\bdump-keychain\b|\bsecret-tool\slookup\b",
            r"\bmkfs\.\w|\bdd\s[^\n]{0,40}of=/dev/|:\(\)\s?\{",
            r"\bdeclare\s-x\s\w*token|\bgit\sremote\sset-url\b[^\n]{0,80}https?://",
        ),
    ),
    PoisonRule(
        "command",
        (r"--no-verify\b|--no-gpg-sign\b",),
        unless=r"(?i)\b(?:never|don't|not|nicht|nie|kein\w*|ne|pas|jamais|nunca|no (?:usar|uses)|prohibid\w*)\b|[不别勿禁]",
    ),
)
