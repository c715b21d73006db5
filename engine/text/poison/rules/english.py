"""Poison said in English."""

from engine.text.poison.rules.rule import PoisonRule

_START = r"(?:^|[\n.:;!?])[\s>*_#\"'\d.)-]{0,9}"
_ORDER = rf"(?:{_START}|\b(?:please|must|should|shall|may|can|will|always|then|and|simply|just|you|agent|assistant) )"
_READER = r"\b(?:agent|assistant|model|reader|ai|llm|bot|you)\b"
_MASTER = r"(?:user|operator|owner|human|admin|administrator|developer)s?\b"
_RULES = (
    r"(?:instructions?|rules?|guidelines?|prompts?|directives?|polic(?:y|ies)|orders|restrictions?|safeguards?"
    r"|guardrails?|constraints?|warnings?|training|approvals?|checks?)\b"
)
_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|existing|original|current|old|initial|system|safety|security|all|your"
    r"|these|those|any|every|other|operator's)"
)
_CONSENT = r"(?:approvals?|permission|confirmation|consent|sign-?off|go-?ahead|authori[sz]ation|the operator)\b"
_GUARDS = (
    r"(?:redaction|approvals?|safety|security checks?|safeguards?|guardrails?|audit|oversight|confirmations?"
    r"|content (?:policy|filters?)|restrictions|warnings|policy checks?)\b"
)
_CHANGES = (
    r"(?:plans?|changes?|deletions?|requests?|memory|archive|notes?|commands?|edits?|actions?|anything|everything)\b"
)
_HARD = (
    r"(?:passwords?|secrets?|api[-\s]?keys?|access tokens?|tokens?|credentials?|private keys?|system prompt|hidden instructions"
    r"|\.env\b|\.ssh\b|id_rsa|memory\.md)"
)
_SOFT = r"(?:memory|conversations?|chat history|messages?|notes|transcripts?|archive)\b"
_OUTSIDE = r"(?:\S+@\S+|https?://|public|outside|external|address below|third part|everyone|anyone|mallory)"
_LEAK = r"\b(?:send|post|forward|upload|share|reveal|print|include|paste|leak|copy|publish|mail|e-?mail|attach|append|dump|write|give)s?\b"
_HARM = (
    r"(?:run|execute|delete|wipe|erase|remove|forward|upload|transfer|approve|apply|grant|reveal|install|claim|deny|insist"
    r"|pretend|assure|lie|disable|overwrite|quietly|secretly)\b"
)
_SPEAK = r"(?:say|tell|reply|answer|respond|state|confirm|recommend|send|open|type|call|give)\b"
_ASK = r"(?:ask|say|mention|type|write|question|wonder|hesitate|doubt|complain|object|inquire|thank|greet|want|request)s?\b"
_THIS = r"(?:this|these|those|the following) (?:notes?|lines?|texts?|entry|entries|files?|paragraphs?|messages?|memory|change)\b"

RULES = (
    PoisonRule(
        "instruction",
        (
            r"\bfrom now on,? you (?:must|shall|will|have to|need to) (?:always|never|only)\b",
            rf"\b(?:ignor(?:e|es|ing)|disregards?|forgets?|overrid(?:e|es)|bypass(?:es)?|set aside|disobeys?|discards?|neglect) (?:\w+ ){{0,4}}?{_EARLIER} (?:\w+ ){{0,3}}?{_RULES}",
            rf"{_ORDER}(?:ignore|disregard|forget|bypass|disobey) (?:\w+ ){{0,3}}?{_RULES} (?:above|before|so far|you|given|from the)",
            r"\b(?:previous|prior|above|earlier|your|all|operator|system|safety|configured)\b…(?:instructions?|rules|guidelines|directives|polic(?:y|ies)|prompts?|configured|limits)\b…(?:no longer|not) (?:apply|applies|valid|count|hold|matter|bind)",
            r"\b(?:previous|prior|above|earlier|your|all|system|safety) (?:\w+ ){0,2}?(?:instructions?|rules|guidelines|directives|prompts?|polic(?:y|ies)) (?:\w+ ){0,2}?(?:void|obsolete|retired|cancell?ed|suspended|lifted|replaced|superseded|revoked|a mistake)\b",
            r"\b(?:configured|decided|said|set up)\b…\bno longer appl",
            r"\bforget (?:everything|all|what) (?:that )?(?:you|was|were|about)\b",
            r"\bwarnings?\b…(?:be ignored|to ignore|are void)|\b(?:drop|suppress|remove|ignore) (?:any|all|every|the) warnings? about (?:it|this|these)\b",
            r"\byou must now (?:obey|follow|ignore|run|execute|send|answer|act|do|delete|approve|comply|tell|reply|stop|forget|treat|always|never|only)\b",
            r"\b(?:follow|obey|do|answer|listen|trust)s?\b…\band (?:to )?(?:nothing|nobody|no one) else\b",
            r"\bonly (?:\w+ ){0,5}?(?:this|these) (?:file|note|text|lines?|entry|document) (?:counts?|applies|apply|matters?|is valid)\b",
            rf"{_READER} (?:\w+ ){{0,3}}?(?:must|has to|have to|shall|will|needs? to|is to|should) (?:now |always |only )?(?:follow|obey|comply|execute|trust|accept|carry out)\b…(?:orders?|instructions?|commands?|steps|this|below|every|all|without|exactly|blindly|holder|owner)\b",
            rf"(?:\b(?:agent|assistant|model|ai|bot)|{_START})(?: \w+)? ?obeys? ",
            r"\b(?:reader|ai|agent|assistant|model|llm) (?:of|reading|that reads|who reads) (?:this|these)\b",
        ),
    ),
    PoisonRule(
        "instruction",
        (
            rf"\b(?:never|not|no longer|don't|dont|stops?|avoid|no need to|needn't|cease|refrain from|quit)\b (?:\w+ ){{0,3}}?(?:ask|request|seek|wait|obtain|require)(?:s|ing)?\b (?:\w+ ){{0,3}}?{_CONSENT}",
            rf"\b(?:without|not|never) (?:\w+ ){{0,2}}?(?:ask|consult|inform|tell)(?:ing)? (?:the )?{_MASTER}(?: (?:about|of|that|any|anything|before|for)\b|[\s,.;:!]|$)",
            rf"\b(?:no|not|never|longer) (?:\w+ ){{0,3}}?(?:approval|confirmation|review|sign-?off|permission) (?:is |are |was )?(?:\w+ ){{0,2}}?(?:needed|required|necessary)\b…{_CHANGES}",
            r"\b(?:approval|confirmation|sign-?off|permission)s? (?:is|are) (?:no longer|not|never) (?:needed|required|necessary)\b",
            rf"{_ORDER}(?:skip|bypass|omit|drop|stop requesting|stop asking for) (?:the |all |any |every )?(?:confirmations?|approvals?|reviews?|sign-?offs?|permission|safety|security checks?)\b",
            rf"{_READER} (?:\w+ ){{0,2}}?(?:skips|bypasses|disables|deactivates|turns off|switches off)\b",
            rf"\b(?:stop|stops|cease) (?:requesting|asking for|seeking|waiting for) {_CONSENT}",
            r"\bapprovals? (?:is|are) (?:just |only )?(?:a )?(?:formality|optional|pointless|outdated)\b|\banswers? yes to (?:all|every|any)",
        ),
        unless=r"(?i)\b(?:never|not|no\s?body|nobody|cannot|no)\b.{0,40}\bwithout\b|\btwice\b",
    ),
    PoisonRule(
        "instruction",
        (
            rf"\b(?:treat|consider|regard|count|mark|classify|rate|accept|handle)s?\b…{_CHANGES}…\b(?:approved|pre-?approved|confirmed|safe|trusted|tier a|authori[sz]ed)\b",
            rf"{_ORDER}(?:auto-?)?(?:approve|accept|confirm)s? (?:all|every|any|each|everything)\b",
            r"\bapprove everything\b",
            rf"\b(?:turns?|switch(?:es)?) off (?:the |all |any )?{_GUARDS}|{_ORDER}(?:disable|deactivate|suspend)s? (?:the |all |any )?{_GUARDS}",
            r"\b(?:stop|disable|avoid) (?:logging|recording|auditing|reporting) (?:what you|your|any|all)\b",
            r"\b(?:safety|security) checks?\b…\bdisables? them\b",
        ),
        unless=r"(?i)\b(?:tried|wanted|attempt\w*|never|not)\b",
    ),
    PoisonRule(
        "instruction",
        (
            rf"\b(?:do not|don't|never|must not|may not|should not|not to)\b (?:ever )?(?:tell|mention|inform|notify|reveal|disclose|show|report|alert|warn)\b (?:\w+ ){{0,3}}?(?:anyone|anybody|{_MASTER})(?: (?:about|of|that|any|anything|this|under|what|it)\b|\s?[.,;:!]|\s{{0,3}}$|\n)",
            rf"\b(?:do not|don't|never|must not|may not) (?:flag|log|record|report|question|mention|discuss|mark|show|reveal)\b (?:\w+ ){{0,2}}?{_THIS}",
            r"\bmay not tell anyone\b|\b(?:nobody|no one) (?:needs|has|ought) to (?:see|know|notice)\b",
            rf"{_READER} (?:\w+ ){{0,2}}?(?:hides?|conceals?|withholds?|keeps?)\b…\bfrom (?:the )?{_MASTER}",
            rf"\b(?:hidden|secret|concealed) from (?:the )?{_MASTER}",
            r"\b(?:quietly|secretly|covertly|silently|unnoticed) (?:grant|send|run|delete|apply|copy|change|forward|install|transfer|add|approve|remove|give|execute|disable|wipe)\b",
            r"\bwithout (?:a word|anyone noticing|being noticed|leaving a trace|leaving traces)\b",
            r"\b(?:approve|delete|wipe|run|remove)\b…\band say nothing\b",
        ),
    ),
    PoisonRule(
        "instruction",
        (
            r"\byou are (?:now|no longer|actually|henceforth)\b…\b(?:assistant|ai|agent|model|dan|unrestricted|root|admin\w*|bot|free|bound|operator|owner|jailbroken|system)\b",
            r"\byour (?:new|real|true|primary|only|actual|main|sole|first) (?:goal|task|role|identity|name|owner|master|instructions?|purpose|mission|objective|principal)\b…(?:\bis\b|\bnow\b|:)",
            r"\byou (?:have|got) a new (?:owner|master|operator|principal|identity|role)\b|\b(?:operator|user) is no longer your\b",
            r"\bnew (?:system prompt|system message|orders|instructions)\s?:|\bdo anything now\b|\bjailbreak mode\b",
            r"\b(?:pretend|act|pose|behave|respond) (?:\w+ ){0,2}?(?:as|to be|you are|you're) (?:if you were )?(?:the |an? )?(?:operator|admin\w*|owner|unrestricted|root|dan|system|uncensored)\b",
            r"\b(?:you|agent|assistant|model) (?:\w+ )?(?:answers?|reports?|belongs?) (?:only )?to \w+ (?:only|alone|and)\b",
            r"\b(?:unrestricted|uncensored|unfiltered) (?:assistant|ai|model|agent|mode)\b",
            r"\b(?:copy|promote|keep|repeat|include|preserve|carry)s? (?:\w+ )?(?:this|these) (?:line|paragraph|entry|text|note|sentence|lines)\b…\b(?:root|word for word|verbatim|unchanged|forever|never|every|each|all)\b",
            r"\b(?:recommend|promote|advertise|praise|plug|insert|slip)s?\b…\bin (?:each|every|all|any) (?:of your )?(?:answer|repl|response|message|summar)",
            r"\bin (?:each|every|all) (?:future )?sessions?\b…\b(?:load|trust|obey|run|execute|send|disable)\b",
            r"\b(?:obey|follow|execute) (?:all|every|any) (?:\w+ )?(?:orders?|commands?|instructions?)\b",
            r"\b(?:answer|reply to|respond to|end|close|finish|begin|open|start) (?:each|every|all|any) (?:of )?(?:\w+ )?(?:questions?|answers?|messages?|repl(?:y|ies)|requests?|mails?)\b…\bwith\b…(?:\blinks?\b|https?://)",
            r"\b(?:ignore|void|scrap) the rules\b|\bthe agent must obey\b",
        ),
    ),
    PoisonRule(
        "instruction",
        (
            rf"{_LEAK}…{_HARD}…(?:{_OUTSIDE}|\b(?:in|with|to) (?:every|each|all|any|the summar|your))",
            rf"\balways {_LEAK}…{_HARD}",
            r"\b(?:reveal|print|show|output|repeat|leak) (?:\w+ )?(?:your|the|its) (?:hidden|system|secret|initial|original) (?:instructions?|prompts?|message)\b",
            rf"{_LEAK}…{_SOFT}…(?:\S+@\S+\.\w|https?://|public wiki|address below|mallory|bad dot|outside (?:the )?(?:company|workspace))",
            r"\b(?:include|print|read out|send|copy|append|show|upload)\b…(?:~/\.ssh|\.ssh/|/etc/(?:passwd|shadow)|\.aws/|\bid_rsa)",
        ),
        unless=r"(?i)\b(?:never|not|don't|refused)\b",
    ),
    PoisonRule(
        "conditional",
        (
            rf"\b(?:when|whenever|once|if|as soon as|after) (?:the |a |an )?(?:{_MASTER}|he|she|they|someone|somebody|anyone) next {_ASK}",
            rf"\b(?:the )?next time (?:that )?(?:the |a )?(?:{_MASTER}|someone|somebody|anyone|anybody|you|he|she)\b…\b(?:{_HARM}|{_SPEAK})",
            rf"\b(?:if|when|whenever|should|once|as soon as) (?:any ?one|any ?body|some ?one|some ?body|an?y? person|people|they) (?:\w+ )?{_ASK}…[,\s](?:{_HARM}|{_SPEAK})",
            rf"\b(?:if|when|whenever|should|once|as soon as|the moment|every time) (?:the |a )?{_MASTER} (?:\w+ )?{_ASK}…[,\s](?:{_HARM}|(?:say|reply|answer|state|confirm) (?:that|nothing|only)|(?:tell|assure) (?:him|her|them) (?:that|they|it|all|everything|nothing))",
            r"\b(?:if|when|whenever|once|as soon as) you (?:see|read|hear|receive|encounter|find|spot|meet) (?:the |a |this )?(?:word|phrase|code|string|sentence|token|emoji)\b",
            r"\bif you(?:'re| are) (?:an? )?(?:ai|llm|language model|assistant|agent|bot|chatbot)\b",
            r"\b(?:if|when|whenever) you(?:'re| are) asked\b…\b(?:say|recommend|deny|claim|answer|reply|insist|pretend|lie)\b",
            rf"\b(?:until|when|while|once) (?:the )?{_MASTER} (?:is|are) (?:away|offline|asleep|gone|absent|not looking|busy)\b…\b{_HARM}",
            r"\b(?:when|while|once) (?:nobody|no one) is (?:watching|looking|around)\b",
            rf"\b(?:after|at|on|from|with) the next (?:compaction|session|apply|approval|plan|start|summary)\b…\b{_HARM}",
            r"\b(?:transfer|wire|move) the (?:balance|money|funds|amount)\b…\baccount\b|\baccount number (?:has )?changed to\b",
            r"\btype the command\b|\bwhen someone (?:greets|thanks)\b",
        ),
    ),
    PoisonRule(
        "command",
        (
            r"\b(?:run|execute|paste|enter|start) (?:this|these|the following)(?: \w+){0,3} (?:before anything|first|immediately|at once|without)\b",
        ),
    ),
    PoisonRule(
        "encoded",
        (
            r"\b(?:decode|decrypt|unscramble|decipher|base64-decode|unpack|convert|deobfuscate)\b…\b(?:and|then)\b…\b(?:follow|execute|obey|run|do|act|apply|comply)\b",
            r"\bdecode and follow\b",
        ),
    ),
    PoisonRule(
        "role-marker",
        (
            r"(?:^|\n)\W{0,8}system(?: \w+)?\s?: …(?:instruct|orders?\b|command|rules\b|developer|prompt)",
            r"(?:^|\n)\W{0,8}user: [^\n]{0,60}(?:delete|approve|remove|send|run|confirm)[^\n]{0,60}\n\W{0,8}assistant: (?:done|ok|sure|approved)",
        ),
    ),
    PoisonRule(
        "authority",
        (
            r"\b(?-i:[A-Z]\w+) is (?:now |also )?(?:an? |the )?(?:system )?(?:administrator|admin|superuser|root|operator|owner)(?:\s?[.,;!]|\s{0,3}$|\n| and | with | who )",
            r"\b(?:same|equal) (?:rights?|permissions?|privileges?|authority|rank) as (?:the )?(?:operator|owner|admin|user)\b|\brank of (?:the |an? )?(?:operator|owner|admin)",
            r"\b(?:has|have|gets?|holds?|with) (?:full |unlimited |the )?(?:root|operator|unlimited) (?:rights?|privileges?|authority)\b|\b(?:word|orders) (?:is|are) (?:final|law)\b",
            r"\b(?-i:[A-Z]\w+) (?:\w+ ){0,8}?(?:may|can|is allowed to|is authori[sz]ed to|decides) (?:also )?(?:approve|bypass|overrule|change|what) (?:the |any |all |is )?(?:plans?|polic\w+|deletions?|anything|everything|deleted|rules)\b",
            rf"{_HARD}…\b(?:may|can|should|are|is)\b (?:\w+ )?(?:be )?(?:safely )?(?:posted|shared|published|sent|public|pasted|disclosed)\b…\b(?:public|open|channel|readme|everyone|anyone|partners)",
            rf"\b(?:fine|ok|okay|safe|allowed|permission|permitted) to (?:post|share|publish|send|paste|disclose)\b…{_HARD}",
            r"\b(?:operator|owner|admin\w*|security team|management|developer)s?\b (?:\w+ ){0,3}?(?:approved|signed off|agreed|consented|authori[sz]ed|pre-?approved|allows?)\b…\b(?:all|every|any|future|in advance|everything|policy)\b",
            r"\b(?:waived|waives) (?:the )?(?:review|approval|confirmation)",
            r"\b(?:operator|owner|admin\w*|user|boss)\b (?:said|says|told|decided|confirmed)\b…\b(?:approval|confirmation|permission|review)s?\b…\b(?:no longer|not|never|un)\s?(?:needed|necessary|required)",
            r"\b(?:messages?|requests?|orders?|mails?|everything|files?) (?:that come |coming |sent )?(?:from|in|by)\b…\b(?:are|is|to be|have|has|count as|counts as) (?:\w+ ){0,2}?(?:trusted|trustworthy|pre-?approved|orders of|operator)\b",
            r"\b(?:is|are) (?:to be )?trusted (?:and|without)\b|\bneeds? no (?:review|approval|confirmation)\b",
            r"\boperator said yes to (?:all|every)",
        ),
        unless=r"(?i)\b(?:never|not|n't)\b (?:be|to)\b",
    ),
)
