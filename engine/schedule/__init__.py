"""Scheduled dry runs: when each is due, and the crontab or timer that starts it."""
