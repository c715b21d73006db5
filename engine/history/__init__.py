"""Git, run so that nothing stored in a repository executes."""
