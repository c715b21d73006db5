"""Models that read and write text: the offline one, and what a call costs."""
