"""Text: characters, lines and words, whatever workspace they are from."""
