"""Searches a workspace: the index, the embeddings, the merge of the two, and the search without an index."""
