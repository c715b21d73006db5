"""The programming interface of the engine, a module for each subject (autopoiesis §9.1, §9.2)."""
