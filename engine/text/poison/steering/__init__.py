"""Sentences that would steer an agent, told by what they speak of and not by their wording."""
