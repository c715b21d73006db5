"""Compares memory's claims with the repository that it is about."""
