"""Reads what lies on disk: layout, documents, dates, tokens, snapshots, and text made safe to show."""
