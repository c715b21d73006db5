"""Models that read and write text: the offline rules, Claude, and the cost of calls."""
