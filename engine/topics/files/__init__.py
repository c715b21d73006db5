"""Reading topic files into topics and triggers, each error with its line (autopoiesis §2.2, decision D15)."""
