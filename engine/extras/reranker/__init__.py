"""Orders the best candidates anew with a model that reads question and note together."""
