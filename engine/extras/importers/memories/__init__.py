"""Imports memories of other tools, entry by entry and note by note, in a plan (decisions D43, G16)."""
