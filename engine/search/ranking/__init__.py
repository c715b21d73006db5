"""From a question to files in an order: words, vectors, and the merge of the two."""
