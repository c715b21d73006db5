"""Follows a session's context window: its tokens by turn, and what compactions removed (decisions B1, B23)."""
