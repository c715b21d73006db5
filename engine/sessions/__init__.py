"""Session files as they grow: tailing, the formats that agents write, and the watcher over them (autopoiesis §4.1)."""
