"""ROOT.md, its sections, the ledger of topics behind them, and its mirror in MEMORY.md (tree §Step 5)."""
