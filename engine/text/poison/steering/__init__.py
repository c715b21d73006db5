"""Finds sentences that would steer an agent, by their meaning and not their wording."""
