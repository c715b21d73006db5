"""Between the screen's thread and the engine: what is asked of it, the threads it is asked in, what they keep fresh."""
