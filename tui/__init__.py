"""Everything of memdeck that talks to a person: console and command line."""
