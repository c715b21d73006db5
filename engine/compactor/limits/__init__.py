"""Where the memory stands before a single note is read: figures, triggers, risk, cooldown."""
