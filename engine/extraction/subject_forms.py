"""The forms in which a choice is said, in English, German and Chinese: data only, one alternative a line (D45).

`T` stands for what the choice is about, `V` for what is chosen, `X` for what is given up.
"""

LEADS = r"""
    (?:final )?decision:
    the decision is(?: to)?(?: that)?
    (?:we|i)(?:'ve| have)? (?:now |finally )?(?:decided|agreed|chosen|chose|picked|settled)(?: to| that| on)?
    decided(?: to| that| on)?
    (?:we|i)(?:'re| are|'ll| will|'d| would)?(?: now| always| only| really| rather)*
    let's
    please(?: always)?
    from now on,?
    always
    actually,?
    (?:no|yes|ok|okay|so|and),?
    (?:wir|ich) haben? (?:uns )?(?:jetzt |nun )?(?:entschieden|beschlossen|festgelegt|vereinbart),?(?: dass)?
    die entscheidung ist:?(?: dass)?
    abgemacht[:,]
    ab (?:jetzt|sofort)
    (?:bitte|immer)(?: immer)?
    (?:wir|ich)(?: jetzt| nun)?
    (?:nein|ja|also),
"""
"""Beginnings that say nothing of the subject."""

ENGLISH = r"""
    (?:switch|move|migrate|change)(?:s|d|ed|ing)?(?: over)? from X (?:back )?to V
    (?:switch|move|migrate|change)(?:s|d|ed|ing)? T from X (?:back )?to V
    T (?:switch|move|migrate|change)(?:e?s) from X (?:back )?to V
    replac(?:e|es|ed|ing) X (?:with|by) V (?:for|in|as) T
    replac(?:e|es|ed|ing) X (?:with|by) V
    (?:prefer|like|want|use|take|go with|choose|going with) V (?:over|instead of|rather than) X (?:for|in|as|when) T
    (?:prefer|like|want|use|take|go with|choose|going with) V (?:over|instead of|rather than) X
    (?:use|uses|using|go with|going with|choose|take|adopt|prefer) V (?:for|as|in|when) T
    against V (?:for|as|in|when) T
    (?:keep|store|save|host|deploy|release|ship|put|hold|schedule|meet)(?: back)? T (?:in|on|at|to|with|every) V
    (?:want|write|send|format|answer|prefer|call) T (?:as|in) V
    T (?:stays?|remains?|runs?|lives?|moves?|goes back|goes|switches|returns|migrates|changes)(?: back)? \
        (?:on|to|in|with|at) V
    T (?:will |now )?(?:uses?|chooses) V
    (?:like|want|prefer) my T V1
    (?:prefer|like|want) (?:the )?V1 T1
"""
GERMAN = r"""
    (?:wechseln|ziehen|stellen|migrieren)(?: mit)? T von X (?:zurück )?(?:auf|zu|nach) V(?: um)?
    (?:wechseln|migrieren) von X (?:zurück )?(?:auf|zu|nach) V
    ersetzen X durch V
    X durch V (?:zu )?ersetzen
    (?:nehmen|nutzen|verwenden|bevorzuge|mag) V (?:statt|gegenüber|lieber als) X (?:für|bei|in) T
    (?:nehmen|nutzen|verwenden|bevorzuge|mag) V (?:statt|gegenüber|lieber als) X
    (?:nehmen|nutzen|verwenden|bevorzuge) V (?:für|als|in|bei) T
    V (?:für|als|bei) T (?:zu )?(?:nehmen|nutzen|verwenden)
    (?:behalten|halten|speichern|legen) T (?:in|auf|bei) V
    T (?:in|auf|bei) V (?:zu )?(?:behalten|halten|speichern|ablegen)
    T (?:bleibt|bleiben|läuft|laufen|wechselt|zieht|geht|kehrt)(?: wieder| zurück)? \
        (?:auf|bei|zu|nach|in) V(?: um| zurück)?
    T (?:wieder )?(?:auf|bei|zu|nach) V (?:bleibt|läuft|wechselt|umzieht|zurückgeht|zurückkehrt)
    bevorzuge (?:die |das |den )?V1 T1
"""
CHINESE = r"""
    T从X(?:换成|改成|改用|换到|切换到|迁移到|换回)V
    把X(?:换成|改成)了?V
    (?:使用|采用|用)V(?:而不是|代替|取代)X
    (?:使用|采用|用)V(?:来做|作为|做|当)T
    T(?:改为|改|还是|继续|重新|仍然|都)?(?:使用|采用|用)V
    T(?:还是|继续|重新|仍然|都)?(?:放在|保存在|保留在|存在|部署在|迁移到|换回|换成|改成|回到|搬到|留在)V
    (?:更?喜欢|偏好)V(?:胜过|而不是)X
"""
CHINESE_LEADS = r"""
    (?:我们?)?(?:最终|已经|现在)?(?:决定|选定了?|商定|定了|希望)(?:是|：|:|，|把)?
    最终决定(?:是|：|:|，)?
    从今天起
    (?:我们?)
    (?:请)(?:一直|总是|始终)?
"""

NEGATIONS = r"\b(?:not|never|no longer|against|don't|do not|won't|nicht|nie|niemals|kein(?:e[nmrs]?)?)\b|不再?"
BESIDE = r"\b(?:also|too|as well|additionally|in addition|both|auch|zusätzlich|außerdem|sowohl)\b|也|同时|另外"
"""Says that something holds beside what held before."""
_EMPTY = """
    a an the our my your this that these those it them us to of and or now again back still only will is are be all
    every per each der die das den dem des ein eine einen einem unser unsere unseren mein meine es und oder jetzt
    wieder nur zu
"""
EMPTY = frozenset(_EMPTY.split())
"""Words that name no subject."""
EMPTY_CHINESE = "的都全部将把要会了吧"
