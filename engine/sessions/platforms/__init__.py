"""One data file a tool: its session files, and the text that its harness inserts."""
