"""The context of an agent: what its platform loads of a workspace, and the prompt that is compiled from it."""
