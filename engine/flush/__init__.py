"""The flush: saves what a session must not lose before its context is compacted (window §Pre-Compaction, §6.4)."""
