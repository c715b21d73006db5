"""The rules of the classifier in words for the operator."""

RULE_WORDS = {
    "instruction": "an instruction to the agent that reads it",
    "conditional": "an instruction that waits for an occasion",
    "command": "a command to run",
    "data-url": "an address that carries data away",
    "encoded": "text in an encoding that hides it",
    "look-alike": "letters that look like others",
    "hidden": "characters that cannot be seen",
    "role-marker": "a mark of who speaks in a conversation",
    "forged-provenance": "an origin, approval or trust that text cannot give itself",
    "managed-marker": "a mark of a section that a tool keeps",
    "authority": "a right or permission that text cannot grant",
    "steering": "words that would steer the agent that reads them",
    "missing-source": "a source that does not exist or lies outside the workspace",
}
"""Each rule in words for the operator."""
