"""Has the transcripts of a replay read by several machines."""
