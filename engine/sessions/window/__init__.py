"""The context window of a session: tokens in it, turn by turn, and what compactions took out (decisions B1, B23)."""
