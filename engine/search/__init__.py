"""Finding things in a workspace: the index, the embeddings, the merge, and what stands in where one of them is gone."""
