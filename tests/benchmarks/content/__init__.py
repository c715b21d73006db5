"""What an operator approves of summaries and entries that were made of strangers' notes."""
