"""Keys: what each is called in the operator's configuration, the card of all of them, and how they are rebound."""
