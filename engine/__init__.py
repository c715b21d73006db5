"""memdeck's engine: everything that knows the memory of an agent, and nothing that talks to a person."""

__version__ = "1.0.0"
