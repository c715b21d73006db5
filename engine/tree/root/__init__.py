"""Makes ROOT.md, its topic ledger, and its mirror in MEMORY.md (tree §Step 5)."""
