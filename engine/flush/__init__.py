"""The flush: what a session must not lose, saved before its context is compacted (window §Pre-Compaction, §6.4)."""
