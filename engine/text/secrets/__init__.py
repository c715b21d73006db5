"""Secrets in text: their patterns as data, and the masking of text that leaves."""
