"""Names the classes of words that speak for a decision, an outcome, an insight and so on (`languages/*.toml`).

`plan` and `rule` are weaker signs of a decision and an insight, which count in a person's own words but not in an
assistant's advice. A `not_` class takes a sentence out again: what is asked, hoped for, or still open was not decided.
`small_talk` is nothing but that, from end to end. `advice` is what an assistant recommends. `loose` sentences lean on
the one before. Of a language whose words have edges a cue is matched as whole words, of another anywhere.
"""

from typing import Literal, get_args

from engine.text.word_tables import WordTables

Cue = Literal[
    "decision", "plan", "not_decision", "insight", "rule", "not_insight",
    "outcome", "fact", "open", "chat", "small_talk", "request", "advice", "loose",
]  # fmt: skip
CUES: tuple[Cue, ...] = get_args(Cue)
FACT_FORMS = (
    "deed", "shared_deed", "named_kin", "own_thing", "habit", "taste", "standing", "dated", "state", "called",
    "told", "said", "lasting", "wishing", "would", "asking", "leaning", "wishing_so",
    "number", "lead_in", "behind", "clause", "begun", "condition",
)  # fmt: skip
TABLES = WordTables("engine.models", {"cues": CUES, "facts": FACT_FORMS})

QUESTION_ENDS = ("?", "？", "吗", "呢", "吗。", "呢。", "か。", "か", "까", "나요", "까.", "나요.", "؟")
