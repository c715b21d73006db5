"""The commands: thin, over the same engine as the console."""
