"""Lets several machines read the transcripts of a replay."""
